import type { EpochMilliseconds } from '../clock.ts';

/** The lock's own numbers for events. */
export const logTypes = {
  autoLocked: 13,
  wrongEntry: 16,
  codeOpened: 18,
  codeFirstUsed: 22,
  customPinOpened: 24,
  passageStarted: 200,
  passageEnded: 201,
  lockedOut: 202,
  pinCreated: 203,
  pinDeleted: 204,
  settingsChanged: 205,
  clockSet: 206,
  batteryLow: 207,
  unlockedByBridge: 208,
  lockedByBridge: 209,
} as const;

/** Newer entries replace the oldest. A busy door fills this in two months. */
export const logCapacity = 500;

/** A logged event, never changed afterwards. */
export interface LogEntry {
  /** Counts all events of this lock, from 1. */
  readonly number: number;
  /** By the lock's clock. */
  readonly at: EpochMilliseconds;
  readonly logType: number;
  /** The `accessId` of a custom PIN, otherwise 0. */
  readonly keyId: string | number;
  /** Digits of a code or of a wrong entry, as a lock logs them; the service drops them. */
  readonly pin?: string;
  /** Of a custom PIN. */
  readonly accessName?: string;
}

export interface LockLog {
  /** The number of the next event: a number is never used twice, even if its entry is gone. */
  readonly next: number;
  readonly entries: readonly LogEntry[];
}

/** `ActivityLogItem` of the contract. `log` is JSON text `{logType, entryDate, keyId, pin?, accessName?}`, `entryDate` in milliseconds. */
export interface LogItem {
  readonly id: string;
  readonly ts: EpochMilliseconds;
  readonly payload: { readonly log: string };
}

export type LogEvent = Pick<LogEntry, 'at' | 'logType' | 'pin' | 'accessName'> & { readonly keyId?: string };

export const emptyLog: LockLog = { next: 1, entries: [] };

export function addToLog(log: LockLog, event: LogEvent): LockLog {
  const { at, logType, keyId = 0, pin, accessName } = event;
  const entry = { number: log.next, at, logType, keyId, ...(pin && { pin }), ...(accessName && { accessName }) };
  return { next: log.next + 1, entries: [...log.entries, entry].slice(-logCapacity) };
}

/**
 * The item that the lock sends: the same id and bytes each time. The id contains number and time, so that a lock that lost its memory and
 * counts from 1 again gives new events new ids.
 */
export function describeLogEntry(deviceId: string, { number, at, ...rest }: LogEntry): LogItem {
  const { logType, keyId, pin, accessName } = rest;
  return {
    id: `${deviceId}-${number}-${at}`,
    ts: at,
    payload: { log: JSON.stringify({ logType, entryDate: at, keyId, pin, accessName }) },
  };
}
