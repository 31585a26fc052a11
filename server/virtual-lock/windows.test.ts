import fc from 'fast-check';
import { test } from 'vitest';
import { anyVisit, opensThroughEnter } from './fixtures/window-law.ts';

test('500 codes, in zones of all kinds, open their lock inside their windows and never outside', () => {
  fc.assert(fc.property(anyVisit(), opensThroughEnter), { numRuns: 500 });
});
