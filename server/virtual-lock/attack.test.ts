import { expect, test } from 'vitest';
import { countGuesses } from './fixtures/count-guesses.ts';
import { simulateAttack } from './fixtures/simulate-attack.ts';

const nothing = () => '000000000';

test('a real lock accepts as many guesses as the rules alone, with or without right entries of guests', () => {
  const month = { locks: 1, days: 30, guesser: 'steady', guess: nothing, customPins: 0, seed: 1 } as const;
  const { guesses, opened, guestEntries, shutOut } = simulateAttack(month);
  expect(guesses).toBeLessThanOrEqual(countGuesses(30 * 86_400_000, 11));
  expect(guesses).toBeGreaterThan(countGuesses(30 * 86_400_000, 11) - 15);
  expect({ opened, guestEntries }).toEqual({ opened: 0, guestEntries: 300 });
  expect(shutOut).toBeGreaterThan(290);
});

test('guests alone, who mistype 3 of 100 codes, are not shut out', () => {
  const month = { locks: 1, days: 30, guesser: 'none', guess: nothing, customPins: 0, seed: 1 } as const;
  expect(simulateAttack(month)).toMatchObject({ guesses: 0, guestEntries: 300, shutOut: 0, lockouts: 0 });
});
