import fc from 'fast-check';
import { expect } from 'vitest';
import { deriveEntryId } from '../activity/read-log-item.ts';
import { testLaw } from '../fixtures/test-law.ts';
import { type JobFixture, openJobFixture, type ReadJob, readJobId } from '../operations/jobs/fixtures/job-fixture.ts';
import { createCrashFuse, storeFailure } from './fixtures/crash-fuse.ts';

// Compares the job machine with a model of its guarantees, with a process that dies between any two writes, a store that fails for a while,
// and a clock that goes back.

const devices = ['LK2A00000001', 'KP1A00000002', 'KP1A00000001'] as const;
const silent = 'KP1A00000001';
const life = 120_000;
/** The longest pause before a failed job is tried again. */
const longestPause = 15_000;
const forward = ['queued', 'delivered', 'succeeded', 'failed', 'expired'];

interface Made {
  readonly jobId: string;
  readonly deviceId: string;
  readonly jobType: string;
  readonly pin?: string | undefined;
  readonly createdAt: number;
  /** The clock was before its creation since. */
  wasAhead: boolean;
  last: ReadJob;
}

interface Model {
  readonly jobs: Made[];
  /** Whether the job machine has looked since the clock last moved. */
  hasTicked: boolean;
  /** Until then jobs can be late, since the store fails or has failed. */
  lateUntil: number;
}

interface Real {
  readonly fixture: JobFixture;
  readonly fuse: ReturnType<typeof createCrashFuse>;
}

/** Checks the invariants that hold at any time. */
async function check(model: Model, { fixture }: Real): Promise<void> {
  const now = fixture.clock.at;
  for (const job of model.jobs) {
    const read = await fixture.read(job.jobId);
    const age = now - job.createdAt;
    const before = job.last;
    expect(forward.indexOf(read.status), 'a status goes forward only').toBeGreaterThanOrEqual(
      forward.indexOf(before.status),
    );
    if (before.completed) expect(read, 'what has ended stays as it is').toEqual(before);
    if (age >= life) expect(read.completed, 'no job is stuck').toBe(true);
    if (age < 3000 && !job.wasAhead && !before.completed)
      expect(read.completed, 'no job is done before its time').toBe(false);
    const isDue = (age < 0 || age >= 3000) && !waits(job, model, now);
    if (model.hasTicked && now >= model.lateUntil && isDue && job.deviceId !== silent)
      expect(read.completed, 'no job is lost').toBe(true);
    if (job.deviceId === silent) expect(['queued', 'delivered', 'expired']).toContain(read.status);
    job.last = read;
  }
}

/** Whether an earlier job of the device is not due yet although this one is: the clock went back. */
function waits(job: Made, { jobs }: Model, now: number): boolean {
  const before = jobs.slice(0, jobs.indexOf(job)).filter(({ deviceId }) => deviceId === job.deviceId);
  return before.some(({ createdAt }) => createdAt <= now && now < createdAt + 3000);
}

/** Checks the results of a device's jobs, as if each was done once, in order of creation. */
function checkResults(jobs: readonly Made[]): void {
  const stored = new Set<string>();
  const unsure = new Set<string>();
  for (const { jobType, pin = '', last } of jobs) {
    const { result } = last.jobResponse.opResult;
    if (last.status === 'expired') unsure.add(pin);
    else if (jobType === 'CREATE_PIN' && !unsure.has(pin)) expect(result).toBe(stored.has(pin) ? 3 : 0);
    else if (jobType === 'DELETE_PIN' && !unsure.has(pin)) expect(result).toBe(stored.has(pin) ? 0 : 4);
    else if (pin === '') expect(result).toBe(0);
    if (jobType === 'CREATE_PIN') stored.add(pin);
    if (jobType === 'DELETE_PIN') stored.delete(pin);
  }
}

/** Checks that the service's log equals the lock's own: no entry is lost or doubled. */
async function checkLogs({ fixture }: Real): Promise<void> {
  for (const deviceId of devices.filter((name) => name !== silent)) {
    readJobId(await fixture.proxy(deviceId, { jobType: 'GET_ACTIVITY_LOGS' }));
    await fixture.pass(3000);
    const items = await fixture.current().locks.use(await fixture.device(deviceId), (lock) => lock.readLog());
    const entries = await fixture.activity(deviceId);
    expect(entries.map(({ id }) => id).sort()).toEqual(items.map(({ id }) => deriveEntryId(deviceId, id)).sort());
  }
}

abstract class Step implements fc.AsyncCommand<Model, Real> {
  abstract toString(): string;
  abstract act(model: Model, real: Real): Promise<void>;
  check(): boolean {
    return true;
  }
  async run(model: Model, real: Real): Promise<void> {
    await this.act(model, real);
    await check(model, real);
  }
}

class Create extends Step {
  readonly given: { readonly deviceId: string; readonly jobType: string; readonly pin: string };
  constructor(given: Create['given']) {
    super();
    this.given = given;
  }
  toString = () => `create ${this.given.jobType} ${this.given.pin} for ${this.given.deviceId}`;
  async act(model: Model, { fixture }: Real): Promise<void> {
    const { deviceId, jobType, pin } = this.given;
    const data = { CREATE_PIN: { accessName: 'A', pin, pinType: 2 }, DELETE_PIN: { pin } }[jobType];
    const answer = await fixture.proxy(deviceId, { jobType, ...(data && { jobData: data }) });
    if (answer.status === 429) return;
    if (deviceId !== 'LK2A00000001' && /LOCK$/.test(jobType)) return expect(answer.status).toBe(400);
    const jobId = readJobId(answer);
    const createdAt = fixture.clock.at;
    const last = await fixture.read(jobId);
    model.jobs.push({ jobId, deviceId, jobType, pin: data && pin, createdAt, wasAhead: false, last });
  }
}

class Pass extends Step {
  readonly ms: number;
  constructor(ms: number) {
    super();
    this.ms = ms;
  }
  toString = () => `pass ${this.ms} ms`;
  async act(model: Model, { fixture }: Real): Promise<void> {
    await fixture.pass(this.ms);
    model.hasTicked = true;
  }
}

class Sleep extends Step {
  readonly ms: number;
  constructor(ms: number) {
    super();
    this.ms = ms;
  }
  toString = () => `sleep ${this.ms} ms`;
  async act(model: Model, { fixture }: Real): Promise<void> {
    fixture.clock.at += this.ms;
    model.hasTicked = false;
  }
}

class Crash extends Step {
  readonly given: { readonly write: number; readonly when: 'before' | 'after'; readonly ms: number };
  constructor(given: Crash['given']) {
    super();
    this.given = given;
  }
  toString = () => `pass ${this.given.ms} ms and die ${this.given.when} write ${this.given.write}`;
  async act(model: Model, { fixture, fuse }: Real): Promise<void> {
    const { write, when, ms } = this.given;
    await Promise.race([fuse.arm(write, when), fixture.pass(ms)]);
    fuse.disarm();
    fixture.restart();
    model.hasTicked = false;
  }
}

class Fail extends Step {
  readonly ms: number;
  constructor(ms: number) {
    super();
    this.ms = ms;
  }
  toString = () => `the store fails for ${this.ms} ms from now on`;
  async act(model: Model, { fixture, fuse }: Real): Promise<void> {
    const until = fixture.clock.at + this.ms;
    fuse.failWhile(() => fixture.clock.at < until);
    model.lateUntil = Math.max(model.lateUntil, until + longestPause);
  }
}

class TurnBack extends Step {
  readonly ms: number;
  constructor(ms: number) {
    super();
    this.ms = ms;
  }
  toString = () => `the clock goes back by ${this.ms} ms`;
  async act(model: Model, { fixture, fuse }: Real): Promise<void> {
    // Jobs that have expired or are far ahead are marked within a minute.
    await purgeAll(fixture);
    fixture.clock.at -= this.ms;
    await purgeAll(fixture);
    const now = fixture.clock.at;
    for (const job of model.jobs) job.wasAhead ||= job.createdAt > now;
    model.hasTicked = false;
    model.lateUntil = Math.min(model.lateUntil, now + longestPause);
    fuse.failWhile(() => false);
  }
}

async function purgeAll({ store, clock }: JobFixture): Promise<void> {
  while ((await store.jobs.purge(clock.at, 100)) > 0);
}

class Type extends Step {
  readonly pin: string;
  constructor(pin: string) {
    super();
    this.pin = pin;
  }
  toString = () => `somebody types ${this.pin}`;
  async act(_: Model, { fixture }: Real): Promise<void> {
    const typed = fixture.current().locks.use(await fixture.device('LK2A00000001'), (lock) => lock.enter(this.pin));
    // A lock whose memory can't be saved does nothing.
    await typed.catch(({ message }) => expect(message).toBe(storeFailure));
  }
}

/** Stores and deletes a PIN while something fails, which random steps rarely do. */
class Churn extends Step {
  readonly given: { readonly pin: string; readonly gap: number; readonly failMs: number; readonly backMs: number };
  constructor(given: Churn['given']) {
    super();
    this.given = given;
  }
  toString = () => `churn ${JSON.stringify(this.given)}`;
  async act(model: Model, real: Real): Promise<void> {
    const { pin, gap, failMs, backMs } = this.given;
    const create = (jobType: string) => new Create({ deviceId: 'LK2A00000001', jobType, pin });
    const steps = [create('CREATE_PIN'), new Pass(gap), create('DELETE_PIN'), new Fail(failMs), new Pass(6000)];
    for (const step of [...steps, new TurnBack(backMs), new Pass(16_000)]) await step.run(model, real);
  }
}

const pin = fc.constantFrom('1111', '22222', '333333');
const jobType = fc.constantFrom('UNLOCK', 'LOCK', 'CREATE_PIN', 'CREATE_PIN', 'DELETE_PIN', 'GET_ACTIVITY_LOGS');
const wait = fc.constantFrom(0, 500, 1000, 2000, 3000, 40_000, 121_000);
const steps = [
  fc.record({ deviceId: fc.constantFrom(...devices), jobType, pin }).map((given) => new Create(given)),
  fc.record({ deviceId: fc.constantFrom(...devices), jobType, pin }).map((given) => new Create(given)),
  wait.map((ms) => new Pass(ms)),
  wait.map((ms) => new Sleep(ms)),
  fc
    .record({
      write: fc.integer({ min: 1, max: 6 }),
      when: fc.constantFrom('before' as const, 'after' as const),
      ms: wait,
    })
    .map((given) => new Crash(given)),
  pin.map((digits) => new Type(digits)),
  fc.constantFrom(500, 5000, 8000, 12_000, 17_000, 40_000, 130_000).map((ms) => new Fail(ms)),
  fc
    .record({
      pin,
      gap: fc.nat(2900),
      failMs: fc.constantFrom(4500, 7000, 9500),
      backMs: fc.constantFrom(0, 2000, 60_000),
    })
    .map((given) => new Churn(given)),
  fc.constantFrom(1, 900, 5000, 60_000, life, 3_600_000).map((ms) => new TurnBack(ms)),
];

const always =
  'a job runs once and in order, finishes and never hangs, also with crashes, failures and a clock set back';

testLaw(always, { few: 25, many: 100 }, (numRuns) =>
  fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: 40, size: '+1' }), async (commands) => {
      const fuse = createCrashFuse();
      const fixture = await openJobFixture({ faulty: fuse.wrap });
      const real = { fixture, fuse };
      const model: Model = { jobs: [], hasTicked: false, lateUntil: 0 };
      try {
        await fc.asyncModelRun(() => ({ model, real }), commands);
        fuse.failWhile(() => false);
        // Twice a lifetime, as the clock may have gone back by one.
        await new Pass(2 * life + 1000).run(model, real);
        for (const deviceId of devices) checkResults(model.jobs.filter((job) => job.deviceId === deviceId));
        await checkLogs(real);
        for (const { fields } of fixture.logged) expect(fields).toMatchObject({ err: { message: storeFailure } });
      } finally {
        await fixture.close();
      }
    }),
    { numRuns },
  ),
);
