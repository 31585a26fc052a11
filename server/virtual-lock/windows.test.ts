import fc from 'fast-check';
import { testLaw } from '../fixtures/test-law.ts';
import { anyVisit, opensThroughEnter } from './fixtures/window-law.ts';

testLaw(
  'codes of all zones open their lock inside their windows and never outside',
  { few: 80, many: 500 },
  (numRuns) => fc.assert(fc.property(anyVisit(), opensThroughEnter), { numRuns }),
);
