import type { IdempotencyKey, JobLimits, NewJob, Settlement } from '../jobs/job-store.ts';
import type { Store } from '../store.ts';
import { addAccount, makeBridge, objectId } from './records.ts';

export const start = 1_790_000_000_000;
export const lifetime = 120_000;
export const day = 24 * 60 * 60 * 1000;

export const targeted: JobLimits = { unfinished: 20, rate: { accepted: 3, windowMs: 60_000 } };
export const proxied: JobLimits = { unfinished: 20, rate: null };

let names = 0;

export interface Site {
  readonly accountId: string;
  readonly bridgeId: string;
  readonly lockId: string;
}

/** A bridge and its lock in an account that no other test uses. The last sync of both was at 1,000 ms. */
export async function addSite(store: Store): Promise<Site> {
  const accountId = await addAccount(store);
  const [bridgeId, lockId] = [`${accountId}-bridge`, `${accountId}-lock`];
  const devices = makeBridge(accountId, bridgeId, [lockId]).map((device) => ({ ...device, lastSyncAt: 1000 }));
  await store.imports.write({ properties: [], devices });
  return { accountId, bridgeId, lockId };
}

/** A job for the lock, or with `deviceId` for another device. */
export function makeJob({ accountId, bridgeId, lockId }: Site, given: Partial<NewJob> = {}): NewJob {
  names += 1;
  const createdAt = given.createdAt ?? start;
  return {
    jobId: objectId(`job ${names}`),
    accountId,
    clientId: `client of ${accountId}`,
    bridgeId,
    deviceId: lockId,
    jobType: 'UNLOCK',
    createdAt,
    expiresAt: createdAt + lifetime,
    sealedData: Uint8Array.of(0, 1, 254, 255),
    ...given,
  };
}

export function makeKey({ accountId }: Site, keyHash: string, given: Partial<IdempotencyKey> = {}): IdempotencyKey {
  return { clientId: `client of ${accountId}`, keyHash, requestHash: 'request', keepUntil: start + day, ...given };
}

export function makeSettlement(jobId: string, given: Partial<Settlement> = {}): Settlement {
  return { jobId, at: start + 3000, result: 0, output: '{}', activities: [], batteryLevel: null, ...given };
}
