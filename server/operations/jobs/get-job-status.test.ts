import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { meadowLodge } from '../../demo/demo-data.ts';
import { type JobFixture, openJobFixture, readJobId } from './fixtures/job-fixture.ts';

let fixture: JobFixture;
beforeEach(async () => {
  fixture = await openJobFixture();
});
afterEach(() => fixture.close());

const lock = 'LK2A00000001';
const silent = 'KP1A00000001';
const done = { status: 'succeeded', completed: true };
const day = 86_400_000;

describe('the results of jobs', () => {
  const cases = [
    { jobType: 'UNLOCK', want: { result: 0, lockState: 'unlocked' } },
    { jobType: 'LOCK', want: { result: 0, lockState: 'locked' } },
    { jobType: 'GET_BATTERY_LEVEL', want: { result: 0, batteryLevel: 87 } },
    {
      jobType: 'GET_DEVICE_STATUS',
      want: {
        result: 0,
        lockState: 'locked',
        batteryLevel: 87,
        deviceTime: '2026-11-21T09:00:03+01:00',
        firmware: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      },
    },
    {
      jobType: 'GET_DEVICE_STATUS',
      deviceId: 'KP1A00000002',
      want: expect.objectContaining({ result: 0, lockState: 'unknown', batteryLevel: 92 }),
    },
    { jobType: 'GET_ACTIVITY_LOGS', want: { result: 0 } },
    {
      jobType: 'CREATE_PIN',
      jobData: { accessName: 'Cleaner', pin: '4829', pinType: 2 },
      want: { result: 0, accessId: expect.stringMatching(/^[0-9a-f]{24}$/) },
    },
  ];
  test.each(cases)('$jobType: $want', async ({ jobType, deviceId = lock, jobData, want }) => {
    const jobId = await fixture.make(deviceId, jobType, jobData);
    await fixture.pass(3000);
    expect(await fixture.read(jobId)).toEqual({
      jobId,
      jobType,
      ...done,
      expiryDate: '2026-11-21T08:02:00.250Z',
      jobResponse: { jobStatus: 0, opResult: want },
    });
  });

  test('of a bridge itself: its clock and its firmware', async () => {
    const jobId = readJobId(await fixture.target('BR1A00000001'));
    await fixture.pass(3000);
    const firmware = expect.stringMatching(/^\d+\.\d+\.\d+$/);
    const opResult = { result: 0, deviceTime: '2026-11-21T09:00:03+01:00', firmware };
    expect(await fixture.read(jobId)).toMatchObject({ ...done, jobResponse: { jobStatus: 0, opResult } });
    expect((await fixture.read(jobId)).jobResponse.opResult).toEqual(opResult);
  });

  const failing = [
    {
      name: 'a bolt that jams',
      deviceId: 'LK1A00000002',
      jobs: [['LOCK']],
      want: [6, 'The lock is jammed'],
    },
    {
      name: 'a PIN that is there already',
      deviceId: lock,
      jobs: [
        ['CREATE_PIN', { accessName: 'A', pin: '4829', pinType: 2 }],
        ['CREATE_PIN', { accessName: 'B', pin: '4829', pinType: 1 }],
      ],
      want: [3, 'The device has a PIN of these digits already'],
    },
    {
      name: 'a PIN that is not there',
      deviceId: 'KP1A00000002',
      jobs: [['DELETE_PIN', { pin: '4829' }]],
      want: [4, 'The device has no such PIN'],
    },
  ] as const;
  test.each(failing)('$name', async ({ deviceId, jobs, want: [result, failureReason] }) => {
    let jobId = '';
    for (const [jobType, jobData] of jobs) jobId = await fixture.make(deviceId, jobType, jobData);
    await fixture.pass(3000);
    const read = await fixture.read(jobId);
    expect(read).toMatchObject({ status: 'failed', completed: true, failureReason });
    expect(read.jobResponse).toEqual({ jobStatus: 2, opResult: { result } });
  });

  test('a device that went while its job waited is out of reach', async () => {
    const jobId = await fixture.make(lock, 'UNLOCK');
    const bridge = await fixture.device('BR1A00000001');
    const linked = bridge.linked.filter(({ deviceId }) => deviceId !== lock);
    const device = { ...(await fixture.device(lock)), bridgeId: null };
    await fixture.store.imports.write({ properties: [], devices: [{ ...bridge, linked }, device] });
    await fixture.pass(3000);
    expect(await fixture.read(jobId)).toMatchObject({
      status: 'failed',
      jobResponse: { jobStatus: 2, opResult: { result: 1 } },
      failureReason: 'The device is out of reach',
    });
  });
});

describe('a job on its way', () => {
  test('is queued, delivered after 1 s and done after 3 s', async () => {
    const jobId = await fixture.make(lock, 'UNLOCK');
    const seen: string[] = [];
    for (const wait of [0, 999, 1, 1999, 1]) {
      await fixture.pass(wait);
      seen.push((await fixture.read(jobId)).status);
    }
    expect(seen).toEqual(['queued', 'queued', 'delivered', 'delivered', 'succeeded']);
  });

  test('is under way at 119.999 s and has expired at 120 s', async () => {
    const jobId = await fixture.make(silent, 'GET_DEVICE_STATUS');
    await fixture.pass(119_999);
    expect(await fixture.read(jobId)).toMatchObject({ status: 'delivered', completed: false });
    await fixture.pass(1);
    const expired = await fixture.read(jobId);
    expect(expired).toEqual({
      jobId,
      jobType: 'GET_DEVICE_STATUS',
      status: 'expired',
      completed: true,
      expiryDate: '2026-11-21T08:02:00.250Z',
      jobResponse: { jobStatus: 3, opResult: { result: -1 } },
      failureReason: 'The device did not answer within 120 seconds',
    });
    await fixture.store.jobs.purge(fixture.clock.at, 100);
    expect(await fixture.read(jobId)).toEqual(expired);
  });

  test('that expired stays so when its report comes late, and the report shows as activity', async () => {
    const jobId = await fixture.make(lock, 'UNLOCK');
    const [job] = await fixture.unfinished();
    if (job === undefined) throw new Error('no job');
    await fixture.pass(1000);
    fixture.clock.at += 119_000; // the process sleeps
    const device = await fixture.device(lock);
    const { items } = await fixture
      .current()
      .locks.use(device, (front) => front.run({ jobId, jobType: 'UNLOCK', jobData: {} }));
    const report = { result: 0, output: { lockState: 'unlocked' }, items, batteryLevel: 41 };
    for (let times = 0; times < 2; times += 1) await fixture.current().settle(job, report);
    expect(await fixture.read(jobId)).toMatchObject({ status: 'expired', jobResponse: { opResult: { result: -1 } } });
    expect(await fixture.activity(lock)).toMatchObject([{ type: 'UNLOCK', method: 'bridge', at: fixture.clock.at }]);
    expect((await fixture.device(lock)).batteryLevel).toBe(41);
  });

  test('is done no more when its time is over', async () => {
    const jobId = await fixture.make(lock, 'UNLOCK');
    fixture.clock.at += 120_000;
    await fixture.pass(0);
    expect((await fixture.read(jobId)).status).toBe('expired');
    const { lockState } = await fixture.current().locks.use(await fixture.device(lock), (front) => front.state());
    expect(lockState).toBe('locked');
  });
});

describe('a job is read', () => {
  test('by its id in upper and mixed case, and answers in lower case', async () => {
    const jobId = await fixture.make(lock, 'UNLOCK');
    for (const id of [jobId.toUpperCase(), jobId.slice(0, 12) + jobId.slice(12).toUpperCase()])
      expect((await fixture.read(id)).jobId).toBe(jobId);
  });

  test('by its account alone; to another it is as one that never was', async () => {
    const jobId = await fixture.make(lock, 'UNLOCK');
    const foreign = await fixture.status(jobId, { account: meadowLodge });
    const unknown = await fixture.status('0123456789abcdef01234567');
    expect(foreign).toEqual({ status: 404, body: { message: 'not found job', code: 'job_not_found' } });
    expect(unknown).toEqual(foreign);
  });

  test('for 7 days after its end', async () => {
    const succeeded = await fixture.make(lock, 'UNLOCK');
    const expired = await fixture.make(silent, 'GET_DEVICE_STATUS');
    await fixture.pass(3000 + 7 * day - 1);
    expect((await fixture.status(succeeded)).status).toBe(200);
    await fixture.pass(1);
    expect((await fixture.status(succeeded)).status).toBe(404);
    await fixture.pass(117_000 - 1);
    expect((await fixture.status(expired)).status).toBe(200);
    await fixture.pass(1);
    expect((await fixture.status(expired)).status).toBe(404);
  });
});
