import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { mostIndexes, nameOf, type Store, type StoredItem } from '@lockstep/state/store';
import { Rejection } from '../rejection.ts';

/** `id` keeps the order of creation. */
const tables = `
  CREATE TABLE IF NOT EXISTS items (
    id INTEGER PRIMARY KEY, resource TEXT NOT NULL, name TEXT NOT NULL, item TEXT NOT NULL, UNIQUE (resource, name)
  );
  CREATE INDEX IF NOT EXISTS items_in_order ON items (resource, id);
  CREATE TABLE IF NOT EXISTS names (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (kind, name));
  CREATE TABLE IF NOT EXISTS counts (resource TEXT PRIMARY KEY, count INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS replies (name TEXT PRIMARY KEY, text TEXT NOT NULL, until INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS replies_until ON replies (until);
`;

export interface SqliteStore extends Store {
  readonly close: () => void;
}

/**
 * Opens a store in one SQLite file, which is created if it is missing. Only the disk bounds it: `put` never returns false.
 *
 * @param file `:memory:` for a store without a file
 * @param busyMs milliseconds that a change waits for that of another process. Then `change` throws a Rejection: 503 (RFC 9110, 15.6.4)
 * @throws Error if the file can't be opened or is no database; its message names the file
 */
export function openSqliteStore(file: string, { busyMs = 5_000 } = {}): SqliteStore {
  const { database, statements } = open(file, busyMs);
  const searches = new Map<string, StatementSync>();
  const byMember = (member: string): StatementSync => {
    const known = searches.get(member);
    if (known !== undefined) return known;
    const isIndexed = searches.size < mostIndexes;
    const search = prepareSearch(database, member, isIndexed);
    if (isIndexed) searches.set(member, search);
    return search;
  };
  return {
    find: (resource, parents, key) => {
      const row = statements.find.get(resource, nameOf(parents, key));
      return row && readItem(row);
    },
    list: (resource) => statements.list.all(resource).map(readItem),
    listing: (resource, parents) => {
      const { count, page, place } = parents.length === 0 ? statements.all : statements.below;
      // The names of these owners' items have the same beginning: '["owner","item"]'.
      const start = nameOf(parents, '').slice(0, -3);
      const items = parents.length === 0 ? [resource] : [resource, start, `${start}#`];
      const length = Number(count.get(...items)?.count);
      return {
        length,
        slice: (from, to) => {
          const [first = 0, end = 0] = [from, to].map((index) => Math.trunc(Math.min(index, length)));
          return page.all(...items, end - first, first).map(readItem);
        },
        indexOf: (key) => Number(place.get(...items, resource, nameOf(parents, key))?.count) - 1,
      };
    },
    put: (resource, item) => {
      statements.put.run(resource, nameOf(item.parents, item.key), JSON.stringify(item));
      return true;
    },
    findBy: (resource, member, value) => byMember(member).all(resource, value).map(readItem),
    remove: (resource, item) => void statements.remove.run(resource, nameOf(item.parents, item.key)),
    size: () => {
      const { items, bytes } = statements.size.get() ?? {};
      return { items: Number(items), bytes: Number(bytes) };
    },
    names: (kind) => ({
      has: (name) => statements.hasName.get(kind, name) !== undefined,
      add: (name) => void statements.addName.run(kind, name),
      delete: (name) => Number(statements.deleteName.run(kind, name).changes) > 0,
    }),
    count: (resource) => Number(statements.count.get(resource)?.count),
    replies: {
      find: (name, now) => statements.findReply.get(name, now)?.text?.toString(),
      keep: (name, { text, until }, now) => {
        statements.forgetReplies.run(now);
        statements.keepReply.run(name, text, until);
      },
    },
    change: (work) => {
      begin(database);
      try {
        const result = work();
        database.exec('COMMIT');
        return result;
      } catch (error) {
        // A full disk may have ended the transaction already.
        if (database.isTransaction) database.exec('ROLLBACK');
        throw error;
      }
    },
    close: () => database.close(),
  };
}

/** @throws Rejection if another process writes for too long */
function begin(database: DatabaseSync): void {
  try {
    database.exec('BEGIN IMMEDIATE');
  } catch (cause) {
    const { errcode } = cause as { readonly errcode?: number };
    // SQLITE_BUSY; an extended code has it in its lowest byte.
    if (((errcode ?? 0) & 0xff) !== 5) throw cause;
    const text = 'the store is busy: another process changes it';
    throw new Rejection('unavailable', { text, headers: { 'Retry-After': '1' } });
  }
}

function open(file: string, busyMs: number) {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: busyMs });
    // A database of another program stays as it is: its tables lack our columns.
    database.exec(`BEGIN IMMEDIATE; ${tables}`);
    const statements = prepareStatements(database);
    // With a write-ahead log, a reader does not wait for a writer.
    database.exec('COMMIT; PRAGMA journal_mode = WAL');
    return { database, statements };
  } catch (cause) {
    database?.close();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${file}, the store, can't be opened: ${reason}`, { cause });
  }
}

function prepareStatements(database: DatabaseSync) {
  const prepare = database.prepare.bind(database);
  return {
    find: prepare('SELECT item FROM items WHERE resource = ? AND name = ?'),
    list: prepare('SELECT item FROM items WHERE resource = ? ORDER BY id'),
    all: prepareListing(database, 'resource = ?'),
    below: prepareListing(database, 'resource = ? AND name > ? AND name < ?'),
    put: prepare(
      'INSERT INTO items (resource, name, item) VALUES (?, ?, ?) ON CONFLICT (resource, name) DO UPDATE SET item = excluded.item',
    ),
    remove: prepare('DELETE FROM items WHERE resource = ? AND name = ?'),
    size: prepare('SELECT count(*) AS items, coalesce(sum(length(item)), 0) AS bytes FROM items'),
    hasName: prepare('SELECT 1 FROM names WHERE kind = ? AND name = ?'),
    addName: prepare('INSERT OR IGNORE INTO names (kind, name) VALUES (?, ?)'),
    deleteName: prepare('DELETE FROM names WHERE kind = ? AND name = ?'),
    count: prepare(
      'INSERT INTO counts (resource, count) VALUES (?, 1) ON CONFLICT (resource) DO UPDATE SET count = count + 1 RETURNING count',
    ),
    findReply: prepare('SELECT text FROM replies WHERE name = ? AND until > ?'),
    keepReply: prepare('INSERT OR REPLACE INTO replies (name, text, until) VALUES (?, ?, ?)'),
    forgetReplies: prepare('DELETE FROM replies WHERE until <= ?'),
  };
}

function prepareListing(database: DatabaseSync, where: string) {
  const count = `SELECT count(*) AS count FROM items WHERE ${where}`;
  return {
    count: database.prepare(count),
    page: database.prepare(`SELECT item FROM items WHERE ${where} ORDER BY id LIMIT ? OFFSET ?`),
    place: database.prepare(`${count} AND id <= (SELECT id FROM items WHERE resource = ? AND name = ?)`),
  };
}

/** The search for a text in a member. Without an index, each create would read every item. */
function prepareSearch(database: DatabaseSync, member: string, isIndexed: boolean): StatementSync {
  const path = `$.value.${JSON.stringify(member)}`.replaceAll("'", "''");
  const value = `json_extract(item, '${path}')`;
  const name = `items_by_${Buffer.from(member).toString('hex')}`;
  if (isIndexed) database.exec(`CREATE INDEX IF NOT EXISTS ${name} ON items (resource, ${value})`);
  return database.prepare(`SELECT item FROM items WHERE resource = ? AND ${value} = ? ORDER BY id`);
}

function readItem({ item }: Readonly<Record<string, unknown>>): StoredItem {
  return JSON.parse(String(item));
}
