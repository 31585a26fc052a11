import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { chooseSeed } from './test/choose-seed.ts';
import { PrintSlowest } from './test/print-slowest.ts';

const { seed, isNew } = chooseSeed(process.env, Math.random);
if (isNew) process.stderr.write(`Random tests run from the seed ${seed}. The same again: FC_SEED=${seed}\n`);

// Every process that a test starts compiles the same sources: with what the first one left, `npm start` takes 1.6 s of processor time, not 2.4.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

// The tests of a new project, and those of the examples, run by runners of their own.
const ignored = ['**/node_modules/**', '**/dist/**', '**/fixtures/**', 'cli/project/**', 'mock/examples/**'];
const everywhere = {
  env: { FC_SEED: String(seed) },
  setupFiles: ['./test/seed-random.ts'],
  // Files share the modules of their worker, and Node itself loads them, as it does outside of tests: half the processor time of the unit tests.
  isolate: false,
  experimental: { viteModuleRunner: false },
};
const named = (name: string) => `**/*.${name}.test.ts`;

/**
 * The lanes, with their reasons in CONTRIBUTING.md:
 * unit: no port, no other process. integration: real HTTP, child processes. browser: real pages in one real browser.
 * slow: the large counts, bounded at 60 minutes, run by `npm run test:slow` alone.
 * In the first three, a test tagged `full` is left to `npm run test:full`.
 */
export default defineConfig({
  test: {
    reporters: ['default', new PrintSlowest()],
    // One worker for each of two cores: what a test waits for leaves its core to the other.
    maxWorkers: 2,
    tags: [{ name: 'full', description: 'need not run at every change: matrices, kills by the dozen, installs' }],
    projects: [
      {
        test: {
          ...everywhere,
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [...ignored, ...['integration', 'browser', 'slow'].map(named)],
          testTimeout: 15_000,
        },
      },
      {
        test: {
          ...everywhere,
          name: 'integration',
          include: [named('integration')],
          exclude: ignored,
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          ...everywhere,
          name: 'browser',
          include: [named('browser')],
          exclude: ignored,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...everywhere,
          name: 'slow',
          include: [named('slow')],
          exclude: ignored,
          testTimeout: 3_600_000,
        },
      },
    ],
  },
});
