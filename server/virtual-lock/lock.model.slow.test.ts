import { expect, test } from 'vitest';
import { livesAlike } from './fixtures/model-law.ts';

test.each([{ back: false }, { back: true }])('3,000 random lives, clock turned back: $back', ({ back }) => {
  expect(livesAlike(back, 3000).opened).toBeGreaterThan(1000);
});
