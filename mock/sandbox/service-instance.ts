import { startBridges } from '@lockstep/server/bridge/start-bridges';
import type { Clock, EpochMilliseconds } from '@lockstep/server/clock';
import { demoHabits } from '@lockstep/server/demo/demo-habits';
import { type CountRequest, createMemoryQuota } from '@lockstep/server/http/account-quota';
import type { ApiHandlers } from '@lockstep/server/http/plan-api';
import type { Keys } from '@lockstep/server/keys';
import { createHandlers } from '@lockstep/server/operations/create-handlers';
import { startPurging } from '@lockstep/server/start-purging';
import { openStoreImage } from '@lockstep/server/store/sqlite/store-image';
import type { Logger } from 'pino';
import { createKeypads, type Keypads } from './keypad.ts';

export interface InstanceOptions {
  /** Its initial store. */
  readonly image: Uint8Array;
  /** Requests an hour for each account and client; 0 for no quota. */
  readonly accountQuota: number;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The service on its own store, with bridges and locks. Its callers are already authenticated. */
export interface ServiceInstance {
  readonly handlers: ApiHandlers;
  readonly countRequest: CountRequest;
  readonly keypads: Keypads;
  /** End of an account's trial; null for a subscribed account. */
  readonly trialEnd: (accountId: string) => EpochMilliseconds | null;
  /** Runs all due jobs. @returns the time of the next due job; null if there is none */
  readonly settle: () => Promise<EpochMilliseconds | null>;
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function openInstance({
  image,
  accountQuota,
  keys,
  clock,
  logger,
}: InstanceOptions): Promise<ServiceInstance> {
  const store = openStoreImage(image);
  const accounts = await store.accounts.list().catch(async (error) => {
    await store.close();
    throw error;
  });
  // The trial of an account never changes within an instance.
  const trialEnds = new Map(accounts.map(({ id, trialEndsAt }) => [id, trialEndsAt]));
  const bridges = startBridges({ store, keys, clock, logger, habits: demoHabits });
  // As in the service: after the clock moves by years, old jobs and activity are deleted.
  const stopPurging = startPurging(store, logger, { clock });
  return {
    handlers: createHandlers({ store, clock, keys, bridges }),
    countRequest: accountQuota === 0 ? async () => undefined : createMemoryQuota(accountQuota, clock),
    keypads: createKeypads(store, bridges.locks),
    trialEnd: (accountId) => trialEnds.get(accountId) ?? null,
    settle: bridges.settle,
    ping: () => store.ping(),
    close: async () => {
      stopPurging();
      await bridges.stop();
      await store.close();
    },
  };
}
