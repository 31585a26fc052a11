import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fastestGuesses } from './fixtures/fastest-guesses.ts';
import { countWrongEntry, isLockedOut, type Lockout, lockoutLengthMs, noLockout, relaxLockout } from './lockout.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Wrong entries at these times; those during a lockout are not judged. */
function after(times: readonly number[]): Lockout {
  return times.reduce<Lockout>(
    (lockout, at) => (isLockedOut(lockout, at) ? lockout : countWrongEntry(lockout, at)),
    noLockout,
  );
}

const fiveAt = (at: number) => [at, at, at, at, at];

describe('a lockout', () => {
  test.each([
    { level: 1, minutes: 5 },
    { level: 2, minutes: 10 },
    { level: 3, minutes: 20 },
    { level: 8, minutes: 640 },
    { level: 9, minutes: 1280 },
    { level: 10, minutes: 1440 },
  ])('of level $level lasts $minutes minutes', ({ level, minutes }) => {
    expect(lockoutLengthMs(level)).toBe(minutes * minute);
  });

  test.each([
    {
      name: 'four wrong entries lock nothing',
      wrong: [0, 0, 0, 0],
      at: 0,
      want: { wrong: 4, level: 0, locked: false },
    },
    { name: 'the fifth locks', wrong: fiveAt(0), at: 0, want: { wrong: 0, level: 1, locked: true } },
    { name: 'its last millisecond', wrong: fiveAt(0), at: 5 * minute - 1, want: { wrong: 0, level: 1, locked: true } },
    { name: 'its end', wrong: fiveAt(0), at: 5 * minute, want: { wrong: 0, level: 1, locked: false } },
    {
      name: 'an entry during a lockout does not count',
      wrong: [...fiveAt(0), 1, 2, 3, 4, 5 * minute],
      at: 5 * minute,
      want: { wrong: 1, level: 1, locked: false },
    },
    {
      name: 'the next one is a level higher',
      wrong: [...fiveAt(0), ...fiveAt(5 * minute)],
      at: 15 * minute - 1,
      want: { wrong: 0, level: 2, locked: true },
    },
    { name: 'an hour forgives one', wrong: [0, 0, 0, 0], at: hour, want: { wrong: 3, level: 0, locked: false } },
    {
      name: 'a millisecond less does not',
      wrong: [0, 0, 0, 0],
      at: hour - 1,
      want: { wrong: 4, level: 0, locked: false },
    },
    {
      name: 'a later wrong entry does not put the hour off',
      wrong: [0, 30 * minute],
      at: hour,
      want: { wrong: 1, level: 0, locked: false },
    },
    {
      name: 'five in more than an hour lock nothing',
      wrong: [0, 1, 2, 3, hour],
      at: hour,
      want: { wrong: 4, level: 0, locked: false },
    },
    { name: 'four hours forgive four', wrong: [0, 0, 0, 0], at: 4 * hour, want: { wrong: 0, level: 0, locked: false } },
    {
      name: 'a level stays for 24 hours after the end of its lockout',
      wrong: fiveAt(0),
      at: day + 5 * minute - 1,
      want: { wrong: 0, level: 1, locked: false },
    },
    { name: 'and then is gone', wrong: fiveAt(0), at: day + 5 * minute, want: { wrong: 0, level: 0, locked: false } },
    {
      name: 'levels go one by one',
      wrong: [...fiveAt(0), ...fiveAt(5 * minute), ...fiveAt(15 * minute)],
      at: day + 35 * minute,
      want: { wrong: 0, level: 2, locked: false },
    },
    {
      name: 'a further lockout begins the 24 hours anew',
      wrong: [...fiveAt(0), ...fiveAt(23 * hour)],
      at: day + 5 * minute,
      want: { wrong: 0, level: 2, locked: false },
    },
  ])('$name', ({ wrong, at, want }) => {
    const lockout = relaxLockout(after(wrong), at);
    expect({ wrong: lockout.wrong, level: lockout.level, locked: isLockedOut(lockout, at) }).toEqual(want);
  });

  test('never rises above level 10, so that a day without a lockout always has an effect', () => {
    let lockout = noLockout;
    for (let at = 0, batch = 0; batch < 30; batch += 1, at = lockout.lockedUntil) {
      for (const time of fiveAt(at)) lockout = countWrongEntry(lockout, time);
    }
    expect(lockout.level).toBe(10);
    expect(relaxLockout(lockout, lockout.lockedUntil + day).level).toBe(9);
  });

  test('does not depend on how often the time is read in between', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(30 * hour), { maxLength: 40 }), fc.array(fc.nat(30 * hour)), (gaps, looks) => {
        const times = gaps.map((_, index) => gaps.slice(0, index + 1).reduce((sum, gap) => sum + gap, 0));
        const end = (times.at(-1) ?? 0) + hour;
        const events = [
          ...times.map((at) => ({ at, wrong: true })),
          ...looks.filter((at) => at <= end).map((at) => ({ at, wrong: false })),
        ];
        const looked = events
          .sort((a, b) => a.at - b.at || Number(a.wrong) - Number(b.wrong))
          .reduce<Lockout>((lockout, { at, wrong }) => {
            if (!wrong) return relaxLockout(lockout, at);
            return isLockedOut(lockout, at) ? lockout : countWrongEntry(lockout, at);
          }, noLockout);
        expect(relaxLockout(looked, end)).toMatchObject(pickJudged(relaxLockout(after(times), end)));
      }),
    );
  });
});

/** The members with a later effect. The start of an hour has none if no entry can be forgiven. */
function pickJudged({ wrong, wrongSince, level, lockedUntil, relaxedAt }: Lockout): Partial<Lockout> {
  return { wrong, level, lockedUntil, ...(wrong > 0 && { wrongSince }), ...(level > 0 && { relaxedAt }) };
}

describe('a guesser', () => {
  test('has at most 53 guesses in a day, however they wait in between', () => {
    expect(fastestGuesses(day)).toBe(53);
  });

  test('has at most 29 on the second day', () => {
    expect(fastestGuesses(2 * day)).toBe(53 + 29);
  });

  test('has at most 29 on each further day', { tags: ['full'] }, () => {
    expect(fastestGuesses(4 * day)).toBe(53 + 3 * 29);
  });

  test('has no more from any other state of the lock on', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5 * hour), { maxLength: 60 }), (gaps) => {
        const times = gaps.map((_, index) => gaps.slice(0, index + 1).reduce((sum, gap) => sum + gap, 0));
        expect(fastestGuesses(day, after(times), times.at(-1) ?? 0)).toBeLessThanOrEqual(53);
      }),
      { numRuns: 30 },
    );
  });
});
