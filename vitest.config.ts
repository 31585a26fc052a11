import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { chooseSeed } from './test/choose-seed.ts';
import { PrintSlowest } from './test/print-slowest.ts';

const { seed, isNew } = chooseSeed(process.env, Math.random);
if (isNew) process.stderr.write(`Random tests use the seed ${seed}. To repeat them: FC_SEED=${seed}\n`);

// Processes of tests compile the same sources. With this cache, `npm start` takes 1.6 s of processor time instead of 2.4 s.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

// Tests of a new project and of the examples, which have other test runners.
const ignored = ['**/node_modules/**', '**/dist/**', '**/fixtures/**', 'cli/project/**', 'mock/examples/**'];
const everywhere = {
  // A run under test must not annotate the job that runs the tests.
  env: { FC_SEED: String(seed), GITHUB_ACTIONS: '' },
  setupFiles: ['./test/seed-random.ts'],
  // Files share the modules of their worker, and Node itself loads them. This halves the processor time of the unit tests.
  isolate: false,
  experimental: { viteModuleRunner: false },
  // Limits for tests that hang. Two cores that other programs use have taken five times as long as quiet ones.
  expect: { poll: { timeout: 20_000 } },
  testTimeout: 120_000,
  hookTimeout: 120_000,
};
const named = (lane: string) => `**/*.${lane}.test.ts`;
const unit = { include: ['**/!(*.integration|*.browser|*.slow).test.ts'], exclude: ignored };

/** The tests whose answers come from a store, for both PostgreSQL projects. */
const answers = {
  include: [
    'server/{demo,http,oauth,operations}/**/*.integration.test.ts',
    'server/operations/devices/!(paging*).test.ts', // which opens hundreds of stores
    'test/{code-samples,conformance,cross-origin,field-examples,get-token,login-by-libraries}.integration.test.ts',
    'test/{partner-program,same-answers,sandbox-differences,scopes,unread-requests}.integration.test.ts',
  ],
  exclude: [
    ...ignored,
    // Without a store: limits of a listener, and checks before any handler.
    'server/http/{account-quota,check-response,differential-validation,listen,mount-service}.integration.test.ts',
    // About SQLite files, and processes that share one.
    'server/oauth/{kill,several-processes}.integration.test.ts',
    // About the start of the demo, on either database.
    'server/demo/start-demo.integration.test.ts',
  ],
};

// The report has the name of the running script, such as test-full.json. CI sums up the reports.
const outputFile = `dist/ci/${process.env.npm_lifecycle_event?.replace(':', '-') ?? 'vitest'}.json`;
const reports: ['json', { outputFile: string }][] = process.env.CI ? [['json', { outputFile }]] : [];

/**
 * The lanes, each with its reason in CONTRIBUTING.md:
 * unit: no port, no other process. integration: real HTTP, child processes. browser: real pages in one real browser.
 * In these three, a test tagged `full` is left to `npm run test:full`.
 * postgres: the tests of answers again, on a PostgreSQL server. postgres-three: against three processes that take turns. node26: tests that depend on Node itself, for the active LTS line. slow: the large counts, up to an hour.
 */
export default defineConfig({
  test: {
    reporters: ['default', new PrintSlowest(), ...reports],
    // One worker for each of two cores.
    maxWorkers: 2,
    tags: [
      // Ten times the rows or runs of the same test in the other lane.
      {
        name: 'full',
        timeout: 300_000,
        description: 'need not run at every change: matrices, kills by the dozen, installs',
      },
    ],
    projects: [
      { test: { ...everywhere, ...unit, name: 'unit' } },
      {
        test: {
          ...everywhere,
          name: 'integration',
          include: [named('integration')],
          exclude: ignored,
          globalSetup: './test/share-postgres.ts',
        },
      },
      ...[
        { name: 'postgres', processes: 1, without: [] },
        // Handlers and stores alone, without a service.
        { name: 'postgres-three', processes: 3, without: ['server/{demo,operations/{activity,devices,jobs}}/**'] },
      ].map(({ name, processes, without }) => ({
        test: {
          ...everywhere,
          name,
          env: { ...everywhere.env, LOCKSTEP_TEST_ENGINE: 'postgres', LOCKSTEP_TEST_PROCESSES: String(processes) },
          include: answers.include,
          exclude: [...answers.exclude, ...without],
          globalSetup: './test/share-postgres.ts',
        },
      })),
      {
        test: {
          ...everywhere,
          name: 'browser',
          include: [named('browser')],
          exclude: ignored,
          globalSetup: './test/share-browser.ts',
        },
      },
      {
        test: {
          ...everywhere,
          name: 'node26',
          include: [
            ...unit.include,
            'test/start.integration.test.ts',
            'server/timezone-data.integration.test.ts',
            'server/store/sqlite/**/*.integration.test.ts',
          ],
          exclude: ignored,
        },
      },
      {
        test: {
          ...everywhere,
          name: 'slow',
          // Some tests measure the memory of their process.
          isolate: true,
          include: [named('slow')],
          exclude: ignored,
          globalSetup: './test/share-postgres.ts',
          testTimeout: 3_600_000,
        },
      },
    ],
  },
});
