import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Temporal } from '../temporal.ts';
import type { Code } from './code.ts';
import { encodePin } from './encode-pin.ts';
import { anyPlan } from './laws/any-plan.ts';
import { planCode } from './plan-code.ts';
import { verifyPin } from './verify-pin.ts';

// The vectors and the laws test the bounds of windows; these tests cover the rest.

const key = Buffer.alloc(32, 'not a real key, for tests alone ');
const clock = (text: string) => Temporal.ZonedDateTime.from(`${text}[Europe/Berlin]`);
const code: Code = { kind: 'hourly', startsAt: clock('2026-12-01T15:00').toInstant(), duration: 48, variance: 2 };
const pin = encodePin(key, code);
const unused = new Set<string>();
const tolerant = { toleranceSeconds: 90 };

test('returns the code, its window and whether it is the first use', () => {
  const now = clock('2026-12-01T16:00');
  expect(verifyPin(pin, key, now, unused)).toMatchObject({
    accepted: true,
    isFirstUse: true,
    code: { kind: 'hourly', duration: 48, variance: 2 },
  });
  expect(verifyPin(pin, key, now, new Set([pin]))).toMatchObject({ accepted: true, isFirstUse: false });
  expect(verifyPin(pin, key, now, new Set(['100000000']))).toMatchObject({ accepted: true, isFirstUse: true });
});

test('changes none of its arguments', () => {
  const used = Object.freeze({ has: () => false });
  const before = Buffer.from(key);
  verifyPin(pin, key, clock('2026-12-01T16:00'), used);
  expect(key).toEqual(before);
});

describe('a tolerance of 90 seconds', () => {
  test.each([
    { at: '2026-12-01T14:58:29', isUsed: false, want: 'too_early' },
    { at: '2026-12-01T14:58:30', isUsed: false, want: 'accepted' },
    { at: '2026-12-02T15:01:29', isUsed: false, want: 'accepted' },
    { at: '2026-12-02T15:01:30', isUsed: false, want: 'lapsed' },
    { at: '2026-12-03T15:01:29', isUsed: true, want: 'accepted' },
    { at: '2026-12-03T15:01:30', isUsed: true, want: 'expired' },
  ])('moves the bounds outwards: $want at $at', ({ at, isUsed, want }) => {
    const verdict = verifyPin(pin, key, clock(at), new Set(isUsed ? [pin] : []), tolerant);
    expect(verdict.accepted ? 'accepted' : verdict.reason).toBe(want);
  });
});

test('a refusal contains the window if the code has one', () => {
  expect(verifyPin('0', key, clock('2026-12-01T16:00'), unused)).toEqual({ accepted: false, reason: 'malformed' });
  const late = verifyPin(pin, key, clock('2027-12-01T16:00'), unused);
  expect(late).toMatchObject({ accepted: false, reason: 'expired' });
  expect(late.window?.end?.equals(clock('2026-12-03T15:00'))).toBe(true);
});

test('a key of another length is a bug of the caller, whatever was typed', () => {
  expect(() => verifyPin('0', key.subarray(1), clock('2026-12-01T16:00'), unused)).toThrow(RangeError);
});

test('the digits of a request give its code again, but not under the key of another device', () => {
  fc.assert(
    fc.property(anyPlan(), ({ deviceKey, now, request }) => {
      const answer = planCode(request, now);
      if (answer.kind === 'fault') throw new Error(answer.fault.text);
      const digits = encodePin(deviceKey, answer.code);
      const verdict = verifyPin(digits, deviceKey, answer.window.start, unused);
      expect(verdict.accepted && toIndexed(verdict.code)).toEqual(toIndexed(answer.code));
      const foreign = verifyPin(digits, key, answer.window.start, unused);
      expect(foreign.accepted && toIndexed(foreign.code)).not.toEqual(toIndexed(answer.code));
    }),
  );
});

function toIndexed({ kind, startsAt, duration, variance }: Code) {
  return { kind, startsAt: String(startsAt), duration, variance };
}
