import { codeKinds } from '../algopin/kinds.ts';
import { verifyPin } from '../algopin/verify-pin.ts';
import { codeCapacity, endCode, isInUse, isOver, makeRoom } from './code-memory.ts';
import { findCustomPin, removeCustomPin } from './custom-pins.ts';
import { endPassage } from './end-passage.ts';
import { logTypes } from './lock-log.ts';
import { type LockContext, type LockMemory, localTime, logNow } from './memory.ts';

/** unknown: the digits open this lock neither now nor later. memory_full: the code was never used, and there is no room to remember its end. */
export type Forgetting = 'forgotten' | 'unknown' | 'memory_full';

/**
 * Cancels a code, used or not, or removes a custom PIN. A code is remembered until its time for a first use is over, since its digits alone
 * would open the lock again. Cancelling a used passage code stops the current passage, also one that another code began: the lock does not
 * know which code began it, and guests with a valid code can open again.
 *
 * @param memory brought up to the clock
 */
export function forgetCode(
  memory: LockMemory,
  pin: string,
  context: LockContext,
): { readonly forgetting: Forgetting; readonly memory: LockMemory } {
  const custom = findCustomPin(memory.customPins, { pin });
  if (custom !== undefined) {
    const { accessId: keyId, accessName } = custom;
    const customPins = removeCustomPin(memory.customPins, custom);
    const logType = logTypes.pinDeleted;
    return { forgetting: 'forgotten', memory: logNow({ ...memory, customPins }, { logType, keyId, accessName }) };
  }
  const { codes } = memory;
  const unknown = { forgetting: 'unknown', memory } as const;
  if (!context.capabilities.algoPin || isOver(codes, pin)) return unknown;
  const used = { has: (digits: string) => isInUse(codes, digits) };
  const { key, capabilities, toleranceSeconds } = context;
  const verdict = verifyPin(pin, key, localTime(memory, context), used, { toleranceSeconds });
  if (verdict.window === undefined || !(verdict.accepted || verdict.reason === 'too_early')) return unknown;
  const wasUsed = isInUse(codes, pin);
  const room = wasUsed ? codes : makeRoom(codes, memory.time.clock, capabilities.codeCapacity ?? codeCapacity);
  if (room === undefined) return { forgetting: 'memory_full', memory };
  const ended = endCode(room, pin, verdict.window, toleranceSeconds * 1000);
  const shut = wasUsed && codeKinds[verdict.code.kind].keepsOpen ? endPassage(memory) : memory;
  return {
    forgetting: 'forgotten',
    memory: logNow({ ...shut, codes: ended }, { logType: logTypes.pinDeleted, pin }),
  };
}
