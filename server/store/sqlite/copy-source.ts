import { existsSync, statSync } from 'node:fs';
import type BetterSqlite3 from 'better-sqlite3';
import { type CopiedTable, type Key, keyOf, type Row } from '../copy-rows.ts';
import { migrations } from '../migrations/migrations.ts';
import { StoreUnusable } from '../store-unusable.ts';
import { createSchemaComparison } from './compare-schema.ts';
import { requireIntegrity, requireOwn } from './open-database.ts';
import { openUnused } from './replace-database.ts';

/** A batch stays below both bounds, except that it has one row at least: a row of activity may have 100 kB. */
const [batchRows, batchBytes] = [2000, 4_000_000];

export interface SourceTable extends CopiedTable {
  /** The number of rows. */
  readonly rows: number;
}

/** A SQLite database that no other process can open. */
export interface CopySource {
  /** Identifies the file as it is: another text after any write. */
  readonly state: string;
  /** All tables of the schema, each after those that it refers to. */
  readonly tables: readonly SourceTable[];
  /** The rows after that key, or all, in the order of the primary key. */
  readBatches(table: CopiedTable, after: Key | undefined): Iterable<readonly Row[]>;
  close(): void;
}

/**
 * Opens a database to copy all of its rows, and writes nothing to it.
 *
 * @param file absolute path
 * @throws StoreUnusable `locked` if another process has it open; `missing`, `empty`, `foreign`, `altered`, `older`, `newer` or `corrupt`
 */
export async function openCopySource(file: string): Promise<CopySource> {
  const compare = await createSchemaComparison();
  if (!existsSync(file)) throw new StoreUnusable('missing', `the database ${file} does not exist. Check --from.`);
  if (!statSync(file).isFile()) throw new StoreUnusable('missing', `${file} is not a file. Check --from.`);
  const database = openUnused(file);
  try {
    database.pragma('query_only = on');
    requireOwn(database, false);
    requireVersion(database, file);
    const [difference] = compare(database);
    if (difference !== undefined)
      throw new StoreUnusable('altered', `${file} does not have the schema that the server creates: ${difference}.`);
    requireIntegrity(database);
    const { ino, size, mtimeNs } = statSync(file, { bigint: true });
    return {
      state: `${ino} ${size} ${mtimeNs}`,
      tables: listTables(database),
      readBatches: (table, after) => readBatches(database, table, after),
      close: () => void database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The copy has the schema of this code, so that each row keeps its columns. */
function requireVersion(database: BetterSqlite3.Database, file: string): void {
  const version = database.prepare<[], number>('select max(version) from schema_version').pluck().get() ?? 0;
  const known = migrations.length;
  if (version > known)
    throw new StoreUnusable(
      'newer',
      `${file} has schema ${version}, this version of the server knows ${known}: use the version that wrote it, or a later one`,
    );
  if (version < known)
    throw new StoreUnusable('older', `${file} has schema ${version}, and this version of the server has ${known}.`, {
      fixes: [{ message: 'Upgrade it', command: ['lockstep-server', 'account', 'list'], database: file }],
    });
}

interface Column {
  readonly name: string;
  /** The place in the primary key, from 1; 0 for other columns. */
  readonly pk: number;
}

/** `schema_version` is not data: it lists the migrations of one database, and the copy has its own. */
function listTables(database: BetterSqlite3.Database): readonly SourceTable[] {
  const names = database
    .prepare<[], string>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name <> 'schema_version' order by name",
    )
    .pluck()
    .all();
  const referencesOf = database.prepare<[string], string>('select "table" from pragma_foreign_key_list(?)').pluck();
  const columnsOf = database.prepare<[string], Column>('select name, pk from pragma_table_info(?)');
  return sortByReferences(names, (name) => referencesOf.all(name)).map((name) => {
    const columns = columnsOf.all(name);
    return {
      name,
      columns: columns.map((column) => column.name),
      key: columns
        .filter(({ pk }) => pk > 0)
        .toSorted((one, other) => one.pk - other.pk)
        .map((column) => column.name),
      rows: database.prepare<[], number>(`select count(*) from ${name}`).pluck().get() ?? 0,
    };
  });
}

/** @throws Error if tables refer to each other in a circle */
function sortByReferences(names: readonly string[], referencesOf: (name: string) => readonly string[]): string[] {
  const sorted: string[] = [];
  while (sorted.length < names.length) {
    const next = names.find(
      (name) => !sorted.includes(name) && referencesOf(name).every((one) => sorted.includes(one)),
    );
    if (next === undefined)
      throw new Error(`tables refer to each other: ${names.filter((one) => !sorted.includes(one))}`);
    sorted.push(next);
  }
  return sorted;
}

/** Each batch is a statement of its own, so that no statement is open while the copy waits for the other database. */
function* readBatches(
  database: BetterSqlite3.Database,
  table: CopiedTable,
  after: Key | undefined,
): Generator<readonly Row[]> {
  const { name, columns, key } = table;
  const end = `order by ${key} limit ${batchRows}`;
  const first = database.prepare<[], Row>(`select ${columns} from ${name} ${end}`);
  const places = key.map(() => '?');
  const next = database.prepare<[Key], Row>(`select ${columns} from ${name} where (${key}) > (${places}) ${end}`);
  for (let last = after; ; ) {
    const rows = takeRows(last === undefined ? first.iterate() : next.iterate(last));
    const end = rows.at(-1);
    if (end === undefined) return;
    yield rows;
    last = keyOf(table, end);
  }
}

/** The first rows, up to `batchBytes`. */
function takeRows(found: Iterable<Row>): readonly Row[] {
  const rows: Row[] = [];
  let bytes = 0;
  for (const row of found) {
    rows.push(row);
    for (const value of Object.values(row)) bytes += typeof value === 'number' ? 8 : (value?.length ?? 0);
    if (bytes >= batchBytes) break;
  }
  return rows;
}
