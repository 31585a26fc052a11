import BetterSqlite3 from 'better-sqlite3';
import { systemClock } from '../../clock.ts';
import { migrate } from '../migrations/migrate.ts';
import type { Store } from '../store.ts';
import { applySettings, openDatabase } from './open-database.ts';
import { storeOn } from './open-store.ts';
import { sqliteSpelling } from './sqlite-spelling.ts';

/**
 * Fills a store in memory, and gives the bytes of its database: what many stores of one process begin with, without a schema to be made and
 * rows to be written for each.
 *
 * @param fill is over with the store when its promise is
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
 * Opens a store in memory on a copy of an image, which stays as it is. Neither schema nor pages are checked, as those of a file are: this
 * very process has made them, and no disk, no other version and no other program has been at them since.
 *
 * @param image of `makeImage`, in this process
 */
export function openStoreImage(image: Uint8Array): Store {
  // SQLite takes a copy of its own, which it may let grow.
  const connection = new BetterSqlite3(Buffer.from(image.buffer, image.byteOffset, image.byteLength), { timeout: 0 });
  applySettings(connection, true);
  return storeOn(connection).store;
}
