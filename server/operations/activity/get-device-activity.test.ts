import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCursors } from '../cursor.ts';
import { packDeviceCursor } from '../devices/device-cursor.ts';
import { keys, now } from '../fixtures/open-fixture.ts';
import { frontDoor, makeEntry, openActivityFixture } from './fixtures/activity-fixture.ts';

const fixture = await openActivityFixture();
afterAll(() => fixture.store.close());

const idOf = (number: number) => number.toString(16).padStart(24, '0');
const patan = 'LK2A00000004';

const notFound = { message: 'not found device', code: 'device_not_found' };

describe('the log of a device', () => {
  test.each([
    { name: 'that nobody has', whose: { deviceId: 'LK9Z00000000' }, want: [404, notFound] },
    { name: 'of another account', whose: { deviceId: 'LK2B00000001' }, want: [404, notFound] },
    {
      name: 'of another account, under its owner',
      whose: { account: 'meadow', deviceId: frontDoor },
      want: [404, notFound],
    },
    {
      name: 'in no property',
      whose: { deviceId: 'LK2A00000007' },
      want: [404, { message: 'not found property', code: 'property_not_found' }],
    },
    {
      name: 'whose property has no timezone',
      whose: { deviceId: 'LK2A00000005' },
      want: [409, { message: "The device's property has no timezone", code: 'no_timezone' }],
    },
    {
      name: 'whose first property has no timezone',
      whose: { deviceId: 'LK2A00000008' },
      want: [409, { code: 'no_timezone' }],
    },
    { name: 'with nothing in it', whose: { deviceId: 'LK2A00000003' }, want: [200, { payload: [], nextCursor: '' }] },
    { name: 'that is a bridge', whose: { deviceId: 'BR1A00000001' }, want: [200, { payload: [], nextCursor: '' }] },
  ])('$name is $want.0', async ({ whose, want }) => {
    const { status, body } = await fixture.get({}, whose);
    expect([status, body]).toMatchObject(want);
  });

  test('is judged in order: dates, device, property, timezone, then cursor and range', async () => {
    const reversed = { startDate: '2026-11-20', endDate: '2026-11-19' };
    const of = async (query: Record<string, string>, deviceId: string) => (await fixture.get(query, { deviceId })).body;
    expect(await of({ startDate: '2026-02-30' }, 'LK9Z00000000')).toMatchObject({ code: 'invalid_request' });
    expect(await of({ ...reversed, cursor: 'x' }, 'LK9Z00000000')).toMatchObject({ code: 'device_not_found' });
    expect(await of({ ...reversed, cursor: 'x' }, 'LK2A00000007')).toMatchObject({ code: 'property_not_found' });
    expect(await of({ ...reversed, cursor: 'x' }, 'LK2A00000005')).toMatchObject({ code: 'no_timezone' });
    expect(await of({ ...reversed, cursor: 'x' }, frontDoor)).toMatchObject({ code: 'cursor_invalid' });
    expect(await of(reversed, frontDoor)).toMatchObject({ code: 'range_reversed' });
  });
});

test('an entry shows what is known of it, in the time of its property, and nothing else', async () => {
  const own = await openActivityFixture();
  const known = { pinId: 'b'.repeat(24), accessName: 'Cleaner', firstUse: true, rawType: 22 };
  await own.store.activity.add([
    makeEntry({
      id: idOf(1),
      deviceId: patan,
      type: 'UNLOCK',
      method: 'pin',
      at: now + 999,
      receivedAt: now + 61_000,
      ...known,
    }),
    makeEntry({ id: idOf(2), deviceId: patan, at: now - 1000, type: 'OTHER', method: 'unknown', rawType: null }),
  ]);
  expect(await own.getPage({}, { deviceId: patan })).toEqual({
    payload: [
      {
        id: idOf(1),
        activityTimeAt: '2026-11-20T22:45:00+05:45',
        activityType: 'UNLOCK',
        description: 'Unlocked with the code "Cleaner"',
        method: 'pin',
        receivedAt: '2026-11-20T22:46:01+05:45',
        ...known,
      },
      {
        id: idOf(2),
        activityTimeAt: '2026-11-20T22:44:59+05:45',
        activityType: 'OTHER',
        description: 'Other activity',
        method: 'unknown',
        receivedAt: '2026-11-20T22:45:00+05:45',
      },
    ],
    nextCursor: '',
  });
  await own.store.close();
});

describe('filters of a log in Kathmandu', () => {
  const times = [
    '2026-11-19T18:14:59.999Z', // 23:59:59 of the 19th
    '2026-11-19T18:15:00.000Z', // 00:00 of the 20th
    '2026-11-20T09:15:00.000Z', // 15:00
    '2026-11-20T18:14:59.999Z', // 23:59:59
    '2026-11-20T18:15:00.000Z', // 00:00 of the 21st
  ];
  beforeAll(() =>
    fixture.store.activity.add(
      times.map((time, index) => makeEntry({ id: idOf(index), deviceId: patan, at: Date.parse(time) })),
    ),
  );

  test.each([
    { query: {}, want: [4, 3, 2, 1, 0] },
    { query: { startDate: '2026-11-20', endDate: '2026-11-20' }, want: [3, 2, 1] },
    { query: { startDate: '2026-11-20' }, want: [4, 3, 2, 1] },
    { query: { endDate: '2026-11-20' }, want: [3, 2, 1, 0] },
    { query: { endDate: '2026-11-19' }, want: [0] },
    { query: { startDate: '2026-11-22' }, want: [] },
    { query: { startDate: '2026-11-20T15:00:00+05:45' }, want: [4, 3, 2] },
    { query: { startDate: '2026-11-20T15:00:00 05:45' }, want: [4, 3, 2] },
    { query: { endDate: '2026-11-20T15:00:00+05:45' }, want: [1, 0] },
    { query: { endDate: '2026-11-20T09:15:00.001Z' }, want: [2, 1, 0] },
    { query: { startDate: '2026-11-20', endDate: '2026-11-20T15:00:00+05:45' }, want: [1] },
    { query: { startDate: '2026-11-20T09:15:00Z', endDate: '2026-11-20', sort: 'activityTimeAt' }, want: [2, 3] },
    { query: { startDate: '0000-01-01', endDate: '9999-12-31' }, want: [4, 3, 2, 1, 0] },
  ])('$query find $want', async ({ query, want }) => {
    const { payload } = await fixture.getPage(query, { deviceId: patan });
    expect(payload.map(({ id }) => id)).toEqual(want.map(idOf));
  });

  test('are rejected with every field that is no date, and what would do', async () => {
    const query = { startDate: '2026-02-30', endDate: '2026-11-20T24:00:00 05:45' };
    expect(await fixture.get(query, { deviceId: patan })).toEqual({
      status: 400,
      body: {
        error: 'startDate 2026-02-30 is no date, use 2026-02-28',
        code: 'invalid_request',
        details: [
          {
            in: 'query',
            at: 'startDate',
            says: 'startDate 2026-02-30 is no date, use 2026-02-28',
            nearest: ['2026-02-28'],
          },
          {
            in: 'query',
            at: 'endDate',
            says: 'endDate 2026-11-20T24:00:00+05:45 is no time, use 2026-11-21T00:00:00+05:45',
            nearest: ['2026-11-21T00:00:00+05:45'],
          },
        ],
      },
    });
  });

  test.each([
    { start: '2026-11-20', end: '2026-11-19' },
    { start: '2026-11-20T15:00:00Z', end: '2026-11-20T15:00:00Z' },
    { start: '2026-11-20T18:15:00Z', end: '2026-11-20' },
  ])('are rejected where $end is not after $start', async ({ start, end }) => {
    const answer = await fixture.get({ startDate: start, endDate: end }, { deviceId: patan });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: `endDate ${end} is not after startDate ${start}`,
        code: 'range_reversed',
        details: [{ in: 'query', at: 'endDate', says: 'must be after startDate', nearest: [expect.any(String)] }],
      },
    });
    const [{ nearest }] = (answer.body as { details: [{ nearest: [string] }] }).details;
    expect((await fixture.get({ startDate: start, endDate: nearest[0] }, { deviceId: patan })).status).toBe(200);
  });

  test('take the days on which clocks change as people there have them', async () => {
    const own = await openActivityFixture();
    const at = (local: string) => Date.parse(local);
    const entries = [
      '2026-10-25T00:00:00+02:00',
      '2026-10-25T02:30:00+02:00',
      '2026-10-25T02:30:00+01:00',
      '2026-10-25T23:59:59+01:00',
      '2026-10-26T00:00:00+01:00',
    ];
    await own.store.activity.add(entries.map((local, index) => makeEntry({ id: idOf(index), at: at(local) })));
    const { payload } = await own.getPage({ startDate: '2026-10-25', endDate: '2026-10-25', sort: 'activityTimeAt' });
    expect(payload.map(({ activityTimeAt }) => activityTimeAt)).toEqual(entries.slice(0, 4));
    await own.store.close();
  });
});

describe('a cursor of a log', async () => {
  const own = await openActivityFixture();
  await own.store.activity.add(
    Array.from({ length: 6 }, (_, index) => makeEntry({ id: idOf(index), at: now + index * 1000 })),
  );
  await own.store.activity.add(
    Array.from({ length: 3 }, (_, index) => makeEntry({ id: idOf(index), deviceId: patan })),
  );
  afterAll(() => own.store.close());
  const made = { sort: 'activityTimeAt', startDate: '2026-11-20', endDate: '2026-11-20', limit: 2 };
  const { nextCursor: full } = await own.getPage({ ...made, locale: 'de' });
  const { nextCursor: plain } = await own.getPage({ limit: 2 });

  test.each([
    { name: 'alone', query: {} },
    { name: 'with the same parameters', query: made },
    {
      name: 'with filters of the same meaning',
      query: { startDate: '2026-11-20T00:00:00+01:00', endDate: '2026-11-20T23:00:00Z' },
    },
  ])('is followed $name', async ({ query }) => {
    const { payload } = await own.getPage({ ...query, cursor: full });
    expect(payload.map(({ id, description }) => [id, description])).toEqual([
      [idOf(2), 'Mit dem Schlüssel verriegelt'],
      [idOf(3), 'Mit dem Schlüssel verriegelt'],
    ]);
  });

  test('is followed with another limit and another language, and hands them on', async () => {
    const { payload, nextCursor } = await own.getPage({ cursor: full, limit: 1, locale: 'fr-CA' });
    expect(payload.map(({ id, description }) => [id, description])).toEqual([[idOf(2), 'Verrouillé avec la clé']]);
    expect((await own.getPage({ cursor: nextCursor })).payload).toMatchObject([
      { description: 'Verrouillé avec la clé' },
    ]);
  });

  test.each([
    { query: { startDate: '2026-11-20T17:00:02Z' }, want: [5, 4, 3, 2] },
    { query: { endDate: '2026-11-20T17:00:03Z', sort: 'activityTimeAt' }, want: [0, 1, 2] },
  ])('alone keeps to $query on every page', async ({ query, want }) => {
    const ids: string[] = [];
    let page = await own.getPage({ ...query, limit: 1 });
    for (ids.push(...page.payload.map(({ id }) => id)); page.nextCursor !== ''; ) {
      page = await own.getPage({ cursor: page.nextCursor });
      ids.push(...page.payload.map(({ id }) => id));
    }
    expect(ids).toEqual(want.map(idOf));
  });

  test('keeps to its days when the property gets another timezone', async () => {
    const moved = await openActivityFixture();
    await moved.store.activity.add(
      Array.from({ length: 3 }, (_, index) => makeEntry({ id: idOf(index), at: now + index })),
    );
    const { nextCursor } = await moved.getPage({ startDate: '2026-11-20', endDate: '2026-11-20', limit: 1 });
    await moved.store.properties.setTimezone('65a000000000000000000001', 'Pacific/Auckland');
    expect((await moved.getPage({ cursor: nextCursor, limit: 5 })).payload.map(({ id }) => id)).toEqual(
      [1, 0].map(idOf),
    );
    await moved.store.close();
  });

  const contradictions = [
    {
      query: { cursor: plain, sort: 'activityTimeAt' },
      text: 'sort activityTimeAt contradicts the cursor, which was made with sort -activityTimeAt: leave sort out or send -activityTimeAt',
      at: 'sort',
    },
    {
      query: { cursor: plain, startDate: '2026-11-20' },
      text: 'startDate 2026-11-20 contradicts the cursor, which was made without startDate: leave startDate out',
      at: 'startDate',
    },
    {
      query: { cursor: full, endDate: '2026-11-21' },
      text: 'endDate 2026-11-21 contradicts the cursor, which was made with endDate 2026-11-20: leave endDate out or send 2026-11-20',
      at: 'endDate',
    },
    {
      query: { cursor: full, startDate: '2026-11-21' },
      text: 'startDate 2026-11-21 contradicts the cursor, which was made with startDate 2026-11-20: leave startDate out or send 2026-11-20',
      at: 'startDate',
    },
  ];
  test.each(contradictions)('is rejected: $text', async ({ query, text, at }) => {
    expect(await own.get(query)).toMatchObject({
      status: 400,
      body: { error: `${text}; or start again without cursor`, code: 'cursor_invalid', details: [{ in: 'query', at }] },
    });
  });

  test('is rejected at another device, in the words of who owns both', async () => {
    expect(await own.get({ cursor: plain }, { deviceId: patan })).toMatchObject({
      status: 400,
      body: {
        error: `cursor belongs to GET /devices/${frontDoor}/activity, not to GET /devices/${patan}/activity: send it there; or start again without cursor`,
        code: 'cursor_invalid',
      },
    });
  });

  test.each([
    ['getDevices', 'GET /devices'],
    ['getDevicesSupportingAlgoPin', 'GET /devices/support-pins'],
  ] as const)('of %s is rejected with the name of its list, and to no other account', async (operation, name) => {
    const filters = { type: undefined, search: undefined, expand: undefined };
    const list = { operation, sort: 'deviceName', ...filters, limit: 1 } as const;
    const last = { deviceId: frontDoor, deviceName: 'Front door', pairedAt: now };
    const cursor = createCursors(keys.cursorKey, randomBytes).seal('harbour', packDeviceCursor({ list, last }));
    const text = `cursor belongs to ${name}, not to GET /devices/${frontDoor}/activity: send it there`;
    expect(await own.get({ cursor })).toMatchObject({
      status: 400,
      body: { error: `${text}; or start again without cursor`, code: 'cursor_invalid' },
    });
    const foreign = await own.get({ cursor }, { account: 'meadow', deviceId: 'LK2B00000001' });
    expect(foreign).toEqual(await own.get({ cursor: 'x' }));
  });

  test('is rejected in the same bytes where it is foreign, forged, cut, or changed in any bit', async () => {
    const bytes = Buffer.from(plain, 'base64url');
    const changed = Array.from(bytes, (byte, index) => {
      const copy = Buffer.from(bytes);
      copy[index] = byte ^ (1 << (index % 8));
      return copy.toString('base64url');
    });
    const other = createCursors(Buffer.alloc(32), () => Buffer.alloc(12)).seal('harbour', Buffer.alloc(60));
    const hostile = ['x', 'EXAMPLE-CURSOR-PAGE-2', plain.slice(0, -1), `${plain}A`, other, ...changed];
    const answers = [];
    for (const cursor of hostile) answers.push(await own.get({ cursor }));
    answers.push(await own.get({ cursor: plain }, { account: 'meadow', deviceId: 'LK2B00000001' }));
    expect(answers[0]).toMatchObject({ status: 400, body: { code: 'cursor_invalid', details: [{ at: 'cursor' }] } });
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });
});

test('locales choose the language, and a region is ignored', async () => {
  const own = await openActivityFixture();
  await own.store.activity.add([makeEntry({ id: idOf(1) })]);
  const texts = [];
  for (const locale of ['en', 'en-GB', 'de-CH', 'es-419', 'fr', 'ja-Jpan-JP'])
    texts.push((await own.getPage({ locale })).payload[0]?.description);
  expect(texts).toEqual([
    'Locked by key',
    'Locked by key',
    'Mit dem Schlüssel verriegelt',
    'Bloqueado con llave',
    'Verrouillé avec la clé',
    '鍵で施錠',
  ]);
  await own.store.close();
});
