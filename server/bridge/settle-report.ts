import { deriveEntryId } from '../activity/read-log-item.ts';
import { readLogItems } from '../activity/read-log-items.ts';
import { derivePinId } from '../algopin/derive-pin-id.ts';
import type { Clock } from '../clock.ts';
import type { Keys } from '../keys.ts';
import type { NewActivity } from '../store/activity/activity-store.ts';
import type { Job } from '../store/jobs/job-store.ts';
import type { Store } from '../store/store.ts';
import type { LogItem } from '../virtual-lock/lock-log.ts';
import type { BridgeReport } from './link.ts';

export interface SettleNeeds {
  readonly store: Pick<Store, 'jobs' | 'accessCodes'>;
  readonly keys: Pick<Keys, 'deviceKey'>;
  readonly clock: Clock;
}

/**
 * Stores the report of a bridge in one transaction: the job's end and its log entries. A repeated report changes nothing. A report after the
 * job's end leaves the job as it is, and its entries are stored as activity.
 */
export async function settleReport(
  { store, keys, clock }: SettleNeeds,
  { jobId, deviceId }: Pick<Job, 'jobId' | 'deviceId'>,
  { result, output, items, batteryLevel }: BridgeReport,
): Promise<void> {
  const { entries } = await readLogItems(store.accessCodes, items, {
    deviceId,
    lockRef: null,
    now: clock.now(),
    derivePinId: (pin) => derivePinId(keys.deviceKey, deviceId, pin),
  });
  const names = new Map(items.map((item) => [deriveEntryId(deviceId, item.id), readAccessName(item)]));
  const activities = entries.map(
    (entry): NewActivity => ({ ...entry, accessName: entry.accessName ?? names.get(entry.id) ?? null }),
  );
  // The clock is read after the look-ups: a job that a client has read as expired must not succeed afterwards.
  const at = clock.now();
  await store.jobs.settle({ jobId, at, result, output: JSON.stringify(output), activities, batteryLevel });
}

/** The name of a custom PIN, which the lock has from the service. A name in an item that a phone pushes is not trusted. */
function readAccessName({ payload }: LogItem): string | undefined {
  try {
    const { accessName } = JSON.parse(payload.log) as { accessName?: unknown };
    return typeof accessName === 'string' ? accessName : undefined;
  } catch {
    return undefined; // Another maker's log need not be JSON.
  }
}
