import type { Clock, EpochMilliseconds } from '../clock.ts';
import type { LockCapabilities } from './capabilities.ts';
import { countCodes } from './code-memory.ts';
import { type Entry, enterPin, findWindow, type PinWindow } from './enter-pin.ts';
import { type Forgetting, forgetCode } from './forget-code.ts';
import type { JobAnswer, LockJob } from './jobs/job.ts';
import { lockStateOf, runJob } from './jobs/run-job.ts';
import { describeLogEntry, type LogItem, logTypes } from './lock-log.ts';
import { isLockedOut } from './lockout.ts';
import { createMemory, type LockMemory, logNow, pairWithKey, passTime } from './memory.ts';
import { readMemory, writeMemory } from './memory-text.ts';
import { clockAt } from './running-time.ts';

/** A lock as software. It shares a key with the service, and nothing else. No timer runs between calls. */
export interface Lock {
  readonly deviceId: string;
  enter(pin: string): Entry;
  /** The window of a code or custom PIN, also when it is over; undefined for other digits. The call changes nothing. */
  findWindow(pin: string): PinWindow | undefined;
  /** Cancels a code or removes a custom PIN, as a person at the lock does. Otherwise only a new key invalidates a permanent code. */
  forget(pin: string): Forgetting;
  /** Runs a job that a bridge delivers. An invalid job gets an answer, not an error; a known `jobId` gets its earlier answer. */
  run(job: LockJob): JobAnswer;
  /** Oldest first, at most 500 are kept. @param from by the lock's clock, inclusive */
  readLog(from?: EpochMilliseconds): readonly LogItem[];
  /** The present state. The call changes nothing. */
  state(): LockState;
  /** Moves the lock's own clock forward or back. Spent codes stay spent, and a lockout keeps its length. */
  moveClock(byMilliseconds: number): void;
  /** @param level 0 to 100 percent */
  setBatteryLevel(level: number): void;
  /** Gives the lock the key of its next pairing, which invalidates every code of the previous key. */
  pair(key: Uint8Array): void;
  /** Its whole memory as text, digits of codes included. Store the text before you pass on an answer or log items: then no event is sent twice. */
  exportMemory(): string;
}

export interface LockState {
  readonly clock: EpochMilliseconds;
  readonly lockState: 'locked' | 'unlocked' | 'unknown';
  readonly passageUntil: EpochMilliseconds | null;
  readonly lockedOutUntil: EpochMilliseconds | null;
  readonly wrongEntries: number;
  readonly lockoutLevel: number;
  readonly batteryLevel: number;
  /** Number of remembered codes that have not ended. */
  readonly codes: number;
  readonly customPins: number;
}

export interface LockSettings {
  readonly deviceId: string;
  /** 32 bytes from `deriveDeviceKey`. */
  readonly key: Uint8Array;
  /** IANA name, of the lock's property. */
  readonly timeZone: string;
  /** The lock's clock is this one plus the shift in its memory. */
  readonly clock: Clock;
  readonly capabilities: LockCapabilities;
  /** From `exportMemory`. When omitted, the lock is new. */
  readonly memory?: string;
  /** Percent, for a new lock. */
  readonly batteryLevel?: number;
  /** The error that the lock's clock may have: bounds of codes move outwards by it. 0 when omitted. */
  readonly toleranceSeconds?: number;
}

const lowBatteryPercent = 20;

/** @throws MemoryFault when `memory` is damaged, newer than this program, or another lock's */
export function createLock({
  deviceId,
  clock,
  timeZone,
  capabilities,
  toleranceSeconds = 0,
  ...rest
}: LockSettings): Lock {
  let context = { key: rest.key, timeZone, capabilities, toleranceSeconds };
  let memory =
    rest.memory === undefined
      ? createMemory(deviceId, rest.key, clock.now(), rest.batteryLevel ?? 100)
      : readMemory(rest.memory, deviceId);

  const present = (): LockMemory => passTime(memory, clock.now() + memory.clockShiftMs);
  /** Makes a step atomic: the memory is replaced only when the step has returned. */
  const keep = <T extends { readonly memory: LockMemory }>(step: T): T => {
    memory = step.memory;
    return step;
  };

  if (rest.memory !== undefined) keep({ memory: pairWithKey(present(), rest.key) });

  return {
    deviceId,
    enter: (pin) => keep(enterPin(present(), pin, context)).entry,
    findWindow: (pin) => findWindow(present(), pin, context),
    forget: (pin) => keep(forgetCode(present(), pin, context)).forgetting,
    run: (job) => keep(runJob(present(), job, context)).answer,
    readLog: (from = Number.NEGATIVE_INFINITY) =>
      keep({ memory: present() })
        .memory.log.entries.filter(({ at }) => at >= from)
        .map((entry) => describeLogEntry(deviceId, entry)),
    state: () => describeState(present()),
    moveClock: (byMilliseconds) => {
      const before = present();
      const clockShiftMs = before.clockShiftMs + byMilliseconds;
      const moved = passTime({ ...before, clockShiftMs }, clock.now() + clockShiftMs);
      keep({ memory: logNow(moved, { logType: logTypes.clockSet }) });
    },
    setBatteryLevel: (batteryLevel) => {
      const before = present();
      const isLow = batteryLevel <= lowBatteryPercent && before.batteryLevel > lowBatteryPercent;
      const after = { ...before, batteryLevel };
      keep({ memory: isLow ? logNow(after, { logType: logTypes.batteryLow }) : after });
    },
    pair: (key) => {
      keep({ memory: pairWithKey(present(), key) });
      context = { ...context, key };
    },
    exportMemory: () => writeMemory(memory),
  };

  function describeState(now: LockMemory): LockState {
    const { time, lockout, door } = now;
    return {
      clock: time.clock,
      lockState: lockStateOf(now, context),
      passageUntil: time.running < door.passageUntil ? clockAt(time, door.passageUntil) : null,
      lockedOutUntil: isLockedOut(lockout, time.running) ? clockAt(time, lockout.lockedUntil) : null,
      wrongEntries: lockout.wrong,
      lockoutLevel: lockout.level,
      batteryLevel: now.batteryLevel,
      codes: countCodes(now.codes, time.clock),
      customPins: now.customPins.length,
    };
  }
}
