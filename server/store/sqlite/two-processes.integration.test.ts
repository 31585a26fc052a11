import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import type { Creation, IdempotencyKey, JobLimits } from '../jobs/job-store.ts';
import { addSite, makeJob, makeKey, proxied, type Site, start, targeted } from '../suite/job-records.ts';
import { openSqliteStore } from './open-store.ts';

// If these fail, two servers on one database accept twice as many jobs as one.

const folder = mkdtempSync(join(tmpdir(), 'lockstep-race-'));
const path = join(folder, 'service.sqlite');
afterAll(() => rmSync(folder, { recursive: true }));

const attempts = 30;

test.each<{ name: string; limits: JobLimits; withKey: boolean; created: number; refused: Creation['kind'] }>([
  { name: 'the rate of a bridge', limits: targeted, withKey: false, created: 3, refused: 'rate' },
  { name: 'its queue', limits: proxied, withKey: false, created: 20, refused: 'queue_full' },
  { name: 'one idempotency key', limits: proxied, withKey: true, created: 1, refused: 'replayed' },
])(
  'two processes that create jobs at once respect $name as one does',
  async ({ limits, withKey, created, refused }) => {
    const store = await openSqliteStore(path);
    const site = await addSite(store);
    await store.close();
    const key = withKey ? makeKey(site, 'raced') : null;
    const racers = ['a', 'b'].map((letter) => startRacer(site, limits, key, letter));
    await Promise.all(racers.map(({ ready }) => ready));
    const answers = (await Promise.all(racers.map(({ race }) => race()))).flat();
    expect(answers).toHaveLength(2 * attempts);
    expect(answers.filter(({ kind }) => kind === 'created')).toHaveLength(created);
    expect(answers.filter(({ kind }) => kind === refused)).toHaveLength(2 * attempts - created);
    const after = await openSqliteStore(path);
    const jobs = await after.jobs.list({ now: start, bridgeId: site.bridgeId, limit: 100 });
    expect(jobs).toHaveLength(created);
    for (const answer of answers) if (answer.kind === 'replayed') expect(answer.jobId).toBe(jobs[0]?.jobId);
    await after.close();
  },
);

/** Starts a process that opens the store, waits for the signal, and creates jobs as fast as it can; it retries a busy database. */
function startRacer(site: Site, limits: JobLimits, key: IdempotencyKey | null, letter: string) {
  const jobs = Array.from({ length: attempts }, (_, index) => {
    const jobId = `${letter}${index}`.padStart(12, '0') + site.accountId.slice(-8).padStart(12, '0');
    return { ...makeJob(site, { jobId }), sealedData: null };
  });
  const script = `const { openSqliteStore } = await import(${JSON.stringify(import.meta.resolve('./open-store.ts'))});
    const { path, jobs, limits, key } = JSON.parse(process.argv[1]);
    const store = await openSqliteStore(path);
    const create = (job) => store.jobs.create({ ...job, sealedData: Uint8Array.of(1) }, limits, key)
      .catch((error) => { if (error.name !== 'StoreUnavailable') throw error; return create(job); });
    console.log('ready');
    await new Promise((resolve) => process.stdin.once('end', resolve).resume());
    const answers = [];
    for (const job of jobs) answers.push(await create(job));
    await store.close();
    console.log(JSON.stringify(answers));`;
  const input = JSON.stringify({ path, jobs, limits, key });
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, input], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    ready: lines.next(),
    race: async (): Promise<readonly Creation[]> => {
      child.stdin.end();
      return JSON.parse((await lines.next()).value ?? '[]');
    },
  };
}
