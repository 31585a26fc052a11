import { defineConfig } from 'vitest/config';

const ignored = ['**/node_modules/**', '**/dist/**', '**/fixtures/**'];

/**
 * unit: pure, no port, no process. integration: real HTTP, child processes, a browser.
 * slow: the large counts, bounded at 60 minutes, run by `npm run test:slow` alone.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [...ignored, '**/*.integration.test.ts', '**/*.slow.test.ts'],
        },
      },
      {
        test: {
          name: 'integration',
          include: ['**/*.integration.test.ts'],
          exclude: ignored,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'slow',
          include: ['**/*.slow.test.ts'],
          exclude: ignored,
          testTimeout: 3_600_000,
        },
      },
    ],
  },
});
