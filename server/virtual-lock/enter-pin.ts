import { type CodeKind, codeKinds, type KindOfCode } from '../algopin/kinds.ts';
import { type Refusal, verifyPin } from '../algopin/verify-pin.ts';
import type { EpochMilliseconds } from '../clock.ts';
import { hasBolt } from './capabilities.ts';
import { codeCapacity, endCode, isInUse, isLate, isOver, makeRoom, mayBeReplayed, useCode } from './code-memory.ts';
import { customPinTypes, findCustomPin, removeCustomPin } from './custom-pins.ts';
import { keepDoorOpen, openDoor } from './door.ts';
import { logTypes } from './lock-log.ts';
import { countWrongEntry, isLockedOut } from './lockout.ts';
import { type LockContext, type LockMemory, localTime, logNow } from './memory.ts';
import { clockAt } from './running-time.ts';

/**
 * forgotten: a person ended this code (a one-time code then counts as spent). memory_full: a valid code, but no room to remember it.
 * locked_out: not judged at all.
 */
export type EntryRefusal = Refusal | 'forgotten' | 'memory_full' | 'locked_out';

export type Entry =
  | { readonly opened: true; readonly by: CodeKind | 'custom'; readonly isFirstUse: boolean }
  | {
      readonly opened: false;
      readonly reason: EntryRefusal;
      /** If this entry or an earlier one locked the keypad: the end of the lockout, by the lock's clock. */
      readonly lockedOutUntil: EpochMilliseconds | null;
    };

/** A code or custom PIN, and the time in which it opens the lock. */
export interface PinWindow {
  readonly kind: CodeKind | 'custom';
  readonly startsAt: EpochMilliseconds;
  /** Not included; null without an end. */
  readonly endsAt: EpochMilliseconds | null;
  /** A code's first use must be earlier; null for a custom PIN. */
  readonly activateBy: EpochMilliseconds | null;
}

type Judgement =
  | { readonly kind: 'opened'; readonly entry: Entry & { opened: true }; readonly next: LockMemory }
  | { readonly kind: 'refused'; readonly reason: Exclude<EntryRefusal, 'locked_out'> };

/**
 * Judges an entry at the keypad. Every entry that does not open counts as wrong, also a code before or after its time: nearly all digits
 * are a code of some time, so the lock can't distinguish an early guest from a guess.
 *
 * @param memory brought up to the clock
 * @param pin the text that was typed, of any format
 */
export function enterPin(memory: LockMemory, pin: string, context: LockContext): { entry: Entry; memory: LockMemory } {
  if (isLockedOut(memory.lockout, memory.time.running)) return { entry: refuse('locked_out', memory), memory };
  const judged = isCustom(pin) ? judgeCustomPin(memory, pin, context) : judgeCode(memory, pin, context);
  if (judged.kind === 'opened') return { entry: judged.entry, memory: judged.next };
  if (judged.reason === 'memory_full') return { entry: refuse(judged.reason, memory), memory };
  const next = rememberWrongEntry(memory, pin);
  return { entry: refuse(judged.reason, next), memory: next };
}

/**
 * Reads a PIN without an entry. Nothing changes, and a lockout does not matter.
 *
 * @returns undefined for digits that are no code and no stored PIN
 */
export function findWindow(memory: LockMemory, pin: string, context: LockContext): PinWindow | undefined {
  if (isCustom(pin)) {
    const custom = findCustomPin(memory.customPins, { pin });
    return custom && { kind: 'custom', startsAt: custom.startsAt, endsAt: custom.endsAt, activateBy: null };
  }
  if (!context.capabilities.algoPin) return undefined;
  const { code, window } = verifyPin(pin, context.key, localTime(memory, context), new Set());
  if (code === undefined) return undefined;
  const { start, end, activateBy } = window;
  return {
    kind: code.kind,
    startsAt: start.epochMilliseconds,
    endsAt: end?.epochMilliseconds ?? null,
    activateBy: activateBy.epochMilliseconds,
  };
}

/** Whether a job could have stored this PIN; an offline code has nine digits. */
function isCustom(pin: string): boolean {
  return /^\d{4,6}$/.test(pin);
}

function judgeCustomPin(memory: LockMemory, pin: string, context: LockContext): Judgement {
  const custom = findCustomPin(memory.customPins, { pin });
  if (custom === undefined) return { kind: 'refused', reason: 'unknown' };
  if (memory.time.clock < custom.startsAt) return { kind: 'refused', reason: 'too_early' };
  const { accessId: keyId, accessName } = custom;
  const opened = logNow(open(memory, context), { logType: logTypes.customPinOpened, keyId, accessName });
  const { isSpentByUse } = customPinTypes[custom.pinType];
  const customPins = isSpentByUse ? removeCustomPin(opened.customPins, custom) : opened.customPins;
  return { kind: 'opened', entry: { opened: true, by: 'custom', isFirstUse: false }, next: { ...opened, customPins } };
}

function judgeCode(memory: LockMemory, pin: string, context: LockContext): Judgement {
  const { key, capabilities, toleranceSeconds } = context;
  if (!capabilities.algoPin) return { kind: 'refused', reason: 'unknown' };
  const { codes } = memory;
  const used = { has: (digits: string) => isInUse(codes, digits) || isOver(codes, digits) };
  const verdict = verifyPin(pin, key, localTime(memory, context), used, { toleranceSeconds });
  if (!verdict.accepted) return { kind: 'refused', reason: verdict.reason };
  const { code, window, isFirstUse } = verdict;
  const toleranceMs = toleranceSeconds * 1000;
  const kind: KindOfCode = codeKinds[code.kind];
  if (kind.keepsOpen && !capabilities.passagePin) return { kind: 'refused', reason: 'unknown' };
  // The answer is the same whether or not the lock still remembers the code.
  if (isOver(codes, pin))
    return { kind: 'refused', reason: isLate(memory.time.clock, window, toleranceMs) ? 'lapsed' : 'forgotten' };
  if (isFirstUse && mayBeReplayed(codes, window, toleranceMs)) return { kind: 'refused', reason: 'lapsed' };
  const room = isFirstUse ? makeRoom(codes, memory.time.clock, capabilities.codeCapacity ?? codeCapacity) : codes;
  if (room === undefined) return { kind: 'refused', reason: 'memory_full' };
  const use = kind.isSpentByUse ? endCode : useCode;
  const next = { ...memory, codes: isFirstUse ? use(room, pin, window, toleranceMs) : codes };
  const entry = { opened: true, by: code.kind, isFirstUse } as const;
  if (kind.keepsOpen) {
    return {
      kind: 'opened',
      entry,
      next: logNow(open(next, context, code.duration), { logType: logTypes.passageStarted, pin }),
    };
  }
  const logType = isFirstUse ? logTypes.codeFirstUsed : logTypes.codeOpened;
  return { kind: 'opened', entry, next: logNow(open(next, context), { logType, pin }) };
}

function open(memory: LockMemory, { capabilities }: LockContext, passageHours?: number): LockMemory {
  if (!hasBolt(capabilities)) return memory;
  const { door, time } = memory;
  const opened =
    passageHours === undefined ? openDoor(door, time.running) : keepDoorOpen(door, time.running, passageHours);
  return { ...memory, door: opened };
}

function rememberWrongEntry(memory: LockMemory, pin: string): LockMemory {
  const { running } = memory.time;
  const lockout = countWrongEntry(memory.lockout, running);
  // A lock logs no text that is not digits, or is longer than a keypad accepts.
  const logged = logNow(
    { ...memory, lockout },
    { logType: logTypes.wrongEntry, ...(/^\d{1,12}$/.test(pin) && { pin }) },
  );
  return isLockedOut(lockout, running) ? logNow(logged, { logType: logTypes.lockedOut }) : logged;
}

function refuse(reason: EntryRefusal, { lockout, time }: LockMemory): Entry {
  const lockedOutUntil = isLockedOut(lockout, time.running) ? clockAt(time, lockout.lockedUntil) : null;
  return { opened: false, reason, lockedOutUntil };
}
