import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { derivePinId } from '../../algopin/derive-pin-id.ts';
import { type RunningApp, startApp, testNow } from '../../http/fixtures/start-app.ts';
import { createTestDatabase, type TestDatabase } from '../../store/fixtures/test-database.ts';
import type { Store } from '../../store/store.ts';
import { keys, makeDevice } from '../fixtures/open-fixture.ts';
import { createActivityOperations } from './activity.ts';
import { type LogPage, makeCode, makeItem } from './fixtures/activity-fixture.ts';

const house = { id: '65a000000000000000000001', accountId: 'acme', name: 'House', timezone: 'Asia/Kathmandu' };
const front = 'LK2A00000001';
const busy = 'LK2A00000002';
const pin = '482915037';
const wrongPin = '735120846';
const pushTokens = ['all', 'only~store-device-activity', 'only~get-device-activity+update-device'];

let database: TestDatabase;
let store: Store;
let app: RunningApp;
/** Every answer of these tests, to be searched for digits at the end. */
const answered: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  store = await database.open();
  await store.accounts.put({ id: 'acme', name: 'Acme', trialEndsAt: null });
  const devices = [front, busy].map((deviceId) => makeDevice({ deviceId, accountId: 'acme' }));
  await store.imports.write({ properties: [house], devices });
  await store.accessCodes.issue(makeCode({ pinId: derivePinId(keys.deviceKey, front, pin) }));
  const clock = { now: () => testNow };
  app = await startApp({ clock, handlers: createActivityOperations({ store, clock, keys }) });
});
afterAll(async () => {
  await app.close();
  await store.close();
  await database.remove();
});

async function call(path: string, { token = 'all', body }: { token?: string; body?: string } = {}) {
  const answer = await fetch(`${app.origin}/v1/devices/${path}`, {
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { method: 'POST', body }),
  });
  const text = await answer.text();
  answered.push(text);
  return { status: answer.status, body: JSON.parse(text) };
}

const push = (logsPayload: unknown, { deviceId = front, token = 'all' } = {}) =>
  call(`${deviceId}/activity`, { token, body: JSON.stringify({ logsPayload }) });
const get = (query: string, deviceId = front) => call(`${deviceId}/activity?${query}`);

const log = (logType: number, at: number, more: object = {}) => ({ logType, entryDate: at, ...more });
const items = (count: number, prefix: string, from = testNow) =>
  Array.from({ length: count }, (_, index) =>
    makeItem(`${prefix}-${index}`, log(51, from - index * 500), { ts: testNow }),
  );

describe('a push over HTTP', () => {
  test.each([
    {
      name: 'without items',
      body: '{"logsPayload":[]}',
      want: [200, { message: '0 entries stored', accepted: 0, rejected: [] }],
    },
    { name: 'without the member', body: '{}', want: [200, { message: '0 entries stored', accepted: 0, rejected: [] }] },
    {
      name: 'of null',
      body: '{"logsPayload":null}',
      want: [400, { code: 'invalid_request', details: [{ at: '/logsPayload' }] }],
    },
    {
      name: 'of a number',
      body: '{"logsPayload":[4]}',
      want: [400, { code: 'invalid_request', details: [{ at: '/logsPayload/0' }] }],
    },
    {
      name: 'with an unknown member',
      body: '{"logs":[]}',
      want: [400, { code: 'invalid_request', details: [{ at: '/logs' }] }],
    },
    {
      name: 'of an object that misses its schema',
      body: JSON.stringify({ logsPayload: [...items(1, 'whole'), { id: 'a', ts: testNow }] }),
      want: [400, { code: 'invalid_request', details: [{ at: '/logsPayload/1/payload' }] }],
    },
    {
      name: 'of an object whose log is digits',
      body: JSON.stringify({ logsPayload: [{ id: 'a', ts: testNow, payload: { log: Number(pin) } }] }),
      want: [400, { code: 'invalid_request', details: [{ at: '/logsPayload/0/payload/log' }] }],
    },
    {
      name: 'of bad items alone',
      body: JSON.stringify({ logsPayload: [pin, `{"id":"${pin}`] }),
      want: [
        400,
        { code: 'log_unreadable', error: 'None of the 2 items can be stored; the first: is not a JSON object' },
      ],
    },
    {
      name: 'of 101',
      body: JSON.stringify({ logsPayload: items(101, 'many') }),
      want: [400, { code: 'invalid_request', details: [{ at: '/logsPayload' }] }],
    },
    {
      name: 'of more than 256 KiB',
      body: JSON.stringify({ logsPayload: ['x'.repeat(262_144)] }),
      want: [413, { code: 'too_large' }],
    },
  ])('$name', async ({ body, want }) => {
    const { status, body: answer } = await call(`${front}/activity`, { body });
    expect([status, answer]).toMatchObject(want);
    expect((await get('')).body.payload).toEqual([]);
  });

  test.each(pushTokens)('is allowed for %s, and 100 items are 100 entries', async (token) => {
    const prefix = `by-${token}`;
    expect(await push(items(100, prefix), { token })).toMatchObject({
      status: 200,
      body: { accepted: 100, rejected: [] },
    });
    expect((await get('limit=300')).body.payload).toHaveLength(100 * (pushTokens.indexOf(token) + 1));
  });

  test('is not allowed for either half of a scope', async () => {
    for (const token of ['only~get-device-activity', 'only~update-device', 'none'])
      expect(await push(items(1, 'never'), { token })).toMatchObject({ status: 403 });
  });
});

describe('a log over HTTP', () => {
  test.each([
    ['locale=en-GB', 200, 'Locked by key'],
    ['locale=ja', 200, '鍵で施錠'],
    ['locale=de-AT&limit=1', 200, 'Mit dem Schlüssel verriegelt'],
    ['', 200, 'Locked by key'],
  ] as const)('?%s is %i', async (query, status, description) => {
    const answer = await get(query);
    expect([answer.status, answer.body.payload[0].description]).toEqual([status, description]);
  });

  test.each([
    'locale=EN',
    'locale=xx',
    'locale=',
    'locale=en_GB',
    'locale=en&locale=de',
    'limit=0',
    'limit=301',
    'limit=1e1',
    'limit=%205',
    'limit=',
    'cursor=',
    'cursor=x',
    'sort=activityType',
    'sort=',
    'startDate=',
    'startDate=yesterday',
    'startDate=2026-11-20T15:00',
    'startDate=2026-02-30',
    'endDate=2026-11-20T24:00:00Z',
    'startDate=2026-11-21&endDate=2026-11-20',
    'since=2026-11-20',
  ])('?%s is 400, and names the parameter', async (query) => {
    const { status, body } = await get(query);
    expect(status).toBe(400);
    expect(['invalid_request', 'cursor_invalid', 'range_reversed']).toContain(body.code);
    const names = body.details.map(({ at }: { at: string }) => at);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(query).toContain(name);
    expect(body.error.length).toBeGreaterThan(10);
  });

  test.each(['EN', 'pt', 'en_GB', 'e'])('?locale=%s is a 400 that lists the languages', async (locale) => {
    const { body } = await get(`locale=${locale}`);
    expect(body.error).toMatch(/, for example en, de, es, fr or ja$/);
    expect(body.details).toMatchObject([{ at: 'locale', nearest: ['en', 'de', 'es', 'fr', 'ja'] }]);
  });

  test('takes the plus of an offset encoded, and as people type it', async () => {
    const local = '2026-11-21T13:44:50';
    const wants = await Promise.all(
      [`${local}%2B05:45`, `${local}+05:45`, `${local}%2005:45`, '2026-11-21T07:59:50Z'].map((startDate) =>
        get(`startDate=${startDate}`),
      ),
    );
    expect(wants.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(wants[0]?.body.payload.length).toBeGreaterThan(10);
    expect(new Set(wants.map(({ body }) => body.payload.length)).size).toBe(1);
  });
});

/** The whole log, newest first, by pages. */
async function walk(deviceId: string, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for (let query = `limit=${limit}`; query !== ''; ) {
    const { payload, nextCursor }: LogPage = (await get(query, deviceId)).body;
    ids.push(...payload.map(({ id }) => id));
    query = nextCursor === '' ? '' : `cursor=${nextCursor}`;
  }
  return ids;
}

test('pushes and walks at once lose nothing and double nothing', async () => {
  // Eight phones read one lock: each has 30 batches of 25 items, and every item is on two phones.
  const batches = Array.from({ length: 120 }, (_, batch) =>
    Array.from({ length: 25 }, (_, index) =>
      makeItem(`shared-${batch}-${index}`, log(51, testNow - ((batch * 7 + index) % 40) * 1000), { ts: testNow }),
    ),
  );
  const phones = Array.from({ length: 8 }, (_, phone) => batches.filter((_, batch) => batch % 4 === phone % 4));
  const acknowledged = new Set<number>();
  let isPushing = true;
  const pushing = Promise.all(
    phones.map(async (own) => {
      for (const batch of own) {
        const answer = await push(batch, { deviceId: busy });
        expect(answer).toMatchObject({ status: 200, body: { accepted: 25, rejected: [] } });
        acknowledged.add(batches.indexOf(batch));
      }
    }),
  ).finally(() => {
    isPushing = false;
  });
  const walks: { readonly before: number; readonly ids: readonly string[] }[] = [];
  const reading = Promise.all(
    [37, 300].map(async (limit) => {
      while (isPushing) {
        const before = acknowledged.size * 25;
        walks.push({ before, ids: await walk(busy, limit) });
      }
    }),
  );
  await Promise.all([pushing, reading]);

  const all = await walk(busy, 300);
  expect(all).toHaveLength(3000);
  expect(new Set(all).size).toBe(3000);
  expect(walks.length).toBeGreaterThan(4);
  for (const { before, ids } of walks) {
    expect(new Set(ids).size).toBe(ids.length);
    // Entries stored before a walk began are in it.
    expect(ids.length).toBeGreaterThanOrEqual(before);
  }
});

test('digits that were typed are in no answer, no log and no database', async () => {
  const at = testNow - 60_000;
  const answer = await push([
    makeItem('typed-right', log(22, at, { pin }), { ts: testNow }),
    makeItem('typed-wrong', log(16, at, { pin: wrongPin, keyId: wrongPin, note: wrongPin }), { ts: testNow }),
    makeItem('other-text', `keypad: ${pin} then ${wrongPin}`, { ts: testNow }),
    {
      id: 'as-object',
      ts: testNow,
      user: pin,
      owner: wrongPin,
      payload: { lockName: pin, log: JSON.stringify(log(18, at, { pin })) },
    },
    JSON.stringify({ id: pin, ts: testNow, lockRef: wrongPin, payload: { log: '' } }),
  ]);
  expect(answer).toMatchObject({ status: 200, body: { accepted: 4, rejected: [{ index: 4 }] } });
  const { payload } = (await get('sort=activityTimeAt')).body;
  const named = payload.filter(({ accessName }: { accessName?: string }) => accessName === 'Cleaner');
  expect(named).toHaveLength(2);
  expect(named[0]).toMatchObject({ pinId: derivePinId(keys.deviceKey, front, pin) });

  const kept = await database.readAll();
  expect(kept).toContain('Cleaner');
  const places = { answers: answered.join(), log: JSON.stringify(app.logged), database: kept };
  for (const [place, text] of Object.entries(places))
    for (const digits of [pin, wrongPin]) expect(text.includes(digits), `${digits} in the ${place}`).toBe(false);
});

test('no answer broke the contract', () => {
  expect(app.logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  // Differential validation found no disagreement.
  expect(app.logged.filter(({ level }) => Number(level) === 40)).toEqual([]);
});
