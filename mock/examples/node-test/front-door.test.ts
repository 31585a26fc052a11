import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type RunningSandbox, startMock } from '@lockstep/mock';
import { type Api, createGuestCode, unlock } from './front-door.ts';

const now = '2026-06-01T12:00:00Z';
let mock: RunningSandbox;
let api: Api;

before(async () => {
  mock = await startMock({ clock: now });
  api = { baseUrl: mock.baseUrl, token: await mock.token() };
});
beforeEach(() => mock.control.reset());
after(() => mock.close());

/** Moves the sandbox's clock, instead of waiting. */
const moveClock = (seconds: number) => mock.control.changeClock({ by: `PT${seconds}S` });

test('a door is opened, and its log shows it', async () => {
  const door = { deviceId: 'LK2A00000001', bridgeId: 'BR1A00000001' };
  const job = await unlock(api, door, moveClock);
  assert.equal(job.status, 'succeeded');

  const headers = { authorization: `Bearer ${api.token}` };
  const answer = await fetch(`${api.baseUrl}/devices/${door.deviceId}/activity?limit=1`, { headers });
  const { payload } = (await answer.json()) as { payload: { activityType: string; method: string }[] };
  assert.deepEqual([payload[0]?.activityType, payload[0]?.method], ['UNLOCK', 'bridge']);
});

test('an offline bridge is reported at once', async () => {
  await mock.control.useScenario('bridge-offline');
  const door = { deviceId: 'LK2A00000001', bridgeId: 'BR1A00000001' };
  await assert.rejects(unlock(api, door, moveClock), { message: 'The bridge BR1A00000001 is offline' });
});

test('a code is the same however often it is asked for, until its hour has passed', async () => {
  const stay = { deviceId: 'LK2A00000001', guest: 'Guest', from: new Date(now), hours: 48 };
  const first = await createGuestCode(api, stay);
  assert.match(first.pin, /^[1-9]\d{8}$/);
  assert.equal((await createGuestCode(api, stay)).pin, first.pin);

  await mock.control.changeClock({ by: 'PT1H' });
  await assert.rejects(createGuestCode(api, stay), { cause: 'window_in_past' });
});

test('an expired trial is reported as such', async () => {
  await mock.control.useScenario('trial-over');
  const stay = { deviceId: 'LK2A00000001', guest: 'Guest', from: new Date(now), hours: 1 };
  await assert.rejects(createGuestCode(api, stay), { cause: 'trial_ended' });
});
