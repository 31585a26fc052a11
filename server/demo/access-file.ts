import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import type { DemoOwners } from './demo-owners.ts';
import type { DemoClients } from './seed-demo.ts';

/** Addresses and credentials of a running demo. */
export interface DemoAccess {
  /** Without a trailing slash. */
  readonly origin: string;
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly clients: DemoClients;
  readonly owners: DemoOwners;
}

export function describeAccess({
  origin,
  clients,
  owners,
}: Pick<DemoAccess, 'origin' | 'clients' | 'owners'>): DemoAccess {
  return { origin, baseUrl: `${origin}/v1`, authUrl: `${origin}/auth`, clients, owners };
}

/**
 * Writes the printed access data to a file for other programs, such as `npm run -s token`. The file is next to the key file that all of it is
 * derived from, with the same mode (0600). Each start replaces it.
 */
export async function writeAccessFile(path: string, access: DemoAccess): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, `${JSON.stringify(access, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
