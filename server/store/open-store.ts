import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseAddress } from './database-address.ts';
import type { Store } from './store.ts';

/**
 * Opens the store on a database of either kind, and loads only the driver of that kind.
 *
 * @param mayCreate whether a missing file, with its folder, or the schema of an empty database is created
 * @param patienceMs how long a caller waits for PostgreSQL; by default as long as a request may
 * @throws StoreUnusable with the reason and a sentence for the operator, when the database must not be served from
 */
export async function openStore(
  address: DatabaseAddress,
  { mayCreate, patienceMs }: { readonly mayCreate: boolean; readonly patienceMs?: number },
): Promise<Store> {
  if (address.kind === 'postgres') {
    const { openPostgresStore } = await import('./postgres/open-store.ts');
    return openPostgresStore(address.url, { mayCreate, ...(patienceMs !== undefined && { patienceMs }) });
  }
  const { openSqliteStore } = await import('./sqlite/open-store.ts');
  if (mayCreate) await mkdir(dirname(address.file), { recursive: true, mode: 0o700 });
  return openSqliteStore(address.file, { mayCreate });
}
