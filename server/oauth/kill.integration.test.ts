import { expect } from 'vitest';
import { testLaw } from '../fixtures/test-law.ts';
import { survivesKills } from './fixtures/survive-kills.ts';

const law = 'logins survive kill -9: answered requests last, others have happened completely or not at all';

testLaw(law, { few: 1, many: 5 }, async (kills) => {
  expect((await survivesKills(kills)).acknowledged).toBeGreaterThanOrEqual(kills);
});
