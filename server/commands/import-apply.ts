import { setTimeout } from 'node:timers/promises';
import type { EpochMilliseconds } from '../clock.ts';
import type { ImportStore, LockTime } from '../store/imports/import-store.ts';
import { StoreConflict, StoreUnavailable } from '../store/store.ts';
import { buildRecords } from './import-plan.ts';
import type { ImportedDevice, ImportFile } from './import-schema.ts';

/** Written and total numbers. `links` counts the devices whose links are in the file. */
export type ImportProgress = Readonly<
  Record<'properties' | 'devices' | 'links', { readonly done: number; readonly total: number }>
>;

/** `interrupted`: by the operator; `busy`: other programs hold the lock; `conflict`: another command used a name meanwhile. */
export type ImportEnd = {
  readonly progress: ImportProgress;
  /** Whether account and audit entry are written. */
  readonly hasBegun: boolean;
} & ({ readonly kind: 'done' | 'interrupted' } | { readonly kind: 'busy' | 'conflict'; readonly reason: string });

export interface ImportRun {
  /** Stops the import after the current batch. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each batch, and when a batch has to wait. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  /** A clock for waits, in milliseconds. */
  readonly elapsed?: () => number;
  /** Waits, so that others can write. */
  readonly pause?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
}

/**
 * Target time for which a batch locks the database; the rest of 50 ms is reserve for slow disks. The time of a batch determines the size of
 * the next. Measured: 20,000 devices with links took 1.1 s of a core, 0.05 ms a device, so the smallest batch takes 1 ms. A smaller one gains
 * nothing: if it takes longer, another process has the core.
 */
const batchMs = 20;
const [firstBatch, smallestBatch, largestBatch] = [100, 20, 500];
/** Twice the wait of another writer between two attempts. */
const betweenBatchesMs = 10;
/** Longer than any other writer waits: a server may write between any two batches. */
const patienceMs = 60_000;

/** Size of the next batch by the time of the last. It doubles at most: times under a millisecond are imprecise. */
export function sizeNextBatch(size: number, lockedMs: number): number {
  const fitting = Math.floor((size * batchMs) / Math.max(lockedMs, 0.1));
  return Math.max(smallestBatch, Math.min(fitting, size * 2, largestBatch));
}

/**
 * Writes a file without faults, in batches that each lock the database for some milliseconds: account and audit entry, properties, devices
 * with their properties, links. So all references are valid after each batch, and a second run with the file completes the import. Each
 * batch reads its stored records again in its transaction, so it doesn't undo concurrent changes.
 *
 * @throws errors of the store, except conflicts and a busy store
 */
export async function writeImport(
  store: Pick<ImportStore, 'rebuild' | 'relink'>,
  file: ImportFile,
  now: EpochMilliseconds,
  { signal, onProgress, elapsed = () => performance.now(), pause = pauseFor }: ImportRun = {},
): Promise<ImportEnd> {
  const { account, properties = [], devices = [] } = file;
  const owners = devices.flatMap(({ deviceId, links }) => (links === undefined ? [] : [{ deviceId, linked: links }]));
  const done = { properties: 0, devices: 0, links: 0 };
  let hasBegun = false;
  const readProgress = (): ImportProgress => ({
    properties: { done: done.properties, total: properties.length },
    devices: { done: done.devices, total: devices.length },
    links: { done: done.links, total: owners.length },
  });

  async function tryBatch(write: () => Promise<LockTime>): Promise<LockTime> {
    for (const began = elapsed(); ; await pause(betweenBatchesMs, signal)) {
      signal?.throwIfAborted();
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || elapsed() - began >= patienceMs) throw error;
        onProgress?.(readProgress());
      }
    }
  }

  async function writeAll<Item>(
    kind: keyof typeof done,
    items: readonly Item[],
    write: (batch: readonly Item[]) => Promise<LockTime>,
  ): Promise<void> {
    for (let size = firstBatch; done[kind] < items.length; await pause(betweenBatchesMs, signal)) {
      const batch = items.slice(done[kind], done[kind] + size);
      const { lockedMs } = await tryBatch(() => write(batch));
      done[kind] += batch.length;
      size = sizeNextBatch(batch.length, lockedMs);
      onProgress?.(readProgress());
    }
  }

  const rebuild = (part: Omit<ImportFile, 'account'>, more: object = {}) => {
    const deviceIds = (part.devices ?? []).map(({ deviceId }) => deviceId);
    const propertyIds = (part.properties ?? []).map(({ id }) => id);
    return store.rebuild({ accountId: account.id, propertyIds, deviceIds }, (stored) => ({
      ...buildRecords({ account, ...part }, stored, now),
      ...more,
    }));
  };

  try {
    // The audit entry comes first: it exists for every import that changed something.
    const audit = {
      at: now,
      accountId: account.id,
      clientId: 'operator',
      action: 'import',
      deviceId: null,
      requestId: null,
    };
    await tryBatch(() => rebuild({}, { account: { ...account, trialEndsAt: null }, audit }));
    hasBegun = true;
    await writeAll('properties', properties, (batch) => rebuild({ properties: batch }));
    await writeAll('devices', devices, (batch: readonly ImportedDevice[]) => rebuild({ devices: batch }));
    await writeAll('links', owners, (batch) => store.relink(account.id, batch));
    return { kind: 'done', hasBegun, progress: readProgress() };
  } catch (error) {
    const end = { hasBegun, progress: readProgress() };
    if (signal?.aborted) return { kind: 'interrupted', ...end };
    if (error instanceof StoreUnavailable) return { kind: 'busy', reason: error.message, ...end };
    if (error instanceof StoreConflict) return { kind: 'conflict', reason: error.message, ...end };
    throw error;
  }
}

function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return setTimeout(ms, undefined, signal && { signal });
}
