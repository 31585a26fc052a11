import fc from 'fast-check';
import { test } from 'vitest';
import { anyPlan } from './any-plan.ts';
import { opensInsideItsWindowOnly } from './opens-inside-only.ts';

test('12,000 codes open from the first to the last second of their windows', () => {
  fc.assert(fc.property(anyPlan(), opensInsideItsWindowOnly), { numRuns: 12_000 });
});
