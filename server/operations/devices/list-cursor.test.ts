import { afterAll, describe, expect, test } from 'vitest';
import { createCursors } from '../cursor.ts';
import { harbourAndMeadow } from '../fixtures/harbour.ts';
import { makeDevice, openFixture, type Request } from '../fixtures/open-fixture.ts';

const fixture = await openFixture(harbourAndMeadow);
afterAll(() => fixture.store.close());

const pins = 'getDevicesSupportingAlgoPin' as const;
const first = (query: Request['query'] = {}, more: Partial<Request> = {}) =>
  fixture.askPage({ limit: 1, ...query }, more).then(({ nextCursor }) => nextCursor);
const ask = (query: Request['query'], more: Partial<Request> = {}) =>
  fixture.ask({ operation: 'getDevices', query, ...more });

const plain = await first();
const bytes = Buffer.from(plain, 'base64url');
const unreadable = {
  status: 400,
  body: {
    error:
      'cursor is not one that this account was given, or is cut off or changed: send nextCursor as it came; or start again without cursor',
    code: 'cursor_invalid',
    details: [
      { in: 'query', at: 'cursor', says: 'must be the nextCursor of the previous page, unchanged', nearest: [] },
    ],
  },
};

function change(index: number, mask: number): string {
  const changed = Buffer.from(bytes);
  changed[index] = (changed[index] ?? 0) ^ mask;
  return changed.toString('base64url');
}

const hostile = [
  { name: 'forged', given: 'EXAMPLE-CURSOR-PAGE-2' },
  { name: 'of one character', given: 'A' },
  { name: 'of 512 characters', given: 'A'.repeat(512) },
  { name: 'of another account', given: await first({}, { account: 'meadow' }) },
  {
    name: 'sealed under another key',
    given: createCursors(Buffer.alloc(32), () => Buffer.alloc(12)).seal('harbour', Buffer.alloc(40)),
  },
  { name: 'cut by one character', given: plain.slice(0, -1) },
  { name: 'cut by four', given: plain.slice(0, -4) },
  { name: 'cut in half', given: plain.slice(0, plain.length / 2) },
  { name: 'longer by one character', given: `${plain}A` },
  { name: 'longer by four', given: `${plain}AAAA` },
  { name: 'sent twice over', given: plain + plain },
  { name: 'encoded again', given: Buffer.from(plain).toString('base64url') },
  { name: 'in hexadecimal', given: bytes.toString('hex') },
  { name: 'of version 0', given: change(0, 1) },
  { name: 'of version 2', given: change(0, 3) },
];

describe('a cursor is rejected', () => {
  test.each(hostile)('$name', async ({ given }) => {
    expect(await ask({ cursor: given })).toEqual(unreadable);
  });

  test('with one bit changed, at every byte', async () => {
    for (let index = 0; index < bytes.length; index += 1)
      expect(await ask({ cursor: change(index, 1 << (index % 8)) })).toEqual(unreadable);
  });

  test('of another account and forged, in the same bytes', async () => {
    const foreign = await ask({ cursor: await first({}, { account: 'meadow' }), sort: 'pairedAt' });
    expect(JSON.stringify(foreign)).toBe(JSON.stringify(await ask({ cursor: plain.slice(0, -4), type: 'Lock' })));
  });
});

const made = { sort: '-deviceName', type: 'Lock', search: 'Door' };
const full = await first(made);

const contradicting = [
  {
    name: 'at the other list',
    given: { cursor: plain },
    operation: pins as typeof pins | undefined,
    text: 'cursor belongs to GET /devices, not to GET /devices/support-pins: send it there',
    details: [{ at: 'cursor', says: 'must be a nextCursor of GET /devices/support-pins', nearest: [] }],
  },
  {
    name: 'from the other list',
    given: { cursor: await first({}, { operation: pins }) },
    text: 'cursor belongs to GET /devices/support-pins, not to GET /devices: send it there',
    details: [{ at: 'cursor', says: 'must be a nextCursor of GET /devices', nearest: [] }],
  },
  {
    name: 'another sort',
    given: { cursor: full, sort: 'deviceName' },
    text: 'sort deviceName contradicts the cursor, which was made with sort -deviceName: leave sort out or send -deviceName',
    details: [{ at: 'sort', says: 'must be -deviceName or left out beside this cursor', nearest: ['-deviceName'] }],
  },
  {
    name: 'another sort than the one that was left out',
    given: { cursor: plain, sort: '-deviceName' },
    text: 'sort -deviceName contradicts the cursor, which was made with sort deviceName: leave sort out or send deviceName',
    details: [{ at: 'sort', says: 'must be deviceName or left out beside this cursor', nearest: ['deviceName'] }],
  },
  {
    name: 'another type',
    given: { cursor: full, type: 'Bridge' },
    text: 'type Bridge contradicts the cursor, which was made with type Lock: leave type out or send Lock',
    details: [{ at: 'type', says: 'must be Lock or left out beside this cursor', nearest: ['Lock'] }],
  },
  {
    name: 'another search',
    given: { cursor: full, search: 'doors' },
    text: 'search doors contradicts the cursor, which was made with search door: leave search out or send door',
    details: [{ at: 'search', says: 'must be door or left out beside this cursor', nearest: ['door'] }],
  },
  {
    name: 'a type added',
    given: { cursor: plain, type: 'Lock' },
    text: 'type Lock contradicts the cursor, which was made without type: leave type out',
    details: [{ at: 'type', says: 'must be left out beside this cursor', nearest: [] }],
  },
  {
    name: 'a search added',
    given: { cursor: plain, search: 'door' },
    text: 'search door contradicts the cursor, which was made without search: leave search out',
    details: [{ at: 'search', says: 'must be left out beside this cursor', nearest: [] }],
  },
  {
    name: 'several at once',
    given: { cursor: plain, sort: 'pairedAt', type: 'Lock' },
    text: 'sort pairedAt contradicts the cursor, which was made with sort deviceName: leave sort out or send deviceName; type Lock contradicts the cursor, which was made without type: leave type out',
    details: [
      { at: 'sort', says: 'must be deviceName or left out beside this cursor', nearest: ['deviceName'] },
      { at: 'type', says: 'must be left out beside this cursor', nearest: [] },
    ],
  },
];

describe('a parameter contradicts the cursor, and the text names it,', () => {
  test.each(contradicting)('$name', async ({ given, text, details, operation }) => {
    expect(await ask(given, { operation: operation ?? 'getDevices' })).toEqual({
      status: 400,
      body: {
        error: `${text}; or start again without cursor`,
        code: 'cursor_invalid',
        details: details.map((detail) => ({ in: 'query', ...detail })),
      },
    });
  });

  test('with the longest search that a request can have, in a text that fits', async () => {
    const search = '\u{1f422}'.repeat(64);
    const own = await openFixture(['A', 'B'].map((deviceId) => makeDevice({ deviceId, deviceName: search })));
    const { nextCursor } = await own.askPage({ search, limit: 1 });
    const other = '\u{1f98e}'.repeat(64);
    const answer = await own.ask({ operation: 'getDevices', query: { cursor: nextCursor, search: other } });
    expect(answer).toMatchObject({ status: 400, body: { code: 'cursor_invalid', details: [{ nearest: [search] }] } });
    await own.store.close();
  });
});

const followed = [
  { name: 'alone', given: {} },
  { name: 'with the same parameters', given: made },
  { name: 'with some of them', given: { sort: made.sort } },
  { name: 'with the search in another case', given: { search: 'DOOR' } },
];

describe('a cursor is followed', () => {
  test.each(followed)('$name', async ({ given }) => {
    const want = (await fixture.askPage(made)).payload.slice(1);
    expect(want.length).toBeGreaterThan(2);
    expect((await fixture.askPage({ ...given, cursor: full, limit: 300 })).payload).toEqual(want);
    expect((await fixture.askPage({ ...given, cursor: full })).payload).toEqual(want.slice(0, 1));
  });

  test('as often as it is sent', async () => {
    const [once, again] = [await fixture.askPage({ cursor: plain }), await fixture.askPage({ cursor: plain })];
    expect(again.payload).toEqual(once.payload);
    expect(again.nextCursor).not.toBe(once.nextCursor);
  });

  test('by another instance of the service that has the same keys', async () => {
    const other = await openFixture(harbourAndMeadow);
    expect((await other.askPage({ cursor: full })).payload).toEqual((await fixture.askPage({ cursor: full })).payload);
    await other.store.close();
  });

  test('with its own limit and expand, or with others', async () => {
    const cursor = await first({ type: 'Bridge', expand: 'properties' });
    expect((await fixture.askPage({ cursor })).payload).toMatchObject([{ properties: [{ name: 'Harbour House' }] }]);
    const { payload } = await fixture.askPage({ cursor, limit: 5, expand: 'linkedDevices' });
    expect(payload).toMatchObject([
      { linkedDevices: [{ deviceName: 'Front door keypad' }, { deviceName: 'Front door' }] },
    ]);
    expect(payload[0]).not.toHaveProperty('properties');
  });

  test('with a limit of 100 where none was ever sent', async () => {
    const many = Array.from({ length: 201 }, (_, index) => makeDevice({ deviceId: `D${1000 + index}` }));
    const own = await openFixture(many);
    expect((await own.walk({})).map(({ payload }) => payload.length)).toEqual([100, 100, 1]);
    await own.store.close();
  });
});
