import { createHash } from 'node:crypto';
import type { EpochMilliseconds } from '../clock.ts';
import type { NewActivity } from '../store/activity/activity-store.ts';
import { readActivityKind } from './activity-types.ts';
import { readLockLog, readLogItemForm } from './log-item-form.ts';

/** Where an item arrives, and when. */
export interface LogReader {
  readonly deviceId: string;
  /** The name by which items call the device; null where it has none. */
  readonly lockRef: string | null;
  readonly now: EpochMilliseconds;
  readonly derivePinId: (pin: string) => string;
}

export type ReadLogItem =
  /** Its `pinId` is that of the digits, whether or not such a code was issued: `nameCodes` finds out. */
  | { readonly kind: 'entry'; readonly entry: NewActivity }
  /** Why it can't be stored, in 1 to 500 characters. Repeats nothing that may hold digits. */
  | { readonly kind: 'rejection'; readonly rejection: string };

const farthestAheadMs = 24 * 3_600_000;
/** Smaller numbers are seconds: as milliseconds they would lie before March 1973. */
const leastMilliseconds = 100_000_000_000;
/** 2015, the bound of `ts` too. What a lock dates earlier comes from a clock that was reset. */
const earliest = 1_420_070_400_000;
const entryIdBytes = 12;

/** Digits of an offline code. Others have no code that they could be looked up by. */
const offlinePin = /^[1-9]\d{8}$/;

/**
 * Reads one item of a device's log, however it came: pushed, or fetched through a bridge. The same item gives the same entry id, so that it
 * is stored once. Of the item's texts nothing is kept: digits may stand in any of them.
 *
 * @param sent JSON text of an item, or the item itself
 */
export function readLogItem(sent: unknown, { deviceId, lockRef, now, derivePinId }: LogReader): ReadLogItem {
  const form = readLogItemForm(sent);
  if (form.kind === 'fault') return { kind: 'rejection', rejection: form.fault };
  const { id, ts, lockRef: calledBy, payload } = form.item;
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
 * Undefined for a date that no working clock gives. One far ahead would head the log for years, and nothing could remove it; `ts` has been
 * judged in the same way by then.
 */
function readEntryDate(entryDate: number | undefined, now: EpochMilliseconds): EpochMilliseconds | undefined {
  if (entryDate === undefined) return undefined;
  const at = entryDate < leastMilliseconds ? entryDate * 1000 : entryDate;
  return at < earliest || at > now + farthestAheadMs ? undefined : at;
}

/** 24 hexadecimal digits, the first 12 bytes of SHA-256. NUL, which no device id has, keeps the two apart. */
export function deriveEntryId(deviceId: string, itemId: string): string {
  const hash = createHash('sha256').update(`${deviceId}\0${itemId}`).digest();
  return hash.subarray(0, entryIdBytes).toString('hex');
}
