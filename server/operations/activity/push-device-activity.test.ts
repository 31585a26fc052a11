import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { derivePinId } from '../../algopin/derive-pin-id.ts';
import { deriveLockRef } from '../devices/device-secrets.ts';
import { keys, now } from '../fixtures/open-fixture.ts';
import { frontDoor, makeCode, makeItem, openActivityFixture } from './fixtures/activity-fixture.ts';

type Fixture = Awaited<ReturnType<typeof openActivityFixture>>;
let fixture: Fixture;
beforeEach(async () => {
  fixture = await openActivityFixture();
});
afterEach(() => fixture.store.close());

const day = 86_400_000;
const pin = '482915037';
const wrongPin = '735120846';
const good = (id: string) => makeItem(id, { logType: 51, entryDate: 1795194000, keyId: 1 });
const locked = { activityType: 'LOCK', activityTimeAt: '2026-11-20T18:00:00+01:00', rawType: 51 };
const ahead = now + day + 1;

const cases = [
  { name: 'no items', given: [], body: { message: '0 entries stored', accepted: 0, rejected: [] }, log: [] },
  { name: 'one', given: [good('a')], body: { message: '1 entry stored', accepted: 1, rejected: [] }, log: [locked] },
  {
    name: 'two',
    given: [good('a'), good('b')],
    body: { message: '2 entries stored', accepted: 2, rejected: [] },
    log: [locked, locked],
  },
  { name: 'one as an object', given: [JSON.parse(good('a'))], body: { accepted: 1 }, log: [locked] },
  {
    name: 'one in text and as an object',
    given: [good('a'), JSON.parse(good('a'))],
    body: { message: '2 entries stored', accepted: 2, rejected: [] },
    log: [locked],
  },
  {
    name: 'one with its own lockRef',
    given: [makeItem('a', {}, { lockRef: deriveLockRef(keys.deviceKey, frontDoor) })],
    body: { accepted: 1, rejected: [] },
    log: [{ activityType: 'OTHER' }],
  },
  {
    name: 'some that are bad',
    given: [
      'nonsense',
      good('a'),
      makeItem('c', {}, { ts: ahead }),
      makeItem('d', {}, { lockRef: 'other' }),
      good('b'),
    ],
    body: {
      message: '2 entries stored',
      accepted: 2,
      rejected: [
        { index: 0, error: 'is not JSON text' },
        { index: 2, error: `ts ${ahead} is more than 24 hours ahead` },
        { index: 3, error: 'lockRef is not that of this device' },
      ],
    },
    log: [locked, locked],
  },
];

describe('a push of', () => {
  test.each(cases)('$name', async ({ given, body, log }) => {
    expect(await fixture.push(given)).toMatchObject({ status: 200, body });
    expect((await fixture.getPage()).payload).toMatchObject(log);
  });

  test('the most items that one request may have make one entry each', async () => {
    expect(await fixture.push(Array.from({ length: 100 }, (_, index) => good(`${index}`)))).toMatchObject({
      body: { accepted: 100 },
    });
    expect((await fixture.getPage({ limit: 300 })).payload).toHaveLength(100);
  });

  test('bad items alone is rejected, each named, and nothing is stored', async () => {
    const given = [pin, makeItem('a', {}, { ts: ahead })];
    expect(await fixture.push(given)).toEqual({
      status: 400,
      body: {
        error: 'None of the 2 items can be stored; the first: is not a JSON object',
        code: 'log_unreadable',
        details: [
          { in: 'body', at: '/logsPayload/0', says: 'is not a JSON object', nearest: [] },
          { in: 'body', at: '/logsPayload/1', says: `ts ${ahead} is more than 24 hours ahead`, nearest: [] },
        ],
      },
    });
    expect((await fixture.getPage()).payload).toEqual([]);
    const hundred = await fixture.push(Array.from({ length: 100 }, () => pin));
    expect(hundred).toMatchObject({ status: 400, body: { details: { length: 100 } } });
  });

  test.each([
    { name: 'no text of an item', given: pin, why: 'is not a JSON object' },
    {
      name: 'a time too far ahead',
      given: makeItem('a', {}, { ts: ahead }),
      why: `ts ${ahead} is more than 24 hours ahead`,
    },
    { name: 'a bad time', given: makeItem('a', {}, { ts: 1 }), why: 'ts must be from 1420070400000 to 4102444800000' },
  ])('the text names the fault of a single bad item: $name', async ({ given, why }) => {
    expect(await fixture.push([given])).toMatchObject({
      status: 400,
      body: { error: `The item can't be stored: ${why}`, details: [{ says: why }] },
    });
  });

  test.each([
    { name: 'a device that nobody has', whose: { deviceId: 'LK9Z00000000' } },
    { name: 'a device of another account', whose: { deviceId: 'LK2B00000001' } },
  ])('items to $name is 404, and nothing is stored', async ({ whose }) => {
    expect(await fixture.push([good('a')], whose)).toEqual({
      status: 404,
      body: { message: 'not found device', code: 'device_not_found' },
    });
    const query = { deviceId: whose.deviceId, from: null, before: null, descending: false, after: null, limit: 1 };
    expect(await fixture.store.activity.list(query)).toEqual([]);
  });

  test.each(['LK2A00000005', 'LK2A00000007', 'BR1A00000001'])(
    'items to %s, without timezone, property or battery, is taken',
    async (deviceId) => {
      expect(await fixture.push([good('a')], { deviceId })).toMatchObject({ status: 200, body: { accepted: 1 } });
      const query = { deviceId, from: null, before: null, descending: false, after: null, limit: 2 };
      expect(await fixture.store.activity.list(query)).toMatchObject([{ at: 1795194000000, type: 'LOCK' }]);
    },
  );
});

test('a bridge has no name that an item could call it by', async () => {
  const deviceId = 'BR1A00000001';
  const called = makeItem('a', {}, { lockRef: deriveLockRef(keys.deviceKey, deviceId) });
  expect(await fixture.push([called, good('b')], { deviceId })).toMatchObject({
    status: 200,
    body: { accepted: 1, rejected: [{ index: 0, error: 'lockRef is not that of this device' }] },
  });
});

describe('one item', () => {
  test('pushed again is the same answer and the same entry, the first', async () => {
    const first = await fixture.push([good('a'), 'nonsense']);
    const before = await fixture.getPage();
    fixture.clock.at = now + 5000;
    expect(await fixture.push([good('a'), 'nonsense'])).toEqual(first);
    expect(await fixture.push([makeItem('a', { logType: 43 })])).toMatchObject({ body: { accepted: 1 } });
    expect(await fixture.getPage()).toEqual(before);
  });

  test('twice in one push counts twice and is one entry, the first', async () => {
    const second = makeItem('a', { logType: 43, entryDate: 1795194001 });
    expect(await fixture.push([good('a'), second])).toMatchObject({
      body: { message: '2 entries stored', accepted: 2 },
    });
    expect((await fixture.getPage()).payload).toMatchObject([locked]);
  });

  test('at two devices is two entries', async () => {
    await fixture.push([good('a')]);
    await fixture.push([good('a')], { deviceId: 'LK2A00000003' });
    const [one, other] = await Promise.all(
      [frontDoor, 'LK2A00000003'].map((deviceId) => fixture.getPage({}, { deviceId })),
    );
    expect([one?.payload.length, other?.payload.length]).toEqual([1, 1]);
    expect(one?.payload[0]?.id).not.toBe(other?.payload[0]?.id);
  });
});

describe('digits', () => {
  const pinId = derivePinId(keys.deviceKey, frontDoor, pin);
  const typed = (id: string, digits: string, logType = 18) =>
    makeItem(id, { logType, entryDate: 1795194000, pin: digits });

  test('find the code that they are of, and the name that it has then', async () => {
    await fixture.store.accessCodes.issue(makeCode({ pinId }));
    await fixture.push([typed('a', pin, 22)]);
    await fixture.store.accessCodes.issue(makeCode({ pinId, accessName: 'Cleaner of the week' }));
    await fixture.push([makeItem('b', { logType: 18, entryDate: 1795194001, pin })]);
    expect((await fixture.getPage({ sort: 'activityTimeAt' })).payload).toMatchObject([
      { pinId, accessName: 'Cleaner', firstUse: true, description: 'Unlocked with the code "Cleaner"' },
      { pinId, accessName: 'Cleaner of the week', description: 'Unlocked with the code "Cleaner of the week"' },
    ]);
  });

  test('of a passage code give its hours', async () => {
    await fixture.store.accessCodes.issue(makeCode({ pinId, accessName: 'Party', durationHours: 3 }));
    await fixture.push([typed('a', pin, 200)]);
    const { payload } = await fixture.getPage({ locale: 'fr' });
    expect(payload).toMatchObject([
      {
        activityType: 'PASSAGE_STARTED',
        accessName: 'Party',
        description: 'Maintenu ouvert 3\u00a0heures avec le code «\u00a0Party\u00a0»',
      },
    ]);
  });

  test('of no code, and of a code of another device, leave nothing behind', async () => {
    await fixture.store.accessCodes.issue(
      makeCode({ pinId: derivePinId(keys.deviceKey, 'LK2A00000003', pin), deviceId: 'LK2A00000003' }),
    );
    await fixture.push([typed('a', pin, 16), typed('b', wrongPin, 16)]);
    const { payload } = await fixture.getPage();
    expect(payload).toHaveLength(2);
    for (const entry of payload) {
      expect(entry).not.toHaveProperty('pinId');
      expect(entry).not.toHaveProperty('accessName');
    }
  });

  test('stand in no answer, wherever they were', async () => {
    await fixture.store.accessCodes.issue(makeCode({ pinId }));
    const answers = [
      await fixture.push([
        typed('a', pin),
        makeItem('b', `someone typed ${pin}`),
        makeItem('c', { logType: 16, pin: wrongPin, keyId: wrongPin, note: pin }),
      ]),
      await fixture.push([
        `{"id":"${pin}`,
        makeItem(pin, {}, { lockRef: pin }),
        JSON.stringify({ id: pin, ts: Number(pin), payload: { log: pin } }),
      ]),
      await fixture.get(),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200]);
    for (const answer of answers)
      for (const digits of [pin, wrongPin]) expect(JSON.stringify(answer)).not.toContain(digits);
  });
});

describe('an entry is kept 400 days from its arrival', () => {
  test.each([
    { name: 'of no date', log: { logType: 51, entryDate: 0 }, at: '2026-11-20T17:59:59+01:00' },
    { name: 'of 2015', log: { logType: 51, entryDate: 1_420_070_400 }, at: '2015-01-01T01:00:00+01:00' },
    { name: 'of the year 5138', log: { logType: 51, entryDate: 99_999_999_999 }, at: '2026-11-20T17:59:59+01:00' },
  ])('$name', async ({ log, at }) => {
    await fixture.push([makeItem('a', log)]);
    expect(await fixture.store.activity.purge(now, 500)).toBe(0);
    expect((await fixture.getPage()).payload).toMatchObject([{ activityType: 'LOCK', activityTimeAt: at }]);
    expect(await fixture.store.activity.purge(now + 1, 500)).toBe(1);
  });
});

test('an item may be 24 hours ahead, not a millisecond more', async () => {
  expect(await fixture.push([makeItem('a', {}, { ts: now + day })])).toMatchObject({ status: 200 });
  expect(await fixture.push([makeItem('b', {}, { ts: now + day + 1 })])).toMatchObject({ status: 400 });
  fixture.clock.at = now + 1;
  expect(await fixture.push([makeItem('b', {}, { ts: now + day + 1 })])).toMatchObject({ status: 200 });
});

test('a push that the store can not take is no success', async () => {
  await fixture.store.close();
  await expect(fixture.push([good('a')])).rejects.toThrow();
  fixture = await openActivityFixture();
});
