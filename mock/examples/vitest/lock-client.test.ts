import { type RunningSandbox, startMock } from '@lockstep/mock';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ApiError, createLockClient } from './lock-client.ts';

let mock: RunningSandbox;
let token: string;
/** Seconds that the client would have waited. */
let waited: number[];

beforeAll(async () => {
  mock = await startMock({ clock: '2026-06-01T12:00:00Z' });
  token = await mock.token();
});
beforeEach(async () => {
  await mock.control.reset();
  // So that only the client moves it.
  await mock.control.changeClock({ ticking: false });
  waited = [];
});
afterAll(() => mock.close());

/** Moves the clock of the sandbox instead of waiting, so that no test takes longer. */
function createClient() {
  const wait = async (seconds: number) => {
    waited.push(seconds);
    await mock.control.changeClock({ by: `PT${seconds}S` });
  };
  return createLockClient({ baseUrl: mock.baseUrl, token, wait });
}

test('reads a list to its end, whatever the size of its pages', async () => {
  const whole = await createClient().listDevices();
  expect(whole).toContainEqual(expect.objectContaining({ deviceId: 'LK2A00000001', deviceName: 'Front door' }));
  expect(await createClient().listDevices(5)).toEqual(whole);
});

test('asks again while the API is busy', async () => {
  await mock.control.addFault({ operationId: 'getDevices', times: 2, status: 503 });
  expect(await createClient().listDevices()).not.toEqual([]);
  expect(waited).toHaveLength(2);
});

test('gives up at last, with the code of the error', async () => {
  await mock.control.addFault({ operationId: 'getDevices', times: 4, status: 503 });
  const failure = await createClient()
    .listDevices()
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApiError);
  expect(failure).toMatchObject({ status: 503, code: 'unavailable' });
});

test('reads again where the answer was lost', async () => {
  await mock.control.addFault({ operationId: 'getDevices', times: 1, drop: 'after' });
  expect(await createClient().listDevices()).not.toEqual([]);
});

test('does not send again what may have been done', async () => {
  await mock.control.addFault({ operationId: 'createBridgeTargetedJob', times: 1, drop: 'after' });
  await expect(createClient().askStatus('BR1A00000001')).rejects.toThrow('no answer to POST');
});

// A bridge accepts three of these in a minute. The limit is the sandbox's own, not invented for the test.
test('waits as long as the answer asks for', async () => {
  const client = createClient();
  for (let count = 1; count <= 4; count += 1) await client.askStatus('BR1A00000001');
  expect(waited).toEqual([60]);
});
