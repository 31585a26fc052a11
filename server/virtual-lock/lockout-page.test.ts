import { describe, expect, test } from 'vitest';
import { type CodeKind, codeKinds, type KindOfCode } from '../algopin/kinds.ts';
import vectors from '../algopin/vectors.json' with { type: 'json' };
import { windowOf } from '../algopin/window-of.ts';
import { Temporal } from '../temporal.ts';
import { countGuesses } from './fixtures/count-guesses.ts';
import { fastestGuesses } from './fixtures/fastest-guesses.ts';
import { lockoutPage, percent } from './fixtures/lockout-page.ts';
import { lockoutRules } from './lockout.ts';

// If these fail, docs/lockout.md is wrong about the lock.

const dayMs = 86_400_000;
const codes = 900_000_000;

/** Number of codes that a lock accepts for a first use at this time, over every kind, start, length and variance. */
function countAcceptable(now: Temporal.Instant): number {
  let count = 0;
  for (const [kind, { shortest, longest, variances }] of Object.entries<KindOfCode>(codeKinds)) {
    for (let duration = shortest; duration <= longest; duration += 1) {
      for (let hours = 0; hours < 25; hours += 1) {
        const code = { kind: kind as CodeKind, startsAt: now.subtract({ hours }), duration, variance: 1 };
        if (now.epochMilliseconds < windowOf(code, 'UTC').activateBy.epochMilliseconds) count += variances;
      }
    }
  }
  return count;
}

/** The chance that one of `pins` numbers of 10,000 is among `tries` different ones. */
function hitsCustomPin(tries: number, pins: number): number {
  let missed = 1;
  for (let pin = 0; pin < pins; pin += 1) missed *= Math.max(0, 10_000 - tries - pin) / (10_000 - pin);
  return 1 - missed;
}

const acceptable = countAcceptable(Temporal.Instant.from('2026-06-01T10:00:00Z'));

describe('docs/lockout.md', () => {
  test('names the number of codes that a guess can hit', () => {
    expect(acceptable).toBe(73_932);
    expect(lockoutPage).toContain('73,932 of 900,000,000');
  });

  test.each([
    { name: 'one day without pause', guesses: countGuesses(dayMs, 11) },
    { name: 'one day, best timed', guesses: fastestGuesses(dayMs) },
    { name: 'a year without pause', guesses: countGuesses(365 * dayMs, 11) },
    { name: 'a year of patience', guesses: countGuesses(365 * dayMs, 1) },
  ])('gives the chances of $name', ({ name, guesses }) => {
    const chances = [1 - (1 - acceptable / codes) ** guesses, hitsCustomPin(guesses, 1), hitsCustomPin(guesses, 10)];
    expect(lockoutPage).toContain(`| ${[name, guesses.toLocaleString('en'), ...chances.map(percent)].join(' | ')} |`);
  });

  test('promises less than 0.5 % a day, and the best timed day keeps it', () => {
    expect(1 - (1 - acceptable / codes) ** fastestGuesses(dayMs)).toBeLessThan(0.005);
    expect(lockoutPage).toContain('under 0.5 % a day');
  });

  test('counts the hour as the first of the vectors does, row by row', () => {
    const time = (seconds: number) => `${Math.floor(seconds / 3600)}:${String((seconds / 60) % 60).padStart(2, '0')}`;
    const rows = vectors.lockouts[0]?.steps.map(
      ({ afterSeconds, do: happens, wrongEntries, level, lockedUntilSeconds }) =>
        `| ${time(afterSeconds)} | ${happens === 'look' ? '' : 'wrong entry'} | ${wrongEntries} | ${level} | ${lockedUntilSeconds === 0 ? '' : time(lockedUntilSeconds)} |`,
    );
    const lines = lockoutPage.split('\n');
    const first = lines.indexOf('| time | what happens | wrong entries | level | locked until |') + 2;
    expect(lines.slice(first, lines.indexOf('', first)).map((line) => line.replace(/ \([^|]*\)/, ''))).toEqual(rows);
  });

  test('states the rules of the lock', () => {
    expect(lockoutRules).toEqual({
      wrongEntries: 5,
      firstLockoutMs: 5 * 60_000,
      longestLockoutMs: dayMs,
      highestLevel: 10,
      forgiveMs: 3_600_000,
      relaxMs: dayMs,
    });
    for (const rule of ['fifth wrong entry', '5 minutes', '24 hours', 'one an hour', 'level 10']) {
      expect(lockoutPage).toContain(rule);
    }
  });
});
