import { defineConfig } from 'vitest/config';
import { chooseSeed } from './test/choose-seed.ts';

const { seed, isNew } = chooseSeed(process.env, Math.random);
if (isNew) process.stderr.write(`Random tests run from the seed ${seed}. The same again: FC_SEED=${seed}\n`);

// The tests of a new project, and those of the examples, run by runners of their own.
const ignored = ['**/node_modules/**', '**/dist/**', '**/fixtures/**', 'cli/project/**', 'mock/examples/**'];
const everywhere = {
  env: { FC_SEED: String(seed) },
  setupFiles: ['./test/seed-random.ts'],
  // It ends what hangs. A law of some hundred cases takes two seconds on a quiet machine, ten times as long on a busy one.
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

/**
 * unit: no port, no other process. integration: real HTTP, child processes, a browser.
 * slow: the large counts, bounded at 60 minutes, run by `npm run test:slow` alone.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...everywhere,
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [...ignored, '**/*.integration.test.ts', '**/*.slow.test.ts'],
        },
      },
      {
        test: {
          ...everywhere,
          name: 'integration',
          include: ['**/*.integration.test.ts'],
          exclude: ignored,
        },
      },
      {
        test: {
          ...everywhere,
          name: 'slow',
          include: ['**/*.slow.test.ts'],
          exclude: ignored,
          testTimeout: 3_600_000,
        },
      },
    ],
  },
});
