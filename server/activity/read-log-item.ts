import { createHash } from 'node:crypto';
import type { EpochMilliseconds } from '../clock.ts';
import type { NewActivity } from '../store/activity/activity-store.ts';
import { readActivityKind } from './activity-types.ts';
import { readLockLog, validateLogItem } from './validate-log-item.ts';

/** The device of an item and the time of its arrival. */
export interface LogReader {
  readonly deviceId: string;
  /** The name of the device in its items; null if it has none. */
  readonly lockRef: string | null;
  readonly now: EpochMilliseconds;
  readonly derivePinId: (pin: string) => string;
}

export type ReadLogItem =
  /** Its `pinId` is derived from the digits, whether or not such a code was issued: `nameCodes` looks that up. */
  | { readonly kind: 'entry'; readonly entry: NewActivity }
  /** The reason, in 1 to 500 characters. It repeats no value that may contain digits. */
  | { readonly kind: 'rejection'; readonly rejection: string };

const farthestAheadMs = 24 * 3_600_000;
/** Smaller numbers are seconds: as milliseconds they would lie before March 1973. */
const leastMilliseconds = 100_000_000_000;
/** 2015, the bound of `ts` too. An earlier date comes from a clock that was reset. */
const earliest = 1_420_070_400_000;
const entryIdBytes = 12;

/** Digits of an offline code: only these can be looked up. */
const offlinePin = /^[1-9]\d{8}$/;

/**
 * Reads one item of a device's log, pushed or fetched through a bridge. The same item gives the same entry id, so that it is stored once.
 * The item's texts are not kept: any of them may contain digits.
 *
 * @param sent JSON text of an item, or the item itself
 */
export function readLogItem(sent: unknown, { deviceId, lockRef, now, derivePinId }: LogReader): ReadLogItem {
  const validation = validateLogItem(sent);
  if (validation.kind === 'fault') return { kind: 'rejection', rejection: validation.fault };
  const { id, ts, lockRef: calledBy, payload } = validation.item;
  if (calledBy !== undefined && calledBy !== lockRef)
    return { kind: 'rejection', rejection: 'lockRef is not that of this device' };
  if (ts > now + farthestAheadMs) return { kind: 'rejection', rejection: `ts ${ts} is more than 24 hours ahead` };

  const { logType, entryDate, pin = '' } = readLockLog(payload.log) ?? {};
  const { type, method, firstUse } = readActivityKind(logType);
  const entry = {
    id: deriveEntryId(deviceId, id),
    deviceId,
    at: readEntryDate(entryDate, now) ?? ts,
    receivedAt: now,
    type,
    method,
    rawType: logType ?? null,
    firstUse,
    pinId: offlinePin.test(pin) ? derivePinId(pin) : null,
    accessName: null,
    details: '{}',
  };
  return { kind: 'entry', entry };
}

/**
 * Undefined for a date that no working clock gives. An entry dated far ahead would stay on top of the log for years, and no operation could
 * remove it. The caller has checked `ts` against the same bounds.
 */
function readEntryDate(entryDate: number | undefined, now: EpochMilliseconds): EpochMilliseconds | undefined {
  if (entryDate === undefined) return undefined;
  const at = entryDate < leastMilliseconds ? entryDate * 1000 : entryDate;
  return at < earliest || at > now + farthestAheadMs ? undefined : at;
}

/** 24 hexadecimal digits, the first 12 bytes of SHA-256. NUL, which no device id contains, separates the two ids. */
export function deriveEntryId(deviceId: string, itemId: string): string {
  const hash = createHash('sha256').update(`${deviceId}\0${itemId}`).digest();
  return hash.subarray(0, entryIdBytes).toString('hex');
}
