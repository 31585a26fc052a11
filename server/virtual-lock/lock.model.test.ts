import { describe, expect, test } from 'vitest';
import { testLaw } from '../fixtures/test-law.ts';
import { isNothingNow, knownCodes } from './fixtures/known-codes.ts';
import { livesAlike } from './fixtures/model-law.ts';

describe('a lock, in random lives,', () => {
  const counts = { few: 40, many: 150 };

  testLaw('does what the obvious lock does while its clock runs forward', counts, (lives) => {
    const { opened, lockedOut } = livesAlike(false, lives);
    // Otherwise the test would check locks without events.
    expect(opened).toBeGreaterThan(lives / 6);
    expect(lockedOut).toBeGreaterThan(lives / 20);
  });

  testLaw('never opens if a lock with a perfect memory refuses, when its clock is turned back', counts, (lives) => {
    const { opened, wentBack } = livesAlike(true, lives);
    expect(opened).toBeGreaterThan(lives / 6);
    expect(wentBack).toBeGreaterThan(lives / 3);
  });

  for (const back of [false, true])
    testLaw(
      `with three places for codes does the same, or reports that it is full (back: ${back})`,
      counts,
      (lives) => {
        expect(livesAlike(back, lives, 3).opened).toBeGreaterThan(lives / 6);
      },
    );
});

test('the digits under test open nothing under the key of the other pairing', () => {
  for (const { pin, generation } of knownCodes) expect(isNothingNow(pin, 3 - generation), pin).toBe(true);
});
