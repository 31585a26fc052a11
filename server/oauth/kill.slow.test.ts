import { expect, test } from 'vitest';
import { survivesKills } from './fixtures/survive-kills.ts';

test('logins survive fifty times kill -9, at every step', async () => {
  const figures = await survivesKills(50);
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  expect(Object.values(figures.cutAt).every((count) => count > 0)).toBe(true);
});
