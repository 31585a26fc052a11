import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { harbourStays, meadowLodge } from '../../demo/demo-data.ts';
import { type JobFixture, openJobFixture, readJobId } from './fixtures/job-fixture.ts';

let fixture: JobFixture;
beforeEach(async () => {
  fixture = await openJobFixture();
});
afterEach(() => fixture.close());

const lock = 'LK2A00000001';
const bridge = 'BR1A00000001';
const unlock = { jobType: 'UNLOCK' };
const pin = { accessName: 'Cleaner', pin: '482913', pinType: 4 };
const meadow = { account: meadowLodge, client: 'meadow-own' };

function rejection(status: number, code: string, text: string, more: object = {}) {
  return { status, body: { code, [status === 404 ? 'message' : 'error']: text }, ...more };
}

const rejectedProxied = [
  { name: 'an unknown device', deviceId: 'LK9', want: rejection(404, 'device_not_found', 'not found device') },
  {
    name: "another account's device",
    deviceId: 'LK2B00000001',
    want: rejection(404, 'device_not_found', 'not found device'),
  },
  { name: 'a bridge as the device', deviceId: bridge, want: rejection(404, 'device_not_found', 'not found device') },
  {
    name: 'an unknown device before an unknown bridge',
    deviceId: 'LK9',
    bridgeId: 'BR9',
    want: rejection(404, 'device_not_found', 'not found device'),
  },
  { name: 'an unknown bridge', bridgeId: 'BR9', want: rejection(404, 'bridge_not_found', 'not found bridge') },
  {
    name: "another account's bridge",
    bridgeId: 'BR1B00000001',
    want: rejection(404, 'bridge_not_found', 'not found bridge'),
  },
  { name: 'a lock as the bridge', bridgeId: lock, want: rejection(404, 'bridge_not_found', 'not found bridge') },
  {
    name: 'an offline bridge, where the device is not linked to it',
    bridgeId: 'BR1A00000002',
    want: rejection(400, 'not_linked', `The device ${lock} is not linked to the bridge BR1A00000002, use ${bridge}`),
  },
  {
    name: 'a device that no bridge has',
    deviceId: 'LK2A00000003',
    want: rejection(
      400,
      'not_linked',
      `The device LK2A00000003 is not linked to the bridge ${bridge}, no bridge has it`,
    ),
  },
  {
    name: 'UNLOCK for a keypad, by its code',
    deviceId: 'KP1A00000002',
    body: { jobType: 2 },
    want: rejection(400, 'job_not_supported', 'jobType UNLOCK is not supported by the keypad KP1A00000002'),
  },
  {
    name: 'LOCK for a keypad that is not linked',
    deviceId: 'KP0A00000003',
    body: { jobType: 'LOCK' },
    want: rejection(400, 'job_not_supported', 'jobType LOCK is not supported by the keypad KP0A00000003'),
  },
  {
    name: 'a PIN with its end at its start',
    body: {
      jobType: 'CREATE_PIN',
      jobData: { ...pin, startDate: '2026-12-01T15:00:00+01:00', endDate: '2026-12-01T14:00:00Z' },
    },
    want: rejection(
      400,
      'window_length',
      'endDate 2026-12-01T14:00:00Z is not after startDate 2026-12-01T15:00:00+01:00',
      { nearest: ['2026-12-01T14:01:00+00:00'] },
    ),
  },
  {
    name: 'a PIN that ended just now, its data as text',
    body: {
      jobType: '4',
      jobData: JSON.stringify({ ...pin, startDate: '2026-11-01T00:00:00Z', endDate: '2026-11-21T09:00:00+01:00' }),
    },
    want: rejection(
      400,
      'window_length',
      'endDate 2026-11-21T09:00:00+01:00 is not after now, 2026-11-21T09:00:00+01:00',
      {
        nearest: ['2026-11-21T09:01:00+01:00'],
      },
    ),
  },
  {
    name: 'an offline bridge',
    deviceId: 'LK2A00000004',
    bridgeId: 'BR1A00000002',
    want: rejection(406, 'bridge_offline', 'The bridge BR1A00000002 is offline'),
  },
];

describe('a proxied job is rejected for', () => {
  test.each(rejectedProxied)('$name', async ({ deviceId = lock, bridgeId, body = unlock, want }) => {
    const answer = await fixture.proxy(deviceId, body, { key: 'once' }, bridgeId);
    const { nearest, ...rest } = want as typeof want & { nearest?: string[] };
    expect(answer).toMatchObject(rest);
    if (nearest !== undefined) expect(answer.body).toMatchObject({ details: [{ at: '/jobData/endDate', nearest }] });
    // Nothing is written: no job, and a key that can be used again.
    expect(await fixture.unfinished()).toEqual([]);
    expect(fixture.wakings()).toBe(0);
    expect((await fixture.proxy(lock, unlock, { key: 'once' })).headers).toBeUndefined();
  });
});

describe('a targeted job is rejected for', () => {
  test.each([
    { name: 'an unknown bridge', bridgeId: 'BR9', want: [404, 'bridge_not_found'] },
    { name: "another account's bridge", bridgeId: 'BR1B00000001', want: [404, 'bridge_not_found'] },
    { name: 'a lock', bridgeId: lock, want: [404, 'bridge_not_found'] },
    { name: 'a bridge that is offline', bridgeId: 'BR1A00000002', want: [406, 'bridge_offline'] },
  ])('$name', async ({ bridgeId, want: [status, code] }) => {
    expect(await fixture.target(bridgeId)).toMatchObject({ status, body: { code } });
    expect(await fixture.unfinished()).toEqual([]);
  });
});

describe('a job is created', () => {
  test.each([
    { sent: 'UNLOCK', jobData: undefined, want: 'UNLOCK' },
    { sent: '2', jobData: '', want: 'UNLOCK' },
    { sent: 2, jobData: {}, want: 'UNLOCK' },
    { sent: 4, jobData: JSON.stringify({ ...pin, pinType: 1 }), want: 'CREATE_PIN' },
    { sent: 'DELETE_PIN', jobData: { pin: '1234' }, want: 'DELETE_PIN' },
    { sent: '15', jobData: '{"lockTime":"2026-11-20T00:00:00.1234567891234+01"}', want: 'GET_ACTIVITY_LOGS' },
  ])('from jobType $sent and jobData $jobData', async ({ sent, jobData, want }) => {
    const body = { jobType: sent, ...(jobData === undefined ? {} : { jobData }) };
    const jobId = readJobId(await fixture.proxy(lock, body));
    expect(jobId).toMatch(/^6b014f80[0-9a-f]{16}$/);
    expect(await fixture.read(jobId)).toEqual({
      jobId,
      jobType: want,
      status: 'queued',
      completed: false,
      expiryDate: '2026-11-21T08:02:00.250Z',
      jobResponse: { jobStatus: 1, opResult: { result: -1 } },
    });
    expect(fixture.wakings()).toBe(1);
  });

  test('for the bridge itself by name, code and number', async () => {
    for (const jobType of ['GET_DEVICE_STATUS', '10', 10])
      expect(await fixture.read(readJobId(await fixture.target(bridge, {}, jobType)))).toMatchObject({
        jobType: 'GET_DEVICE_STATUS',
        status: 'queued',
      });
  });

  test('at the last minute that a PIN may end, and for a start long ago', async () => {
    const jobData = { ...pin, startDate: '2020-01-01T00:00:00Z', endDate: '2026-11-21T08:01:00Z' };
    expect((await fixture.proxy(lock, { jobType: 'CREATE_PIN', jobData })).status).toBe(200);
  });
});

describe('a bridge holds 20 unfinished jobs', () => {
  test('of both kinds together; the 21st waits until the oldest expires', async () => {
    await fixture.target(bridge);
    for (let made = 1; made < 20; made += 1) {
      await fixture.pass(100);
      await fixture.make('KP1A00000001', 'GET_DEVICE_STATUS');
    }
    // The bridge's own job is done by now: one place.
    await fixture.pass(3000);
    await fixture.make('KP1A00000001', 'GET_DEVICE_STATUS');
    expect(await fixture.unfinished()).toHaveLength(20);
    for (const rejected of [await fixture.proxy(lock, unlock), await fixture.target(bridge)])
      expect(rejected).toMatchObject({
        status: 429,
        // The oldest of the twenty was created 100 ms after the start, and 4900 ms have passed: 115.2 s are left.
        headers: { 'Retry-After': 116 },
        body: { code: 'queue_full', error: 'The bridge has 20 unfinished jobs, try again in 116 seconds' },
      });
    expect(await fixture.unfinished()).toHaveLength(20);
    await fixture.pass(115_199);
    expect((await fixture.proxy(lock, unlock)).headers).toEqual({ 'Retry-After': 1 });
    await fixture.pass(1);
    expect((await fixture.proxy(lock, unlock)).status).toBe(200);
  });

  test('and is not shut by a clock that was set back', async () => {
    for (let made = 0; made < 20; made += 1) await fixture.make('KP1A00000001', 'GET_DEVICE_STATUS');
    fixture.clock.at -= 3_600_000;
    expect((await fixture.proxy(lock, unlock)).status).toBe(200);
  });

  test('and another bridge is none the fuller', async () => {
    for (let made = 0; made < 20; made += 1) await fixture.make('KP1A00000001', 'GET_DEVICE_STATUS');
    expect((await fixture.target('BR1B00000001', meadow)).status).toBe(200);
  });
});

describe('a bridge accepts 3 targeted jobs in any 60 seconds', () => {
  test('the 4th succeeds after Retry-After, and not a second earlier', async () => {
    for (const wait of [0, 20_000, 20_000]) {
      await fixture.pass(wait);
      expect((await fixture.target(bridge)).status).toBe(200);
    }
    await fixture.pass(2500);
    const rejected = await fixture.target(bridge);
    expect(rejected).toMatchObject({
      status: 429,
      headers: { 'Retry-After': 18 },
      body: { code: 'bridge_rate', error: 'Too many requests, try again in 18 seconds' },
    });
    await fixture.pass(17_000);
    expect(await fixture.target(bridge)).toMatchObject({
      headers: { 'Retry-After': 1 },
      body: { error: 'Too many requests, try again in 1 second' },
    });
    await fixture.pass(1000);
    expect((await fixture.target(bridge)).status).toBe(200);
    expect((await fixture.target(bridge)).status).toBe(429);
  });

  test('and proxied jobs count for nothing, nor do those of another bridge, nor what was rejected', async () => {
    for (let made = 0; made < 5; made += 1) await fixture.make(lock, 'GET_BATTERY_LEVEL');
    for (let made = 0; made < 3; made += 1) expect((await fixture.target('BR1B00000001', meadow)).status).toBe(200);
    for (let made = 0; made < 3; made += 1) expect((await fixture.target(bridge)).status).toBe(200);
    for (let made = 0; made < 9; made += 1) expect((await fixture.target(bridge)).status).toBe(429);
    await fixture.pass(60_000);
    expect((await fixture.target(bridge)).status).toBe(200);
  });
});

describe('an offline bridge is a 406 before any limit', () => {
  const goOffline = async () => {
    const device = await fixture.device(bridge);
    await fixture.store.imports.write({ properties: [], devices: [{ ...device, online: false }] });
  };

  test('having accepted 3 targeted jobs', async () => {
    for (let made = 0; made < 3; made += 1) expect((await fixture.target(bridge)).status).toBe(200);
    expect(await fixture.target(bridge)).toMatchObject({ status: 429, body: { code: 'bridge_rate' } });
    await goOffline();
    expect(await fixture.target(bridge)).toMatchObject({ status: 406, body: { code: 'bridge_offline' } });
  });

  test('holding 20 unfinished jobs', async () => {
    for (let made = 0; made < 20; made += 1) await fixture.make('KP1A00000001', 'GET_DEVICE_STATUS');
    expect(await fixture.proxy(lock, unlock)).toMatchObject({ status: 429, body: { code: 'queue_full' } });
    await goOffline();
    for (const rejected of [await fixture.proxy(lock, unlock), await fixture.target(bridge)])
      expect(rejected).toMatchObject({ status: 406, body: { code: 'bridge_offline' } });
  });
});

describe('an Idempotency-Key', () => {
  test('gives the first jobId again, whatever has become of job, bridge and device', async () => {
    const first = await fixture.proxy(lock, unlock, { key: 'k' });
    expect(first.headers).toBeUndefined();
    await fixture.pass(5000);
    const given = await fixture.device(bridge);
    await fixture.store.imports.write({ properties: [], devices: [{ ...given, online: false }] });
    const again = await fixture.proxy(lock, { jobType: 2, jobData: '{}' }, { key: 'k' });
    expect(again).toEqual({ status: 200, headers: { 'Idempotency-Replayed': true }, body: first.body });
    expect((await fixture.proxy(lock, unlock, { key: 'new' })).status).toBe(406);
  });

  test('is rejected for another request, before anything is looked up', async () => {
    await fixture.proxy(lock, unlock, { key: 'guest-1' });
    const want = {
      status: 400,
      body: {
        code: 'idempotency_key_reused',
        error: 'Idempotency-Key guest-1 was used for another request',
        details: [{ in: 'header', at: 'Idempotency-Key', says: 'must be new for a new request', nearest: [] }],
      },
    };
    expect(await fixture.proxy(lock, { jobType: 'LOCK' }, { key: 'guest-1' })).toEqual(want);
    expect(await fixture.proxy('LK9', unlock, { key: 'guest-1' })).toEqual(want);
    expect(await fixture.target('BR9', { key: 'guest-1' })).toEqual(want);
    expect(await fixture.unfinished()).toHaveLength(1);
  });

  test('counts once against the limits, and is answered beyond them', async () => {
    const first = await fixture.target(bridge, { key: 'k' });
    for (let made = 0; made < 5; made += 1)
      expect((await fixture.target(bridge, { key: 'k' })).body).toEqual(first.body);
    for (let made = 0; made < 2; made += 1) expect((await fixture.target(bridge)).status).toBe(200);
    expect((await fixture.target(bridge)).status).toBe(429);
    expect((await fixture.target(bridge, { key: 'k' })).headers).toEqual({ 'Idempotency-Replayed': true });
  });

  test('belongs to a client, and to the account it was used for', async () => {
    await fixture.proxy(lock, unlock, { key: 'k', client: 'demo-partner' });
    expect((await fixture.proxy(lock, unlock, { key: 'k', client: 'demo-own' })).headers).toBeUndefined();
    // The partner acts for both accounts, and a job of one is no answer for the other.
    const other = await fixture.proxy(lock, unlock, { key: 'k', client: 'demo-partner', account: meadowLodge });
    expect(other).toMatchObject({ status: 400, body: { code: 'idempotency_key_reused' } });
    expect(harbourStays).not.toBe(meadowLodge);
  });

  test('used twice at once makes one job', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => fixture.proxy(lock, unlock, { key: 'k' })));
    expect(new Set(answers.map(readJobId)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers === undefined)).toHaveLength(1);
    expect(await fixture.unfinished()).toHaveLength(1);
  });

  test('is free again after 24 hours, to the millisecond', async () => {
    const first = await fixture.proxy(lock, unlock, { key: 'k' });
    await fixture.pass(86_400_000 - 1);
    expect((await fixture.proxy(lock, unlock, { key: 'k' })).body).toEqual(first.body);
    await fixture.pass(1);
    const later = await fixture.proxy(lock, { jobType: 'LOCK' }, { key: 'k' });
    expect(later.status).toBe(200);
    expect(later.body).not.toEqual(first.body);
  });

  test('of 255 characters is named by its beginning', async () => {
    const key = 'x'.repeat(255);
    await fixture.proxy(lock, unlock, { key });
    expect((await fixture.proxy(lock, { jobType: 1 }, { key })).body).toMatchObject({
      error: `Idempotency-Key ${'x'.repeat(60)}… was used for another request`,
    });
  });
});
