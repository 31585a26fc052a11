import { expect, test } from 'vitest';
import { livesAlike } from './fixtures/model-law.ts';

test.each([
  { back: false, places: undefined },
  { back: true, places: undefined },
  { back: false, places: 3 },
  { back: true, places: 3 },
])('3,000 random lives, clock turned back: $back, places for codes: $places', ({ back, places }) => {
  expect(livesAlike(back, 3000, places).opened).toBeGreaterThan(1000);
});
