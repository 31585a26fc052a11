import { setTimeout } from 'node:timers/promises';
import type { EpochMilliseconds } from '../clock.ts';
import { type ImportStore, type LockTime, StoreConflict, StoreUnavailable } from '../store/store.ts';
import type { ImportedDevice, ImportFile } from './import-form.ts';
import { buildRecords } from './import-plan.ts';

/** How many of how many are written. `links` counts the devices whose links the file gives. */
export type ImportProgress = Readonly<
  Record<'properties' | 'devices' | 'links', { readonly done: number; readonly total: number }>
>;

/** `interrupted`: by whoever runs it; `busy`: by others who write; `conflict`: by somebody who took a name meanwhile. */
export type ImportEnd = {
  readonly progress: ImportProgress;
  /** Whether the account is written, and with it the line in the audit. */
  readonly hasBegun: boolean;
} & ({ readonly kind: 'done' | 'interrupted' } | { readonly kind: 'busy' | 'conflict'; readonly reason: string });

export interface ImportRun {
  /** Ends it after the batch that is under way. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each batch, and where a batch has to wait. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  /** What waiting is timed by, in milliseconds. */
  readonly elapsed?: () => number;
  /** Lets others write. */
  readonly pause?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
}

/**
 * What a batch is to keep others from writing for. The next one is sized by the last; the rest of 50 ms is left to a disk that is slow at
 * times. Measured: 20,000 devices with their links took 1.1 s of a core, 0.05 ms a device, so that the smallest batch takes 1 ms. To go
 * below gains nothing: what takes longer then is another process that has the core.
 */
const batchMs = 20;
const [firstBatch, smallestBatch, largestBatch] = [100, 20, 500];
/** Twice as long as a writer elsewhere waits between two attempts. */
const betweenBatchesMs = 10;
/** Longer than any other writer's: a server is between two batches all the time. */
const patienceMs = 60_000;

/** How many the next batch takes, from what the last one took. It at most doubles: a time of under a millisecond says little. */
export function sizeNextBatch(size: number, lockedMs: number): number {
  const fitting = Math.floor((size * batchMs) / Math.max(lockedMs, 0.1));
  return Math.max(smallestBatch, Math.min(fitting, size * 2, largestBatch));
}

/**
 * Writes a file that has no faults, in batches that each hold the lock for some milliseconds: the account with a line in the audit,
 * properties, devices with their places, links. So after each batch everything refers to what is there, and the same file once more
 * completes it, wherever it ended. What is stored of a batch is read again in its transaction: a value set meanwhile isn't put back.
 *
 * @throws what the store throws, but for conflicts and a store that is busy
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
    // Before anything else: what an import has changed is on record, however it ends.
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
