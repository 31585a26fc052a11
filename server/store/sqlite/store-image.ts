import BetterSqlite3 from 'better-sqlite3';
import { systemClock } from '../../clock.ts';
import { migrate } from '../migrations/migrate.ts';
import type { Store } from '../store.ts';
import { applySettings, openDatabase } from './open-database.ts';
import { storeOn } from './open-store.ts';
import { sqliteSpelling } from './sqlite-spelling.ts';

/**
 * Fills a store in memory, and returns the bytes of its database. Many stores of one process start from them without creating a schema and
 * writing rows again.
 *
 * @param fill must not use the store after its promise resolves
 */
export async function makeImage(fill: (store: Store) => Promise<void>): Promise<Uint8Array> {
  const connection = openDatabase(':memory:');
  const { database, store } = storeOn(connection);
  try {
    await migrate(database, sqliteSpelling, systemClock.now);
    await fill(store);
    return connection.serialize();
  } finally {
    await store.close();
  }
}

/**
 * Opens a store in memory on a copy of an image. Unlike for a file, neither schema nor pages are checked: this process created them, and no
 * disk, other version or other program could change them.
 *
 * @param image from `makeImage` in this process
 */
export function openStoreImage(image: Uint8Array): Store {
  // SQLite copies the buffer, and can grow its copy.
  const connection = new BetterSqlite3(Buffer.from(image.buffer, image.byteOffset, image.byteLength), { timeout: 0 });
  applySettings(connection, true);
  return storeOn(connection).store;
}
