import { expect, test } from 'vitest';
import { attacks } from './fixtures/attacks.ts';
import { confidenceInterval, lockoutPage, measuredRow } from './fixtures/lockout-page.ts';
import { simulateAttack } from './fixtures/simulate-attack.ts';

// If these fail, docs/lockout.md reports what nobody measured. Their seed is the page's own.

test.each(Object.entries(attacks))('%s comes out as docs/lockout.md says', (name, attack) => {
  const counts = simulateAttack(attack);
  expect(lockoutPage).toContain(measuredRow(name, attack, counts));
  if (name === 'codes, one day without pause') {
    expect(confidenceInterval(counts.locksOpened, attack.locks)[1]).toBeLessThan(0.005);
  }
});
