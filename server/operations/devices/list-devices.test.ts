import { afterAll, describe, expect, test } from 'vitest';
import { harbourAndMeadow } from '../fixtures/harbour.ts';
import { makeDevice, openFixture, type Request } from '../fixtures/open-fixture.ts';

const fixture = await openFixture(harbourAndMeadow);
afterAll(() => fixture.store.close());

const idsOf = async (given: Partial<Request>) =>
  (await fixture.askPage(given.query, given)).payload.map(({ deviceId }) => deviceId);

const pins = { operation: 'getDevicesSupportingAlgoPin' } as const;

const lists = [
  {
    name: 'all, by name',
    given: {},
    want: 'BR1A00000003 LK2A00000005 LK2A00000008 LK2A00000001 LK2A00000003 KP1A00000002 BR1A00000001 KP0A00000003 LK2A00000004 LK2A00000007 LK2A00000006',
  },
  { name: 'another account', given: { account: 'meadow' }, want: 'LK2B00000001 BR1B00000001' },
  { name: 'an account without devices', given: { account: 'nobody' }, want: '' },
  { name: 'type Bridge', given: { query: { type: 'Bridge' } }, want: 'BR1A00000003 BR1A00000001' },
  { name: 'type Keypad', given: { query: { type: 'Keypad' } }, want: 'KP1A00000002 KP0A00000003' },
  { name: 'ties by deviceId', given: { query: { search: 'front', type: 'Lock' } }, want: 'LK2A00000001 LK2A00000003' },
  {
    name: 'ties reversed',
    given: { query: { search: 'front', type: 'Lock', sort: '-deviceName' } },
    want: 'LK2A00000003 LK2A00000001',
  },
  { name: 'by pairedAt', given: { query: { sort: 'pairedAt', type: 'Keypad' } }, want: 'KP0A00000003 KP1A00000002' },
  {
    name: 'by pairedAt, reversed',
    given: { query: { sort: '-pairedAt', type: 'Keypad' } },
    want: 'KP1A00000002 KP0A00000003',
  },
  {
    name: 'support-pins: neither bridges nor the old safe',
    given: { ...pins, query: { search: 'a' } },
    want: 'LK2A00000005 LK2A00000008 KP1A00000002 LK2A00000004 LK2A00000007 LK2A00000006',
  },
  { name: 'support-pins: no bridges', given: { ...pins, query: { type: 'Bridge' } }, want: '' },
  { name: 'support-pins of type Keypad', given: { ...pins, query: { type: 'Keypad' } }, want: 'KP1A00000002' },
  { name: 'part of a name', given: { query: { search: 'door key' } }, want: 'KP1A00000002' },
  { name: 'start of a deviceId', given: { query: { search: 'kp' } }, want: 'KP1A00000002 KP0A00000003' },
  { name: 'not the middle of a deviceId', given: { query: { search: '00000' } }, want: '' },
  { name: 'any case', given: { query: { search: 'FRONT DOOR K' } }, want: 'KP1A00000002' },
  { name: '% as itself', given: { query: { search: '%' } }, want: 'LK2A00000006' },
  { name: '_ as itself', given: { query: { search: '_' } }, want: 'LK2A00000006' },
  { name: '43 \\ as itself', given: { query: { search: '\\' } }, want: '' },
  { name: '43 * as itself', given: { query: { search: '*' } }, want: '' },
  { name: '43 . as itself', given: { query: { search: '.' } }, want: '' },
  { name: 'a quote as itself', given: { query: { search: "'" } }, want: '' },
  { name: 'a NUL finds nothing', given: { query: { search: '\0' } }, want: '' },
  { name: 'a NUL does not truncate a search', given: { query: { search: 'front\0x' } }, want: '' },
  { name: 'nothing of another account', given: { query: { search: 'meadow' } }, want: '' },
  { name: 'no deviceId of another account', given: { query: { search: 'LK2B' } }, want: '' },
  { name: 'an emoji', given: { query: { search: '🐢' } }, want: 'LK2A00000006' },
] as const;

describe('a list', () => {
  test.each(lists)('$name', async ({ given, want }) => {
    expect((await idsOf(given)).join(' ')).toBe(want);
    expect(await fixture.askPage('query' in given ? given.query : {}, given)).toMatchObject({ nextCursor: '' });
  });

  test('has no lastSync, no admin_key and no lockRef, and shows what expand asks for', async () => {
    const query = { expand: 'linkedDevices,properties', admin_key: '1', lock_id: '1' };
    const { payload } = await fixture.askPage(query);
    const text = JSON.stringify(payload);
    for (const absent of ['lastSync', 'admin_key', 'lockRef', 'accountId', 'meadow'])
      expect(text).not.toContain(absent);
    const bridge = payload.find(({ deviceId }) => deviceId === 'BR1A00000001');
    const [, lock] = (bridge as unknown as { linkedDevices: readonly object[] }).linkedDevices;
    expect(lock).toEqual(
      expect.objectContaining({
        deviceId: 'LK2A00000001',
        batteryLevel: 87,
        linkedDevices: [{ deviceId: 'KP1A00000002', type: 'Keypad' }],
        properties: [{ id: '65a000000000000000000001', name: 'Harbour House', timezone: 'Europe/Berlin' }],
      }),
    );
  });

  test('shows devices without timezone in UTC', async () => {
    const { payload } = await fixture.askPage({ search: 'unassigned', expand: 'properties' }, pins);
    expect(payload).toMatchObject([
      { timezone: null, pairedAt: '2026-03-02T09:15:00+00:00', homeId: [], properties: [] },
    ]);
  });

  test('has no count, of its own account or another', async () => {
    expect(Object.keys(await fixture.askPage({ limit: 1 }))).toEqual(['payload', 'nextCursor']);
  });
});

/** Names and searches that look the same to a person: NFC of NFD, and lower case of letters outside ASCII. */
const spellings = [
  { name: 'capital Ż finds ż', given: 'Ż', finds: 'żółta' },
  { name: 'small ż finds Ż', given: 'ż', finds: 'ŻÓŁTA' },
  { name: 'NFC finds NFD', given: 'Caf\u00e9', finds: 'cafe\u0301' },
  { name: 'NFD finds NFC', given: 'cafe\u0301', finds: 'CAF\u00c9' },
  { name: 'ß finds ß', given: 'ß', finds: 'Straße' },
  { name: 'capital ẞ finds ß', given: 'STRAẞE', finds: 'straße' },
  { name: 'İ finds İ', given: 'İ', finds: 'İstanbul' },
  { name: 'ς at the end finds the same word', given: 'ΟΔΟΣ', finds: 'οδος' },
  { name: 'a capital without a composed form finds the small one that has it', given: 'J\u030c', finds: '\u01f0' },
  { name: 'hangul in parts finds whole', given: '\u1112\u1161\u11ab', finds: '\ud55c' },
] as const;

const differences = [
  { name: 'ss is not ß', given: 'strasse', misses: 'Straße' },
  { name: 'e is not é', given: 'cafe', misses: 'caf\u00e9' },
  { name: 'I is not ı', given: 'I', misses: 'ısı' },
] as const;

describe('a search in Unicode', () => {
  test.each(spellings)('$name', async ({ given, finds }) => {
    const own = await openFixture([
      makeDevice({ deviceId: 'A', deviceName: finds }),
      makeDevice({ deviceId: 'B', deviceName: `<${finds}>` }),
    ]);
    const pages = await own.walk({ search: given, limit: 1 });
    expect(pages.flatMap(({ payload }) => payload.map(({ deviceName }) => deviceName)).toSorted()).toEqual(
      [finds, `<${finds}>`].toSorted(),
    );
    await own.store.close();
  });

  test.each(differences)('$name', async ({ given, misses }) => {
    const own = await openFixture([makeDevice({ deviceId: '0', deviceName: misses })]);
    expect((await own.askPage({ search: given })).payload).toEqual([]);
    await own.store.close();
  });
});
