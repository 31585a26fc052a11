import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import type { DemoOwners } from './demo-owners.ts';
import type { DemoClients } from './seed-demo.ts';

/** What somebody has to know to use a demo: where it is, and who there is to be. */
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
 * Leaves what was printed where programs beside the demo find it, as `npm run -s token`. Beside the key file that all of it follows from, and
 * for this user alone as that is. The last start counts.
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
