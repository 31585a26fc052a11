import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testLaw } from '../../fixtures/test-law.ts';
import { planCode } from '../plan-code.ts';
import { anyPlan } from './any-plan.ts';
import { agreesWithReference, opensInsideItsWindowOnly } from './opens-inside-only.ts';

testLaw('codes open from the first to the last second of their windows', { few: 100, many: 500 }, (numRuns) =>
  fc.assert(fc.property(anyPlan(), opensInsideItsWindowOnly), { numRuns }),
);

testLaw('any digits at any time have the verdict that the reference has', { few: 100, many: 500 }, (numRuns) => {
  const anyPin = fc.integer({ min: 100_000_000, max: 999_999_999 }).map(String);
  fc.assert(fc.property(anyPlan(), anyPin, agreesWithReference), { numRuns });
});

test('random plans reach every kind, and windows in which clocks change both ways', () => {
  const windows = fc.sample(anyPlan(), 500).map(({ now, request }) => {
    const answer = planCode(request, now);
    if (answer.kind === 'fault') throw new Error(answer.fault.text);
    return { kind: request.kind, ...answer.window };
  });
  expect(new Set(windows.map(({ kind }) => kind)).size).toBe(5);
  const changes = windows.flatMap(({ start, end, activateBy }) => changesBetween(start, end ?? activateBy));
  expect(changes.filter((nanoseconds) => nanoseconds > 0).length).toBeGreaterThan(20);
  expect(changes.filter((nanoseconds) => nanoseconds < 0).length).toBeGreaterThan(20);
});

/** The size of each change of the clocks. */
function changesBetween(start: Temporal.ZonedDateTime, end: Temporal.ZonedDateTime): number[] {
  const next = start.getTimeZoneTransition('next');
  if (next === null || next.epochMilliseconds > end.epochMilliseconds) return [];
  return [next.offsetNanoseconds - start.offsetNanoseconds, ...changesBetween(next, end)];
}
