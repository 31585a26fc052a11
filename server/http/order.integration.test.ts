import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refuse } from '../error-catalogue.ts';
import { createAlgoPinOperations } from '../operations/algo-pins/algo-pins.ts';
import { makeDevice } from '../store/contract/records.ts';
import { openSqliteStore } from '../store/sqlite/open-store.ts';
import type { Store } from '../store/store.ts';
import { type RunningApp, startApp, testNow } from './fixtures/start-app.ts';
import { serveTroubled } from './scenarios/fixtures/serve-troubled.ts';

let app: RunningApp;
let store: Store;
beforeAll(async () => {
  store = await openStore();
  const clock = { now: () => testNow };
  const keys = { deviceKey: Buffer.alloc(32, 'not a real key, for devices ....') };
  const { createDailyAlgoPin, createPassageAlgoPin } = createAlgoPinOperations({ store, clock, keys });
  app = await startApp({
    handlers: {
      getDevice: () => refuse('device_not_found'),
      createBridgeProxiedJob: () => refuse('bridge_not_found'),
      createDailyAlgoPin,
      createPassageAlgoPin,
    },
  });
});
afterAll(async () => {
  await app.close();
  await store.close();
});

const house = '65a000000000000000000001';
const annex = '65a000000000000000000003';
const foreign = '65b000000000000000000003';
const withoutCodes = { supportsAlgoPin: false, supportsPassagePin: false };
const bridge = { ...withoutCodes, type: 'Bridge', batteryLevel: null, online: true } as const;

/** Devices with one thing wrong, and with two. */
async function openStore(): Promise<Store> {
  const opened = await openSqliteStore(':memory:');
  for (const id of ['acme', 'other']) await opened.accounts.put({ id, name: id, trialEndsAt: null });
  await opened.imports.write({
    properties: [
      { id: house, accountId: 'acme', name: 'House', timezone: 'Europe/Berlin' },
      { id: annex, accountId: 'acme', name: 'Annex', timezone: null },
      { id: foreign, accountId: 'other', name: 'Elsewhere', timezone: null },
    ],
    devices: [
      makeDevice('acme', 'annex-lock', { propertyIds: [annex] }),
      makeDevice('acme', 'annex-bridge', { propertyIds: [annex], ...bridge }),
      makeDevice('acme', 'house-bridge', { propertyIds: [house], ...bridge }),
      makeDevice('acme', 'old-lock', { propertyIds: [house], supportsPassagePin: false }),
      makeDevice('other', 'foreign-bridge', { propertyIds: [foreign], ...bridge }),
    ],
  });
  return opened;
}

interface Given {
  readonly path: string;
  /** All scopes and no trial where it is left out. */
  readonly token?: string;
  /** None asks by GET. */
  readonly body?: object;
}

const misaligned = '2020-01-01T00:30:00Z';

function pinOn(deviceId: string, body: object, kind = 'daily'): Given {
  return { path: `/devices/${deviceId}/algopin/${kind}`, body };
}

/** Each request has both faults; the first of the two is answered. */
const pairs: readonly { name: string; given: Given; want: [status: number, code: string] }[] = [
  {
    name: 'trial before existence',
    given: { path: '/devices/gone', token: 'lapsed' },
    want: [402, 'trial_ended'],
  },
  {
    name: 'the scope that a body value asks for before existence',
    given: {
      path: '/devices/a/jobs/bridges/b',
      token: 'only~lock-bridge-proxied-job',
      body: { jobType: 'UNLOCK' },
    },
    want: [403, 'insufficient_scope'],
  },
  {
    name: 'the scope that a query value asks for before existence',
    given: { path: '/devices/a?admin_key=1', token: 'only~get-devices' },
    want: [403, 'insufficient_scope'],
  },
  {
    name: 'scope before existence',
    given: { ...pinOn('foreign-bridge', {}), token: 'only~algopin-hourly' },
    want: [403, 'insufficient_scope'],
  },
  {
    name: 'form before existence: a bad body on a foreign device',
    given: pinOn('foreign-bridge', { startDate: misaligned }),
    want: [400, 'invalid_request'],
  },
  {
    name: 'form before rules',
    given: pinOn('house-bridge', { accessName: 'A', startDate: misaligned, variance: 4 }),
    want: [400, 'invalid_request'],
  },
  {
    name: 'existence before timezone, support and rules: a foreign bridge',
    given: pinOn('foreign-bridge', { accessName: 'A', startDate: misaligned }),
    want: [404, 'device_not_found'],
  },
  {
    name: 'timezone before support: a bridge without timezone',
    given: pinOn('annex-bridge', { accessName: 'A' }),
    want: [409, 'no_timezone'],
  },
  {
    name: 'timezone before rules: a misaligned start on a bridge without timezone',
    given: pinOn('annex-bridge', { accessName: 'A', startDate: misaligned }),
    want: [409, 'no_timezone'],
  },
  {
    name: 'timezone before rules: a misaligned start without timezone',
    given: pinOn('annex-lock', { accessName: 'A', startDate: misaligned }),
    want: [409, 'no_timezone'],
  },
  {
    name: 'support before rules: a misaligned start on a bridge',
    given: pinOn('house-bridge', { accessName: 'A', startDate: misaligned }),
    want: [418, 'algopin_not_supported'],
  },
  {
    name: 'what no window mends before the window',
    given: pinOn('old-lock', { accessName: 'A', startDate: misaligned }, 'passage'),
    want: [400, 'passage_not_supported'],
  },
  {
    name: 'all checks before existence',
    given: { path: '/devices/a?admin_key=1' },
    want: [404, 'device_not_found'],
  },
];

/** @param origin of an application or service */
async function send(origin: string, token: string, { path, body }: Given): Promise<[status: number, code: unknown]> {
  const answer = await fetch(`${origin}/v1${path}`, {
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return [answer.status, ((await answer.json()) as { code?: unknown }).code];
}

describe('of two faults that only the store knows the contract names the first:', () => {
  for (const { name, given, want } of pairs) {
    test(name, async () => expect(await send(app.origin, given.token ?? 'all', given)).toEqual(want));
  }
});

describe('of two faults that only the whole service has, too:', () => {
  let service: Awaited<ReturnType<typeof serveTroubled>>;
  beforeAll(async () => {
    service = await serveTroubled();
  });
  afterAll(() => service.close());

  test('token before trial: one that was revoked, of an account whose trial has ended', async () => {
    const token = await service.fetchToken('lapsed-own');
    expect(await send(service.origin, token, { path: '/devices' })).toEqual([402, 'trial_ended']);
    await service.store.clients.setDisabled('lapsed-own', Math.floor(Date.now() / 1000));
    expect(await send(service.origin, token, { path: '/devices' })).toEqual([401, 'token_revoked']);
  });

  test('limits before the write: a full bridge, and no room for a job', async () => {
    const token = await service.fetchToken('demo-own');
    const path = '/devices/LK2A00000001/jobs/bridges/BR1A00000001';
    const job = () => send(service.origin, token, { path, body: { jobType: 'LOCK' } });
    for (let count = 1; count < 20; count += 1) expect((await job())[0]).toBe(200);
    await service.stopJobs();
    expect(await job()).toEqual([500, 'internal']);
    await service.resumeJobs();
    expect((await job())[0]).toBe(200);
    await service.stopJobs();
    expect(await job()).toEqual([429, 'queue_full']);
  });
});
