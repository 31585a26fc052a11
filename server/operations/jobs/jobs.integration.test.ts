import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../store/fixtures/test-database.ts';
import { StoreUnavailable } from '../../store/store.ts';
import { type Call, startJobApp } from './fixtures/job-app.ts';
import { type JobFixture, openJobFixture } from './fixtures/job-fixture.ts';

// The three job operations over HTTP, after validation and scopes.

let database: TestDatabase;
let fixture: JobFixture;
let app: Awaited<ReturnType<typeof startJobApp>>;

async function open(): Promise<void> {
  database = await createTestDatabase();
  fixture = await openJobFixture({ store: await database.open() });
  app = await startJobApp(fixture);
}

async function close(): Promise<void> {
  await app.close();
  await fixture.close();
  await database.remove();
}

const front = '/devices/LK2A00000001/jobs/bridges/BR1A00000001';
const silent = '/devices/KP1A00000001/jobs/bridges/BR1A00000001';
const offline = '/devices/LK2A00000004/jobs/bridges/BR1A00000002';
const target = '/devices/BR1A00000001/jobs';
const unlock = { jobType: 'UNLOCK' };
const status = { jobType: 'GET_DEVICE_STATUS' };
const id = '0123456789abcdef01234567';
const pin = { accessName: 'Cleaner', pin: '482913', pinType: 1 };

/** These digits outside of longer hexadecimal words: a log's times and random UUIDs contain any six digits now and then. */
const standsAlone = (digits: string): RegExp => new RegExp(`(?<![0-9a-f])${digits}(?![0-9a-f])`);
const lockOnly = 'only~lock-bridge-proxied-job';
const huge = JSON.stringify({ ...unlock, jobData: 'x'.repeat(70_000) });

interface Scenario {
  readonly name: string;
  readonly given: Call;
  /** Status, and `code` if the answer has one. */
  readonly want: readonly [number, string?];
  readonly says?: RegExp;
}

const scenarios: readonly Scenario[] = [
  { name: 'a proxied job', given: { path: front, body: unlock }, want: [200] },
  { name: 'its own scope alone', given: { path: front, token: lockOnly, body: { jobType: 'LOCK' } }, want: [200] },
  { name: 'its code as text', given: { path: front, body: { jobType: '2' } }, want: [200] },
  { name: 'its code as a number', given: { path: front, body: { jobType: 2 } }, want: [200] },
  { name: 'its code as 2.0', given: { path: front, body: '{"jobType":2.0}' }, want: [200] },
  { name: 'data as text', given: { path: front, body: { jobType: 4, jobData: JSON.stringify(pin) } }, want: [200] },
  { name: 'data as an object', given: { path: front, body: { jobType: 4, jobData: pin } }, want: [200] },
  { name: 'data as empty text', given: { path: front, body: { ...unlock, jobData: '' } }, want: [200] },
  { name: 'a PIN for a keypad', given: { path: silent, body: { jobType: 4, jobData: pin } }, want: [200] },
  { name: 'a targeted job', given: { path: target, body: status }, want: [200] },
  { name: 'a targeted job by its code', given: { path: target, body: { jobType: '10' } }, want: [200] },
  {
    name: 'a targeted job with its one scope',
    given: { path: target, token: 'only~get-device-status-bridge-proxied-job', body: status },
    want: [200],
  },

  // 400, validation
  {
    name: 'a job in lower case',
    given: { path: front, body: { jobType: 'unlock' } },
    want: [400, 'invalid_request'],
    says: /UNLOCK/,
  },
  { name: 'a code that there is not', given: { path: front, body: { jobType: 3 } }, want: [400, 'invalid_request'] },
  { name: 'no job', given: { path: front, body: {} }, want: [400, 'invalid_request'], says: /jobType/ },
  {
    name: 'a targeted job of another kind',
    given: { path: target, body: unlock },
    want: [400, 'invalid_request'],
    says: /GET_DEVICE_STATUS/,
  },
  {
    name: 'a targeted job with data',
    given: { path: target, body: { ...status, jobData: '' } },
    want: [400, 'invalid_request'],
    says: /jobData/,
  },
  {
    name: "another kind's data, as text",
    given: { path: front, body: { ...unlock, jobData: JSON.stringify(pin) } },
    want: [400, 'invalid_request'],
  },
  {
    name: "another kind's data, as an object",
    given: { path: front, body: { jobType: 5, jobData: pin } },
    want: [400, 'invalid_request'],
  },
  {
    name: 'no data for a PIN',
    given: { path: front, body: { jobType: 4, jobData: '' } },
    want: [400, 'invalid_request'],
  },
  {
    name: 'text that is no JSON',
    given: { path: front, body: { ...unlock, jobData: '{' } },
    want: [400, 'invalid_request'],
  },
  {
    name: 'JSON that is no object',
    given: { path: front, body: { ...unlock, jobData: '[]' } },
    want: [400, 'invalid_request'],
  },
  {
    name: 'both ways to name a PIN',
    given: { path: front, body: { jobType: 5, jobData: { pin: '482913', accessId: id } } },
    want: [400, 'invalid_request'],
  },
  {
    name: 'an end for a one-time PIN',
    given: { path: front, body: { jobType: 4, jobData: { ...pin, endDate: '2026-12-04T11:00:00Z' } } },
    want: [400, 'invalid_request'],
  },
  {
    name: 'a duration PIN without its end',
    given: { path: front, body: { jobType: 4, jobData: { ...pin, pinType: 4, startDate: '2026-12-04T11:00:00Z' } } },
    want: [400, 'invalid_request'],
  },
  {
    name: 'a key with a space',
    given: { path: front, headers: { 'Idempotency-Key': 'a b' }, body: unlock },
    want: [400, 'invalid_request'],
    says: /Idempotency-Key/,
  },
  { name: 'a query', given: { method: 'GET', path: `/jobs/${id}?verbose=1` }, want: [400, 'invalid_request'] },

  {
    name: 'a time that no clock shows',
    given: { path: front, body: { jobType: 15, jobData: { lockTime: '2026-11-20T24:59:00+01:00' } } },
    want: [400, 'invalid_request'],
    says: /jobData/,
  },
  {
    name: 'a PIN from a minute that no clock shows',
    given: { path: front, body: { jobType: 4, jobData: { ...pin, startDate: '2026-12-01T23:99:00+00:40' } } },
    want: [400, 'invalid_request'],
  },

  // 400, rules
  {
    name: 'LOCK for a keypad',
    given: { path: silent, body: { jobType: 'LOCK' } },
    want: [400, 'job_not_supported'],
  },
  {
    name: 'a bridge that has not got the device',
    given: { path: front.replace(/1$/, '2'), body: unlock },
    want: [400, 'not_linked'],
  },
  {
    name: 'a PIN that has ended',
    given: {
      path: front,
      body: {
        jobType: 4,
        jobData: { ...pin, pinType: 4, startDate: '2026-11-01T11:00:00Z', endDate: '2026-11-21T08:00:00Z' },
      },
    },
    want: [400, 'window_length'],
  },

  { name: 'no token', given: { path: front, token: null, body: unlock }, want: [401, 'token_missing'] },
  {
    name: 'no token for a status',
    given: { method: 'GET', path: `/jobs/${id}`, token: null },
    want: [401, 'token_missing'],
  },
  { name: 'an ended trial', given: { path: target, token: 'lapsed', body: status }, want: [402, 'trial_ended'] },
  {
    name: 'a token of another scope',
    given: { path: front, token: 'only~get-devices', body: unlock },
    want: [403, 'insufficient_scope'],
  },
  {
    name: "a token of another job's scope",
    given: { path: front, token: lockOnly, body: unlock },
    want: [403, 'insufficient_scope'],
    says: /serviceapi\/unlock-bridge-proxied-job/,
  },
  {
    name: "a token of another job's scope, the job by its number",
    given: { path: front, token: lockOnly, body: { jobType: 2 } },
    want: [403, 'insufficient_scope'],
  },
  {
    name: 'a targeted job, UNLOCK its scope',
    given: { path: target, token: 'only~unlock-bridge-proxied-job', body: status },
    want: [403, 'insufficient_scope'],
  },
  {
    name: 'a status without its scope',
    given: { method: 'GET', path: `/jobs/${id}`, token: lockOnly },
    want: [403, 'insufficient_scope'],
  },
  { name: 'a foreign device', given: { path: front, token: 'meadow', body: unlock }, want: [404, 'device_not_found'] },
  {
    name: 'a device of its own, a foreign bridge',
    given: { path: front.replace('BR1A', 'BR1B'), body: unlock },
    want: [404, 'bridge_not_found'],
  },
  { name: 'a foreign bridge', given: { path: target, token: 'meadow', body: status }, want: [404, 'bridge_not_found'] },
  { name: 'a malformed bridge', given: { path: '/devices/%00/jobs', body: status }, want: [404, 'bridge_not_found'] },
  { name: 'an unknown job', given: { method: 'GET', path: `/jobs/${id}` }, want: [404, 'job_not_found'] },
  { name: 'GET where jobs are made', given: { method: 'GET', path: target }, want: [405, 'method_not_allowed'] },
  { name: 'an offline bridge', given: { path: offline, body: unlock }, want: [406, 'bridge_offline'] },
  {
    name: 'an offline bridge itself',
    given: { path: '/devices/BR1A00000002/jobs', body: status },
    want: [406, 'bridge_offline'],
  },
  { name: 'a body that is too large', given: { path: front, body: huge }, want: [413, 'too_large'] },
  {
    name: 'a body of another type',
    given: { path: front, headers: { 'Content-Type': 'text/plain' }, body: 'UNLOCK' },
    want: [415, 'unsupported_media_type'],
  },
  { name: 'neither body nor type', given: { path: target }, want: [400, 'invalid_request'] },
  {
    name: 'a jobId of 12 characters',
    given: { method: 'GET', path: `/jobs/${id.slice(12)}` },
    want: [422, 'invalid_object_id'],
  },
  {
    name: 'a jobId of 23 characters',
    given: { method: 'GET', path: `/jobs/${id.slice(1)}` },
    want: [422, 'invalid_object_id'],
  },
  {
    name: 'a jobId of 25 characters',
    given: { method: 'GET', path: `/jobs/${id}0` },
    want: [422, 'invalid_object_id'],
  },
  {
    name: 'a jobId with another letter',
    given: { method: 'GET', path: `/jobs/${id.replace('a', 'g')}` },
    want: [422, 'invalid_object_id'],
  },

  // Of two faults the first one's.
  {
    name: 'a body that is wrong before a foreign device',
    given: { path: front, token: 'meadow', body: {} },
    want: [400, 'invalid_request'],
  },
  {
    name: 'the job’s scope before a foreign device',
    given: { path: '/devices/LK2B00000001/jobs/bridges/BR1B00000001', token: lockOnly, body: unlock },
    want: [403, 'insufficient_scope'],
  },
  {
    name: 'an unknown bridge before what a keypad can not do',
    given: { path: silent.replace(/1$/, '9'), body: unlock },
    want: [404, 'bridge_not_found'],
  },
  {
    name: 'rules before an offline bridge',
    given: {
      path: offline,
      body: {
        jobType: 4,
        jobData: { ...pin, pinType: 4, startDate: '2026-11-01T11:00:00Z', endDate: '2026-11-21T08:00:00Z' },
      },
    },
    want: [400, 'window_length'],
  },
];

describe('an answer to', () => {
  beforeAll(open);
  afterAll(close);
  test.each(scenarios)('$name is $want', async ({ given, want: [wanted, code], says }) => {
    const { status, body, text, headers } = await app.call(given);
    expect([status, body.code]).toEqual([wanted, code]);
    if (says !== undefined) expect(body.error ?? body.message).toMatch(says);
    expect(text).not.toMatch(standsAlone(pin.pin));
    expect(headers.get('cache-control')).toBe('no-store');
    expect(await fixture.unfinished()).toHaveLength(wanted === 200 ? 1 : 0);
    await fixture.pass(120_000);
  });

  test('what breaks the store is 500, and what passes is 503', async () => {
    const before = fixture.wakings();
    fixture.store.jobs.find = async () => {
      throw new Error('disk gone');
    };
    expect(await app.call({ method: 'GET', path: `/jobs/${id}` })).toMatchObject({
      status: 500,
      body: { code: 'internal' },
    });
    fixture.store.jobs.create = async () => {
      throw new StoreUnavailable('busy');
    };
    const busy = await app.call({ path: front, body: unlock });
    expect([busy.status, busy.body.code, busy.headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    expect(fixture.wakings()).toBe(before);
  });
});

describe('limits', () => {
  beforeEach(open);
  afterEach(close);

  test('over 20 connections at once a bridge accepts 3 targeted jobs of 20', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.call({ path: target, body: status })));
    const statuses = Map.groupBy(answers, (answer) => answer.status);
    expect([statuses.get(200)?.length, statuses.get(429)?.length]).toEqual([3, 17]);
    for (const { headers, body } of statuses.get(429) ?? []) {
      expect(body.code).toBe('bridge_rate');
      expect(headers.get('retry-after')).toBe('60');
    }
    await fixture.pass(59_999);
    expect((await app.call({ path: target, body: status })).headers.get('retry-after')).toBe('1');
    await fixture.pass(1);
    const later = await Promise.all(Array.from({ length: 20 }, () => app.call({ path: target, body: status })));
    expect(later.filter((answer) => answer.status === 200)).toHaveLength(3);
  });

  test('over 20 connections at once a bridge takes 20 jobs of 60', async () => {
    const burst = async () => {
      const answers = [];
      for (let made = 0; made < 3; made += 1) answers.push(await app.call({ path: silent, body: status }));
      return answers;
    };
    const answers = (await Promise.all(Array.from({ length: 20 }, burst))).flat();
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(20);
    expect(new Set(answers.flatMap(({ body }) => body.code ?? []))).toEqual(new Set(['queue_full']));
    expect(await fixture.unfinished()).toHaveLength(20);
  });

  test('one key over 20 connections at once makes one job', async () => {
    const headers = { 'Idempotency-Key': 'checkin-1' };
    const spellings = [unlock, { jobType: 2 }, { jobType: '2', jobData: '' }, { jobType: 'UNLOCK', jobData: {} }];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => app.call({ path: front, headers, body: spellings[at % spellings.length] })),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.jobId}`)).size).toBe(1);
    expect(answers.filter((answer) => answer.headers.get('idempotency-replayed') !== 'true')).toHaveLength(1);
    expect(await fixture.unfinished()).toHaveLength(1);
  });
});

describe('the lock behind it', () => {
  beforeEach(open);
  afterEach(close);

  test('UNLOCK unlocks the door, and shows once in the activity, however often the log is fetched', async () => {
    const { body } = await app.call({ path: front, body: unlock });
    await fixture.pass(3000);
    const { locks } = fixture.current();
    expect(await locks.use(await fixture.device('LK2A00000001'), (lock) => lock.state().lockState)).toBe('unlocked');
    for (let times = 0; times < 2; times += 1) {
      await app.call({ path: front, body: { jobType: 15, jobData: '{"lockTime":"2026-11-20T00:00:00+01:00"}' } });
      await fixture.pass(3000);
    }
    expect(await fixture.activity('LK2A00000001')).toMatchObject([{ type: 'UNLOCK', method: 'bridge' }]);
    const job = await app.call({ method: 'GET', path: `/jobs/${body.jobId.toUpperCase()}` });
    expect(job.body).toMatchObject({ jobId: body.jobId, status: 'succeeded' });
  });

  test('GET_BATTERY_LEVEL brings the device’s own up to date', async () => {
    const device = await fixture.device('LK2A00000001');
    await fixture.current().locks.use(device, (lock) => lock.setBatteryLevel(23));
    await app.call({ path: front, body: { jobType: 9 } });
    await fixture.pass(3000);
    expect(await fixture.device('LK2A00000001')).toMatchObject({ batteryLevel: 23, lastSyncAt: fixture.clock.at });
  });

  test('the digits of a custom PIN open the lock, and stand in no answer, log or file', async () => {
    const sent = '739154';
    const texts: string[] = [];
    const call = async (given: Call) => {
      const answer = await app.call(given);
      texts.push(answer.text);
      return answer;
    };
    const jobData = { accessName: 'Cleaner', pin: sent, pinType: 2 };
    const headers = { 'Idempotency-Key': 'k' };
    const created = await call({ path: front, headers, body: { jobType: 4, jobData: JSON.stringify(jobData) } });
    await call({ path: front, headers, body: { jobType: 5, jobData: { pin: sent } } });
    for (const wrong of [{ ...jobData, pinType: 4 }, { ...jobData, pin: `${sent}8` }, { pin: sent }, `{"pin":${sent}}`])
      expect((await call({ path: front, body: { jobType: 4, jobData: wrong } })).status).toBe(400);
    const searched = async () => {
      const stored = await database.readAll();
      expect(stored.includes('CREATE_PIN')).toBe(true); // it does look where jobs are
      expect(stored.includes(sent)).toBe(false);
      const told = [...texts, JSON.stringify([app.logged, fixture.logged])];
      expect(told.filter((text) => standsAlone(sent).test(text))).toEqual([]);
    };
    await searched(); // while it waits
    await fixture.pass(3000);
    await call({ path: front, body: { jobType: 4, jobData } }); // 3: it is there already
    await fixture.pass(3000);
    await call({ method: 'GET', path: `/jobs/${created.body.jobId}` });
    fixture.restart();
    const entry = await fixture.current().locks.use(await fixture.device('LK2A00000001'), (lock) => lock.enter(sent));
    expect(entry).toMatchObject({ opened: true });
    await call({ path: front, body: { jobType: 15 } });
    await fixture.pass(3000);
    expect(await fixture.activity('LK2A00000001')).toMatchObject([
      { type: 'PIN_CREATED', accessName: 'Cleaner' },
      { type: 'UNLOCK', method: 'pin', accessName: 'Cleaner' },
    ]);
    await searched();
  });
});
