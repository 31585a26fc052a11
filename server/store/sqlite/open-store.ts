import { existsSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type BetterSqlite3 from 'better-sqlite3';
import { Kysely } from 'kysely';
import { type EpochMilliseconds, systemClock } from '../../clock.ts';
import { createStore } from '../create-store.ts';
import { migrate } from '../migrations/migrate.ts';
import type { Tables } from '../schema.ts';
import { type Store, StoreUnavailable } from '../store.ts';
import { StoreUnusable } from '../store-unusable.ts';
import { ImmediateDialect } from './immediate-dialect.ts';
import { type OpenOptions, openDatabase, restoration } from './open-database.ts';
import { readUnusable } from './sqlite-error.ts';
import { sqliteSpelling } from './sqlite-spelling.ts';

/** Files that this process has open. A second connection would wait synchronously, so the first could never commit. */
const openFiles = new Set<string>();

/** Another process locks the file for a moment when it exits, and may change the schema when it starts. */
const [openingPatienceMs, openingPauseMs] = [2000, 20];

/**
 * Opens the store on a SQLite file, creates the file if needed and brings its schema up to date. Its `ping` also fails once the file is
 * deleted or replaced: SQLite goes on with the open one, and everything written there is lost with the process.
 *
 * @param path a file in an existing folder, or `:memory:` for a store that lives until it is closed
 * @throws StoreUnusable with the reason and a sentence for the operator, when the file must not be served from
 */
export async function openSqliteStore(
  path: string,
  { now = systemClock.now, ...options }: OpenOptions & { readonly now?: () => EpochMilliseconds } = {},
): Promise<Store> {
  if (path === ':memory:') return open(path, { now, ...options }, () => undefined);
  const file = resolve(path);
  if (existsSync(file) && openFiles.has(realpathSync(file)))
    throw new StoreUnusable('open', `${file} is already open in this process`);
  const register = () => {
    const identity = realpathSync(file);
    openFiles.add(identity);
    return () => openFiles.delete(identity);
  };
  for (const began = performance.now(); ; await setTimeout(openingPauseMs)) {
    try {
      const store = await open(file, { now, ...options }, register);
      return { ...store, ping: pingFile(file, store) };
    } catch (error) {
      const unusable = readUnusable(error);
      if (unusable === undefined) throw error;
      if (unusable.reason === 'locked' && performance.now() - began < openingPatienceMs) continue;
      throw new StoreUnusable(unusable.reason, `${file} ${unusable.sentence}`, {
        cause: error,
        fixes: unusable.reason === 'corrupt' ? [restoration(file)] : [],
      });
    }
  }
}

function pingFile(path: string, { ping }: Store): Store['ping'] {
  const opened = readIdentity(path);
  return async () => {
    const found = readIdentity(path);
    if (found !== opened)
      throw new StoreUnavailable(
        `${path} was ${found === undefined ? 'deleted' : 'replaced'} since it was opened, and new data is lost: stop the server, restore the file, start again`,
        { reason: 'replaced' },
      );
    await ping();
  };
}

/** Device and inode, which distinguish a file from another of the same name; undefined if there is none. */
function readIdentity(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

async function open(
  path: string,
  { now, ...options }: OpenOptions & { readonly now: () => EpochMilliseconds },
  register: () => (() => void) | undefined,
): Promise<Store> {
  const connection = openDatabase(path, options);
  const release = register();
  const { database, store } = storeOn(connection, release);
  try {
    await migrate(database, sqliteSpelling, now);
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

/** Creates a store that owns the connection, and calls `release` after closing it. `database` is for the migrations. */
export function storeOn(
  connection: BetterSqlite3.Database,
  release?: () => void,
): { readonly database: Kysely<Tables>; readonly store: Store } {
  const database = new Kysely<Tables>({ dialect: new ImmediateDialect(connection) });
  const end = async () => {
    await database.connection().execute(async () => undefined); // earlier requests are served first
    await database.destroy();
    release?.();
  };
  let ending: Promise<void> | undefined;
  const close = () => {
    ending ??= end();
    return ending;
  };
  return { database, store: createStore(database, sqliteSpelling, close) };
}
