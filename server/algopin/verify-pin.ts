import type { Code, CodeWindow } from './code.ts';
import { fromIndex } from './codec/code-index.ts';
import { pinCodec } from './codec/pin-codec.ts';
import { codeKinds } from './kinds.ts';
import { isBefore } from './local-clock/is-before.ts';
import { windowOf } from './window-of.ts';

/** The codes that have opened this lock before. */
export interface UsedCodes {
  has(pin: string): boolean;
}

export interface VerifySettings {
  /** The error that the lock's clock may have. Every bound moves outwards by it. */
  readonly toleranceSeconds: number;
}

export type Verdict =
  | { readonly accepted: true; readonly code: Code; readonly window: CodeWindow; readonly isFirstUse: boolean }
  | {
      readonly accepted: false;
      readonly reason: 'malformed' | 'unknown';
      readonly code?: undefined;
      readonly window?: undefined;
    }
  | {
      readonly accepted: false;
      readonly reason: Exclude<Refusal, 'malformed' | 'unknown'>;
      readonly code: Code;
      readonly window: CodeWindow;
    };

/**
 * malformed: not nine digits, or the first is 0. unknown: the digits of no code. too_early, expired: outside the window.
 * lapsed: not used in its first 24 hours. spent: a one-time code that was used.
 */
export type Refusal = 'malformed' | 'unknown' | 'too_early' | 'expired' | 'lapsed' | 'spent';

const exact: VerifySettings = { toleranceSeconds: 0 };

/**
 * Judges a code as a lock does, offline: one decryption, no list of candidates.
 *
 * @param pin the digits that were typed
 * @param deviceKey 32 bytes from `deriveDeviceKey`
 * @param now the lock's clock, in the zone of its property
 * @param used never changed: the caller that opens the door remembers the code
 * @returns a wrong code is not an error; `code` and `window` are present if the digits are those of a code
 * @throws RangeError when the key is not 32 bytes: a bug of the caller
 * @see docs/algopin.md, "Judging an entry"; NIST SP 800-38G, algorithm 8
 */
export function verifyPin(
  pin: string,
  deviceKey: Uint8Array,
  now: Temporal.ZonedDateTime,
  used: UsedCodes,
  { toleranceSeconds }: VerifySettings = exact,
): Verdict {
  const index = pinCodec(deviceKey).decode(pin);
  if (index === undefined) return { accepted: false, reason: 'malformed' };
  const code = fromIndex(index, now);
  if (code === undefined) return { accepted: false, reason: 'unknown' };
  const window = windowOf(code, now.timeZoneId);
  const earliest = now.subtract({ seconds: toleranceSeconds });
  const latest = now.add({ seconds: toleranceSeconds });
  const isFirstUse = !used.has(pin);
  if (isBefore(latest, window.start)) return { accepted: false, reason: 'too_early', code, window };
  if (window.end !== null && !isBefore(earliest, window.end))
    return { accepted: false, reason: 'expired', code, window };
  if (isFirstUse && !isBefore(earliest, window.activateBy)) return { accepted: false, reason: 'lapsed', code, window };
  if (!isFirstUse && codeKinds[code.kind].isSpentByUse) return { accepted: false, reason: 'spent', code, window };
  return { accepted: true, code, window, isFirstUse };
}
