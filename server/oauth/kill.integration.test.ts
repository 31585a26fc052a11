import { expect, test } from 'vitest';
import { survivesKills } from './fixtures/survive-kills.ts';

test('logins survive kill -9: what was answered holds, what was not has happened in whole or not at all', async () => {
  expect((await survivesKills(5)).acknowledged).toBeGreaterThanOrEqual(5);
});
