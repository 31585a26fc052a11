import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rotateClient } from '../commands/client.ts';
import { openTestStore } from '../store/fixtures/test-database.ts';
import type { Store } from '../store/store.ts';
import { demoAccounts, demoDevices, demoProperties } from './demo-data.ts';
import { DemoKeyMismatch, seedDemo } from './seed-demo.ts';

const day = 86_400_000;
const firstStart = Date.UTC(2026, 10, 20, 18, 22, 0, 345);
const keys = { demoKey: new Uint8Array(32).fill(1) };

let store: Store;
beforeEach(async () => {
  store = await openTestStore();
});
afterEach(() => store.close());

test('a fresh store gets every account, property, device and client, at times before the start', async () => {
  await seedDemo(store, { keys, now: firstStart });
  const { accounts, properties, devices } = await readAll();
  expect(
    accounts.map(({ name, trialEndsAt }) => [name, trialEndsAt && (trialEndsAt - firstStart + 345) / day]),
  ).toEqual([
    ['Harbour Stays', null],
    ['Lapsed Rentals', -1],
    ['Meadow Lodge', 30],
  ]);
  expect(properties).toEqual(demoProperties);
  expect(devices).toHaveLength(demoDevices.length);
  expect(devices).toContainEqual({
    id: '68f1c2d3e4a5b6c7d8e9f001',
    deviceId: 'LK2A00000001',
    timezone: 'Europe/Berlin',
    accountId: 'account-harbour-stays',
    deviceName: 'Front door',
    type: 'Lock',
    propertyIds: ['65a000000000000000000001'],
    linked: [{ deviceId: 'KP1A00000002', type: 'Keypad' }],
    bridgeId: 'BR1A00000001',
    batteryLevel: 87,
    pairedAt: Date.UTC(2026, 10, 20, 18, 22) - 264 * day,
    lastSyncAt: Date.UTC(2026, 10, 20, 18, 19),
    supportsAlgoPin: true,
    supportsPassagePin: true,
    online: null,
    pairingGeneration: 1,
  });
});

test('a second start changes neither the times nor later settings, and prints the same', async () => {
  const printed = await seedDemo(store, { keys, now: firstStart });
  await store.devices.setBatteryLevel('account-harbour-stays', 'LK2A00000001', 3);
  await store.properties.setTimezone('65a000000000000000000003', 'Europe/Rome');
  await store.accounts.setTrialEnd('account-lapsed-rentals', null);
  await store.clients.setDisabled('meadow-own', 1_790_000_000);
  const before = await readAll();
  expect(await seedDemo(store, { keys, now: firstStart + 9 * day })).toEqual(printed);
  expect(await readAll()).toEqual(before);
});

test('a start goes on with a client whose secret was rotated, and prints it while that secret works', async () => {
  const printed = await seedDemo(store, { keys, now: firstStart });
  await rotateClient(store, 'meadow-own', { overlapSeconds: 3600, now: firstStart });
  const before = await readAll();
  expect(await seedDemo(store, { keys, now: firstStart + 3_599_000 })).toEqual(printed);
  const rest = printed.filter(({ clientId }) => clientId !== 'meadow-own');
  expect(rest).toHaveLength(4);
  expect(await seedDemo(store, { keys, now: firstStart + 3_600_000 })).toEqual(rest);
  expect(await readAll()).toEqual(before);
  const other = { demoKey: new Uint8Array(32).fill(2) };
  await expect(seedDemo(store, { keys: other, now: firstStart })).rejects.toThrow(DemoKeyMismatch);
});

test('a first start that was cut short is completed by the next', async () => {
  const [account] = demoAccounts;
  await store.accounts.put({ id: account.id, name: account.name, trialEndsAt: null });
  await seedDemo(store, { keys, now: firstStart });
  const { accounts, devices } = await readAll();
  expect([accounts.length, devices.length]).toEqual([demoAccounts.length, demoDevices.length]);
});

test('each client is printed with its kind, its account and a secret of 256 bits that is stored as a hash alone', async () => {
  const printed = await seedDemo(store, { keys, now: firstStart });
  expect(printed.map(({ clientId, kind, account }) => [clientId, kind, account])).toEqual([
    ['demo-own', 'own', 'Harbour Stays'],
    ['demo-partner', 'partner', null],
    ['demo-readonly', 'own', 'Harbour Stays'],
    ['meadow-own', 'own', 'Meadow Lodge'],
    ['lapsed-own', 'own', 'Lapsed Rentals'],
  ]);
  expect(new Set(printed.map(({ secret }) => secret)).size).toBe(printed.length);
  for (const { clientId, secret } of printed) {
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const metadata = (await store.clients.find(clientId))?.metadata ?? '';
    expect(metadata).not.toContain(secret);
    expect(JSON.parse(metadata)).toMatchObject({
      client_id: clientId,
      client_secret: createHash('sha256').update(secret).digest('base64url'),
    });
  }
});

test('own clients have one grant and an owner, the partner a callback, the reader three scopes', async () => {
  await seedDemo(store, { keys, now: firstStart });
  const read = async (clientId: string) => JSON.parse((await store.clients.find(clientId))?.metadata ?? '');
  const own = { grant_types: ['client_credentials'], response_types: [], redirect_uris: [] };
  expect(await read('demo-own')).toMatchObject({ ...own, owner_account: 'account-harbour-stays' });
  expect(await read('demo-own')).not.toHaveProperty('api_scopes');
  expect(await read('meadow-own')).toMatchObject({ ...own, owner_account: 'account-meadow-lodge' });
  expect(await read('lapsed-own')).toMatchObject({ ...own, owner_account: 'account-lapsed-rentals' });
  expect(await read('demo-readonly')).toMatchObject({
    ...own,
    owner_account: 'account-harbour-stays',
    api_scopes: 'serviceapi/get-devices serviceapi/get-device-activity serviceapi/get-job-status',
  });
  expect(await read('demo-partner')).toMatchObject({ redirect_uris: ['https://partner.example/callback'] });
  expect(await read('demo-partner')).not.toHaveProperty('owner_account');
});

test('another key file is refused, since its secrets would not be valid', async () => {
  const printed = await seedDemo(store, { keys, now: firstStart });
  const other = { demoKey: new Uint8Array(32).fill(2) };
  await expect(seedDemo(store, { keys: other, now: firstStart })).rejects.toThrow(DemoKeyMismatch);
  expect(await seedDemo(store, { keys, now: firstStart })).toEqual(printed);
});

async function readAll() {
  const accounts = await store.accounts.list();
  const devices = await Promise.all(
    demoDevices.map(({ accountId, deviceId }) => store.devices.find(accountId, deviceId)),
  );
  const properties = await Promise.all(
    demoProperties.map(async ({ accountId, id }) => (await store.properties.findAll(accountId, [id]))[0]),
  );
  return { accounts, properties, devices, clients: await store.clients.list() };
}
