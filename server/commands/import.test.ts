import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../store/sqlite/open-store.ts';
import type { Store } from '../store/store.ts';
import { issueCode } from './fixtures/issue-code.ts';
import { importFile } from './import.ts';

const now = Date.UTC(2026, 10, 21, 8);
const house = { id: '65a000000000000000000001', name: 'House', timezone: 'Europe/Berlin' };
const lock = { deviceId: 'LK1', deviceName: 'Door', type: 'Lock', properties: [house.id] };
const acme = { account: { id: 'acme', name: 'Acme' }, properties: [house], devices: [lock] };

let store: Store;
let folder: string;
beforeEach(async () => {
  store = await openSqliteStore(':memory:');
  folder = await mkdtemp(join(tmpdir(), 'import-'));
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

async function run(content: object) {
  const file = join(folder, 'file.json');
  await writeFile(file, JSON.stringify(content));
  return importFile((use) => use(store), file, now);
}

async function readAll() {
  const accounts = await store.accounts.list();
  const ids = accounts.map(({ id }) => id);
  return {
    accounts,
    properties: await Promise.all(ids.map((id) => store.properties.findAll(id, [house.id]))),
    devices: await Promise.all(ids.map((id) => store.devices.findAll(id, ['LK1', 'LK2']))),
    audit: await Promise.all(ids.map((id) => store.audit.list(id))),
  };
}

test('a file that another account stands against changes nothing of its own, not even the name', async () => {
  await run(acme);
  await run({ account: { id: 'other', name: 'Other' } });
  const before = await readAll();
  const { exitCode, text } = await run({ ...acme, account: { id: 'other', name: 'Renamed' } });
  expect([exitCode, text]).toEqual([
    2,
    'the property 65a000000000000000000001 belongs to another account. Nothing was imported.',
  ]);
  expect(await readAll()).toEqual(before);
});

test('a file of a new account that another stands against leaves no account behind', async () => {
  await run(acme);
  const before = await readAll();
  expect(await run({ ...acme, account: { id: 'acm', name: 'Acme' } })).toMatchObject({ exitCode: 2 });
  expect(await readAll()).toEqual(before);
});

test('each import leaves one line in the audit', async () => {
  await run(acme);
  await run(acme);
  const line = { at: now, accountId: 'acme', clientId: 'operator', action: 'import', deviceId: null, requestId: null };
  expect(await store.audit.list('acme')).toEqual([line, line]);
});

test('a name is changed with the rest, and trial and flags stay', async () => {
  await run(acme);
  await store.accounts.setTrialEnd('acme', now);
  await run({ ...acme, account: { id: 'acme', name: 'Acme & Sons' } });
  expect(await store.accounts.find('acme')).toMatchObject({ name: 'Acme & Sons', trialEndsAt: now });
});

test('a lock that comes alone keeps its bridge, its property and what it can', async () => {
  const bridge = { deviceId: 'BR1', deviceName: 'Bridge', type: 'Bridge', properties: [house.id], links: ['LK1'] };
  await run({ ...acme, devices: [{ ...lock, capabilities: { algoPin: true, passagePin: true } }, bridge] });
  const before = await Promise.all(['LK1', 'BR1'].map((deviceId) => store.devices.find('acme', deviceId)));
  await run({ account: acme.account, devices: [{ deviceId: 'LK1', deviceName: 'Door', type: 'Lock' }] });
  expect(await Promise.all(['LK1', 'BR1'].map((deviceId) => store.devices.find('acme', deviceId)))).toEqual(before);
  expect(before).toMatchObject([{ bridgeId: 'BR1', supportsPassagePin: true }, { linked: [{ deviceId: 'LK1' }] }]);
});

test('a new account can’t have the id of a client', async () => {
  await store.clients.create({ clientId: 'acme', metadata: '{}' });
  const says = "the account acme can't have the id of a client. Nothing was imported.";
  expect(await run(acme)).toMatchObject({ exitCode: 2, text: says });
  expect(await store.accounts.list()).toEqual([]);
});

test('a file that is at fault opens no database', async () => {
  const file = join(folder, 'file.json');
  const open = () => Promise.reject(new Error('opened'));
  await writeFile(file, '{}');
  expect(await importFile(open, file, now)).toMatchObject({ exitCode: 2 });
  expect(await importFile(open, join(folder, 'none.json'), now)).toMatchObject({ exitCode: 2 });
});

test('a timezone, a battery and a pairing that were set since stay where the file leaves them out', async () => {
  const { timezone: _, ...unzoned } = house;
  await run({ ...acme, properties: [unzoned] });
  await store.properties.setTimezone(house.id, 'Europe/Rome');
  await store.devices.setBatteryLevel('acme', 'LK1', 7);
  await store.devices.raisePairingGeneration('acme', 'LK1', 1);
  const before = await readAll();
  await run({ ...acme, properties: [unzoned] });
  expect({ ...(await readAll()), audit: [] }).toEqual({ ...before, audit: [] });
  expect(await store.devices.find('acme', 'LK1')).toMatchObject({ batteryLevel: 7, pairingGeneration: 2 });
  expect(await store.properties.findAll('acme', [house.id])).toMatchObject([{ timezone: 'Europe/Rome' }]);
});

describe('codes that get another clock are told', () => {
  const annex = { id: '65a000000000000000000002', name: 'Annex', timezone: 'Asia/Kathmandu' };
  const both = { ...acme, properties: [house, annex] };
  const houseIn = (timezone: string | null) => ({ ...both, properties: [{ ...house, timezone }, annex] });
  const warning = /^Warning: 1 code of 1 device, issued before and not over, will go by/m;
  const affected = (before: string | null, timezone: string | null) => ({ before, timezone, devices: 1, codes: 1 });
  beforeEach(() => run(both));

  test('where their property gets another timezone, once', async () => {
    await issueCode(store, { endsAt: now + 1, now });
    const { exitCode, text, json } = await run(houseIn('Asia/Kolkata'));
    const timezones = [{ property: house.id, timezone: 'Asia/Kolkata', before: 'Europe/Berlin' }];
    const affectedCodes = [affected('Europe/Berlin', 'Asia/Kolkata')];
    expect([exitCode, json]).toEqual([0, { account: 'acme', properties: 2, devices: 1, timezones, affectedCodes }]);
    expect(text).toMatch(
      /^acme: 2 properties, 1 devices\n65a000000000000000000001: Asia\/Kolkata, until now Europe\/Berlin\n/,
    );
    expect(text).toMatch(warning);
    expect(await run(houseIn('Asia/Kolkata'))).toMatchObject({ text: 'acme: 2 properties, 1 devices' });
  });

  test('where it has none for a time', async () => {
    await issueCode(store, { endsAt: null, now });
    const taken = await run(houseIn(null));
    expect(taken.json).toMatchObject({ affectedCodes: [affected('Europe/Berlin', null)] });
    expect(taken.text).toMatch(
      /: no timezone, until now Europe\/Berlin\n.* will be judged by Europe\/Berlin still\.\n/,
    );
    expect(taken.text).not.toContain('Warning');
    const given = await run(houseIn('Asia/Kolkata'));
    expect(given.json).toMatchObject({ affectedCodes: [affected(null, 'Asia/Kolkata')] });
    expect(given.text).toMatch(warning);
  });

  test('where their device goes to another property', async () => {
    await issueCode(store, { endsAt: now + 1, now });
    const { text, json } = await run({ ...both, devices: [{ ...lock, properties: [annex.id, house.id] }] });
    expect(json).toMatchObject({ timezones: [], affectedCodes: [affected('Europe/Berlin', 'Asia/Kathmandu')] });
    expect(text).toMatch(warning);
  });

  test('but not where all of them are over', async () => {
    await issueCode(store, { endsAt: now, now });
    const { text, json } = await run(houseIn('Asia/Kolkata'));
    expect(json).toMatchObject({ timezones: [{ property: house.id }], affectedCodes: [] });
    expect(text).not.toContain('Warning');
  });
});
