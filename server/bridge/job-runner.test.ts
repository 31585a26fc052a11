import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type JobFixture, openJobFixture } from '../operations/jobs/fixtures/job-fixture.ts';
import type { Store } from '../store/store.ts';
import { createJobDataSeal } from './job-data.ts';
import { createJobRunner } from './job-runner.ts';
import type { BridgeJob, Progress } from './link.ts';

// The job machine with a link that the test controls, and a store that fails at times.

const front = 'LK2A00000001';
const keypad = 'KP1A00000002';
const done: Progress = { kind: 'done', report: { result: 0, output: {}, items: [], batteryLevel: null } };

let fixture: JobFixture;
/** Number of failures by the name of the write. */
let failing: Map<string, number>;

beforeEach(async () => {
  failing = new Map();
  fixture = await openJobFixture({ faulty: failAtTimes });
});
afterEach(() => fixture.close());

function failAtTimes(store: Store): Store {
  const guard = <Args extends unknown[], Result>(name: string, write: (...args: Args) => Promise<Result>) => {
    return async (...args: Args): Promise<Result> => {
      const left = failing.get(name) ?? 0;
      failing.set(name, left - 1);
      if (left > 0) throw new Error(`${name} failed`);
      return write(...args);
    };
  };
  const { jobs, lockMemories } = store;
  return {
    ...store,
    jobs: {
      ...jobs,
      settle: guard('settle', jobs.settle),
      markDelivered: guard('markDelivered', jobs.markDelivered),
    },
    lockMemories: { ...lockMemories, save: guard('save', lockMemories.save) },
  };
}

/** A runner whose link delivers jobs to the test. */
function answerBy(deliver: (job: BridgeJob) => Progress) {
  const delivered: string[] = [];
  const runner = fixture.current().makeRunner({
    deliver: async (job) => {
      delivered.push(job.jobId);
      return deliver(job);
    },
  });
  return { runner, delivered };
}

describe('what is due', () => {
  test('is nothing without jobs, and nothing while only the link can report progress', async () => {
    expect(await fixture.current().runner.tick()).toBeNull();
    await fixture.make(front, 'UNLOCK');
    const { runner } = answerBy(() => ({ kind: 'under_way', isDelivered: true, askAgainAt: null }));
    expect(await runner.tick()).toBeNull();
  });

  test('is the earliest time of any job', async () => {
    await fixture.make(front, 'UNLOCK');
    await fixture.make(keypad, 'GET_BATTERY_LEVEL');
    const { runner } = answerBy(({ deviceId }) => ({
      kind: 'under_way',
      isDelivered: false,
      askAgainAt: fixture.clock.at + (deviceId === front ? 700 : 300),
    }));
    expect(await runner.tick()).toBe(fixture.clock.at + 300);
  });
});

describe('a job that fails', () => {
  test('delays no other device, is logged without its data, and tried again until it expires', async () => {
    const poison = await fixture.make(front, 'CREATE_PIN', { accessName: 'Cleaner', pin: '739154', pinType: 2 });
    const other = await fixture.make(keypad, 'GET_BATTERY_LEVEL');
    const { runner, delivered } = answerBy(({ deviceId }) => {
      if (deviceId === front) throw new Error('the network is down');
      return done;
    });
    const pauses: number[] = [];
    for (let due = await runner.tick(); due !== null && pauses.length < 12; due = await runner.tick()) {
      pauses.push(due - fixture.clock.at);
      fixture.clock.at = due;
    }
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000, 15_000, 15_000, 15_000, 15_000, 15_000]);
    expect((await fixture.read(other)).status).toBe('succeeded');
    expect((await fixture.read(poison)).status).toBe('expired');
    expect(delivered.filter((jobId) => jobId === other)).toHaveLength(1);
    expect(fixture.logged[0]?.fields).toMatchObject({
      jobId: poison,
      jobType: 'CREATE_PIN',
      deviceId: front,
      tries: 1,
    });
    expect(JSON.stringify(fixture.logged)).not.toMatch(/739154|Cleaner/);
  });

  test('is not overtaken on its device, however often it fails: an expired job is better than a PIN that stays', async () => {
    const first = await fixture.make(front, 'CREATE_PIN', { accessName: 'A', pin: '1111', pinType: 2 });
    fixture.clock.at += 60_000;
    const second = await fixture.make(front, 'DELETE_PIN', { pin: '1111' });
    const { runner, delivered } = answerBy(({ jobId }) => {
      if (jobId === first) throw new Error('the network is down');
      return done;
    });
    for (let due = await runner.tick(); due !== null; due = await runner.tick()) {
      if ((await fixture.read(first)).status !== 'expired') expect(delivered).not.toContain(second);
      fixture.clock.at = due;
    }
    expect(delivered.length).toBeGreaterThan(6);
    expect((await fixture.read(first)).status).toBe('expired');
    expect((await fixture.read(second)).status).toBe('succeeded');
  });

  test.each([7000, 9500, 11_000, 17_000])(
    'for %d ms, since no memory can be saved, leaves no PIN that was deleted',
    async (ms) => {
      const created = await fixture.make(front, 'CREATE_PIN', { accessName: 'A', pin: '1111', pinType: 2 });
      await fixture.pass(1500);
      const deleted = await fixture.make(front, 'DELETE_PIN', { pin: '1111' });
      failing.set('save', Number.POSITIVE_INFINITY);
      await fixture.pass(ms);
      failing.clear();
      await fixture.pass(20_000);
      for (const jobId of [created, deleted])
        expect(await fixture.read(jobId)).toMatchObject({
          status: 'succeeded',
          jobResponse: { opResult: { result: 0 } },
        });
      expect(
        await fixture.current().locks.use(await fixture.device(front), (lock) => lock.enter('1111')),
      ).toMatchObject({
        opened: false,
      });
    },
  );

  test('delays no job once it is under way', async () => {
    const [first, second] = [await fixture.make(front, 'UNLOCK'), await fixture.make(front, 'LOCK')];
    let isDown = true;
    const { runner, delivered } = answerBy(() => {
      if (isDown) throw new Error('the network is down');
      return { kind: 'under_way', isDelivered: true, askAgainAt: null };
    });
    await runner.tick();
    isDown = false;
    fixture.clock.at += 1000;
    await runner.tick();
    expect(delivered).toEqual([first, first, second]);
    // Only consecutive failures are counted.
    isDown = true;
    await runner.tick();
    expect(fixture.logged.map(({ fields }) => fields)).toMatchObject([{ tries: 1 }, { jobId: first, tries: 1 }]);
  });

  test.each(['settle', 'save', 'markDelivered'])('since %s failed, is nevertheless done once', async (write) => {
    failing.set(write, 2);
    const jobId = await fixture.make(front, 'CREATE_PIN', { accessName: 'A', pin: '1111', pinType: 2 });
    await fixture.pass(10_000);
    expect(fixture.logged).toHaveLength(2);
    expect(await fixture.read(jobId)).toMatchObject({ status: 'succeeded', jobResponse: { opResult: { result: 0 } } });
    expect(await fixture.activity(front)).toMatchObject([{ type: 'PIN_CREATED', accessName: 'A' }]);
  });

  test('since its data was sealed under another key file, expires', async () => {
    const jobId = await fixture.make(front, 'UNLOCK');
    const { store, clock } = fixture;
    const jobData = createJobDataSeal(Buffer.alloc(32, 9), randomBytes);
    const { link, settle } = fixture.current();
    const logged: object[] = [];
    const logger = { error: (fields: object) => void logged.push(fields) };
    const runner = createJobRunner({ store, clock, link, settle, jobData, logger });
    await runner.tick();
    expect(logged).toMatchObject([{ jobId, err: { message: expect.stringContaining("can't be opened") } }]);
    clock.at += 120_000;
    expect(await runner.tick()).toBeNull();
    expect((await fixture.read(jobId)).status).toBe('expired');
  });
});

describe('a clock that goes back', () => {
  const createPin = () => fixture.make(front, 'CREATE_PIN', { accessName: 'A', pin: '1111', pinType: 2 });
  const deletePin = () => fixture.make(front, 'DELETE_PIN', { pin: '1111' });
  const results = async (...jobIds: readonly string[]) => {
    const read = await Promise.all(jobIds.map(fixture.read));
    return read.map(({ status, jobResponse }) => `${status} ${jobResponse.opResult.result}`);
  };

  test.each([1, 10_000, 3_600_000])('by %d ms between two jobs of a device leaves them in order', async (ms) => {
    const created = await createPin();
    fixture.clock.at -= ms;
    const deleted = await deletePin();
    await fixture.pass(3001);
    expect(await results(created, deleted)).toEqual(['succeeded 0', 'succeeded 0']);
  });

  test('and has caught up by now, leaves them in order too', async () => {
    const created = await createPin();
    fixture.clock.at -= 10_000;
    const deleted = await deletePin();
    // Nothing ran meanwhile; by the clock the second job is due, the first is not.
    fixture.clock.at += 12_000;
    await fixture.pass(0);
    expect(await results(created, deleted)).toEqual(['delivered -1', 'queued -1']);
    await fixture.pass(3000);
    expect(await results(created, deleted)).toEqual(['succeeded 0', 'succeeded 0']);
  });

  test('to between two jobs of a device leaves them in order', async () => {
    const created = await createPin();
    fixture.clock.at += 3000;
    const deleted = await deletePin();
    fixture.clock.at -= 2000;
    await fixture.pass(1999);
    expect(await results(created, deleted)).toEqual(['delivered -1', 'queued -1']);
    await fixture.pass(1 + 3000);
    expect(await results(created, deleted)).toEqual(['succeeded 0', 'succeeded 0']);
  });

  test('delays no job for longer than the pause after its failure', async () => {
    failing.set('save', 1);
    const jobId = await createPin();
    await fixture.pass(3000);
    fixture.clock.at -= 3_600_000;
    await fixture.pass(0);
    expect(await results(jobId)).toEqual(['succeeded 0']);
  });
});

test('a job that expires while others are delivered is not delivered', async () => {
  await fixture.make(keypad, 'GET_BATTERY_LEVEL');
  const late = await fixture.make(front, 'UNLOCK');
  const { runner, delivered } = answerBy(() => {
    fixture.clock.at += 120_000;
    return { kind: 'under_way', isDelivered: true, askAgainAt: null };
  });
  await runner.tick();
  expect(delivered).toHaveLength(1);
  expect((await fixture.read(late)).status).toBe('expired');
});

test('a bridge that goes offline is checked until it is back', async () => {
  const jobId = await fixture.make(front, 'UNLOCK');
  const bridge = await fixture.device('BR1A00000001');
  await fixture.store.imports.write({ properties: [], devices: [{ ...bridge, online: false }] });
  await fixture.pass(60_000);
  expect((await fixture.read(jobId)).status).toBe('queued');
  await fixture.store.imports.write({ properties: [], devices: [bridge] });
  await fixture.pass(5000);
  expect((await fixture.read(jobId)).status).toBe('succeeded');
});
