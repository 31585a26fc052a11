import { afterEach, beforeEach, expect, test } from 'vitest';
import { openMemoryStore } from '../store/sqlite/fixtures/open-memory-store.ts';
import type { Store } from '../store/store.ts';
import { makeDevice } from '../store/suite/records.ts';
import { issueCode } from './fixtures/issue-code.ts';
import { setTimezone } from './property.ts';

const now = Date.parse('2026-11-20T17:25:00Z');
const hour = 3_600_000;
const house = '65a000000000000000000001';
const annex = '65a000000000000000000003';

let store: Store;
beforeEach(async () => {
  store = await openMemoryStore();
  for (const id of ['harbour', 'meadow']) await store.accounts.put({ id, name: id, trialEndsAt: null });
  await store.imports.write({
    properties: [
      { id: house, accountId: 'meadow', name: 'House', timezone: 'Europe/Berlin' },
      { id: annex, accountId: 'harbour', name: 'Annex', timezone: null },
    ],
    devices: [makeDevice('meadow', 'LK1', { propertyIds: [house] })],
  });
  for (const [index, endsAt] of [now - hour, now, now + hour, null].entries())
    await issueCode(store, { pinId: index.toString(16).padStart(24, '0'), endsAt, now });
});
afterEach(() => store.close());

const set = (id: string, timezone: string) => setTimezone(store, id, timezone, now);
const zoneOf = async () => (await store.properties.findAll('meadow', [house]))[0]?.timezone;

test('prints how many codes that are not over follow the new clock, and the consequences', async () => {
  const { kind, text, json } = await set(house, 'Asia/Kolkata');
  expect({ kind, json }).toEqual({
    kind: 'done',
    json: { property: house, timezone: 'Asia/Kolkata', before: 'Europe/Berlin', affectedCodes: 2 },
  });
  expect(text).toContain('Warning: 2 codes of 1 device, issued before and not over, will follow Asia/Kolkata');
  expect(text).toContain('Locks use their old timezone until you give them the new one.');
  expect(await zoneOf()).toBe('Asia/Kolkata');
});

test('warns of nothing where nothing changes, run again or set for the first time', async () => {
  expect(await set(house, 'Europe/Berlin')).toMatchObject({
    text: `${house}: Europe/Berlin`,
    json: { affectedCodes: 0 },
  });
  const first = await set(annex, 'Asia/Tokyo');
  expect(first).toMatchObject({ json: { before: null, affectedCodes: 0 } });
  expect(first.text).toContain(`${annex}: Asia/Tokyo, until now none`);
  expect(first.text).not.toContain('Warning');
});

test.each([
  { id: house, timezone: 'Europe/Berln', message: 'nearest: Europe/Berlin' },
  { id: '65a0000000000000000000ff', timezone: 'UTC', message: 'There is no property 65a0000000000000000000ff' },
])('refuses $timezone for $id and changes nothing', async ({ id, timezone, message }) => {
  expect(await set(id, timezone)).toMatchObject({ kind: 'refused', text: expect.stringContaining(message) });
  expect(await zoneOf()).toBe('Europe/Berlin');
});
