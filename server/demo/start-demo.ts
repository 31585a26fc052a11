import { join } from 'node:path';
import { throwIfStopping } from '@lockstep/runtime/run-until-stopped';
import type { Logger } from 'pino';
import { systemClock } from '../clock.ts';
import { readOrCreateKeyFile } from '../key-file.ts';
import { createPasswords } from '../oauth/passwords.ts';
import { type RunningService, type StartOptions, startService } from '../start-service.ts';
import type { DatabaseAddress } from '../store/database-address.ts';
import { openStore } from '../store/open-store.ts';
import { demoHabits } from './demo-habits.ts';
import { type DemoOwners, seedDemoOwners } from './demo-owners.ts';
import { type DemoClients, seedDemo } from './seed-demo.ts';

export interface DemoOptions {
  /** The folder of the demo's key file and database. Both are created once, so that every start prints the same clients and owners. */
  readonly folder: string;
  /** Another database; when omitted, a SQLite file in the folder. */
  readonly database?: DatabaseAddress | undefined;
  readonly port: number;
  readonly host: string;
  readonly logger: Logger;
  readonly docs?: StartOptions['docs'];
  /** Cost of the hashes of its passwords, as `ln` of `createPasswords`. When omitted, it is the default. */
  readonly passwordCost?: number;
  readonly stopping?: AbortSignal | undefined;
}

export interface Demo extends RunningService {
  readonly clients: DemoClients;
  readonly owners: DemoOwners;
}

/**
 * Starts the service with demo data, on its own files. Every answer is checked against the contract before it is sent.
 *
 * @throws KeyFileFault, StoreUnusable, DemoKeyMismatch, an error with `code: 'EADDRINUSE'`, or the reason of `stopping`; nothing is left open
 */
export async function startDemo({ folder, database, passwordCost, ...options }: DemoOptions): Promise<Demo> {
  const keys = await readOrCreateKeyFile(join(folder, 'keys.json'));
  await throwIfStopping(options.stopping);
  const file = { kind: 'sqlite', file: join(folder, 'demo.sqlite') } as const;
  const store = await openStore(database ?? file, { mayCreate: true });
  try {
    await throwIfStopping(options.stopping);
    const now = systemClock.now();
    const clients = await seedDemo(store, { keys, now });
    const passwords = createPasswords(passwordCost === undefined ? {} : { ln: passwordCost });
    const owners = await seedDemoOwners(store, { keys, now, passwords });
    await throwIfStopping(options.stopping);
    const service = await startService({
      ...options,
      store,
      keys,
      clock: systemClock,
      checkResponses: true,
      differentialValidation: 'logged',
      habits: demoHabits,
    });
    return { ...service, clients, owners };
  } catch (error) {
    await store.close();
    throw error;
  }
}
