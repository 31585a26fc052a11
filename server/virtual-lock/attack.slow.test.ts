import { expect, test } from 'vitest';
import { attacks } from './fixtures/attacks.ts';
import { confidenceInterval, lockoutPage, measuredRow } from './fixtures/lockout-page.ts';
import { simulateAttack } from './fixtures/simulate-attack.ts';

// If these fail, docs/lockout.md reports figures that were not measured. The seed is that of the page.

test.each(Object.entries(attacks))('%s has the result in docs/lockout.md', (name, attack) => {
  const counts = simulateAttack(attack);
  expect(lockoutPage).toContain(measuredRow(name, attack, counts));
  if (name === 'codes, one day without pause') {
    expect(confidenceInterval(counts.locksOpened, attack.locks)[1]).toBeLessThan(0.005);
  }
});
