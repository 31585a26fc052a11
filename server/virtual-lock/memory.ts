import { createHmac } from 'node:crypto';
import type { EpochMilliseconds } from '../clock.ts';
import { Temporal } from '../temporal.ts';
import type { LockCapabilities } from './capabilities.ts';
import { type CodeMemory, noCodes } from './code-memory.ts';
import { type CustomPin, dropEndedPins } from './custom-pins.ts';
import { closeDoorInTime, type Door, lockedDoor } from './door.ts';
import type { RememberedJob } from './jobs/job.ts';
import { addToLog, emptyLog, type LockLog, type LogEvent, logTypes } from './lock-log.ts';
import { type Lockout, noLockout, relaxLockout } from './lockout.ts';
import { clockAt, seeTime, type TimeSeen } from './running-time.ts';

/** The state of a lock except its key and its clock: plain data, never changed in place, so that a failed step leaves it as it was. */
export interface LockMemory {
  readonly deviceId: string;
  /** Shows whether codes were created with the current key, without revealing the key. */
  readonly keyCheck: string;
  /** The difference between the lock's own clock and the one it was given. */
  readonly clockShiftMs: number;
  readonly time: TimeSeen;
  readonly codes: CodeMemory;
  readonly lockout: Lockout;
  readonly customPins: readonly CustomPin[];
  readonly door: Door;
  /** Percent. */
  readonly batteryLevel: number;
  readonly log: LockLog;
  readonly jobs: readonly RememberedJob[];
}

/** Values that stay the same during one call of a lock. */
export interface LockContext {
  /** 32 bytes. */
  readonly key: Uint8Array;
  readonly timeZone: string;
  readonly capabilities: LockCapabilities;
  readonly toleranceSeconds: number;
}

export function createMemory(deviceId: string, key: Uint8Array, clock: EpochMilliseconds, battery: number): LockMemory {
  return {
    deviceId,
    keyCheck: checkOfKey(key),
    clockShiftMs: 0,
    time: { clock, running: 0 },
    codes: noCodes,
    lockout: noLockout,
    customPins: [],
    door: lockedDoor,
    batteryLevel: battery,
    log: emptyLog,
    jobs: [],
  };
}

/** Brings the memory up to the clock: the door's closings, forgiven entries, ended PINs. Runs before every other step. */
export function passTime(memory: LockMemory, clock: EpochMilliseconds): LockMemory {
  const time = seeTime(memory.time, clock);
  const { door, closings } = closeDoorInTime(memory.door, time.running);
  return {
    ...memory,
    time,
    door,
    lockout: relaxLockout(memory.lockout, time.running),
    customPins: dropEndedPins(memory.customPins, clock),
    log: closings.reduce(
      (log, { by, at }) => addToLog(log, { at: clockAt(time, at), logType: logTypes[by] }),
      memory.log,
    ),
  };
}

export function logNow(memory: LockMemory, event: Omit<LogEvent, 'at'>): LockMemory {
  return { ...memory, log: addToLog(memory.log, { ...event, at: memory.time.clock }) };
}

/** The lock's clock in the zone of its property. */
export function localTime({ time }: LockMemory, { timeZone }: LockContext): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(time.clock).toZonedDateTimeISO(timeZone);
}

/** With another key all digits are other codes: the lock forgets the codes of the old key, spent ones too. Custom PINs and a lockout stay. */
export function pairWithKey(memory: LockMemory, key: Uint8Array): LockMemory {
  const keyCheck = checkOfKey(key);
  if (keyCheck === memory.keyCheck) return memory;
  return logNow({ ...memory, keyCheck, codes: noCodes }, { logType: logTypes.settingsChanged });
}

function checkOfKey(key: Uint8Array): string {
  if (key.length !== 32) throw new RangeError(`a lock's key has 32 bytes, not ${key.length}`);
  return createHmac('sha256', key).update('lockstep/virtual-lock/key-check').digest('hex').slice(0, 16);
}
