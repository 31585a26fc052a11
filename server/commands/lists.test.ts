import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { demoDevices, harbourStays, meadowLodge } from '../demo/demo-data.ts';
import { seedDemo } from '../demo/seed-demo.ts';
import { openMemoryStore } from '../store/sqlite/fixtures/open-memory-store.ts';
import type { Store } from '../store/store.ts';
import { listAccounts, switchAccount } from './account.ts';
import { listBridges, listJobs } from './bridge.ts';
import { createClient, listClients, rotateClient, switchClient } from './client.ts';
import { listDevices } from './device.ts';
import { listGrants } from './grant.ts';
import type { ListOptions } from './listing.ts';
import { listOwners } from './owner.ts';
import { listProperties } from './property.ts';

const now = Date.UTC(2026, 10, 21, 8);
const bridge = 'BR1A00000001';

let store: Store;
beforeEach(async () => {
  store = await openMemoryStore();
  await seedDemo(store, { keys: { demoKey: new Uint8Array(32) }, now });
});
afterEach(() => store.close());

/** A job whose data and output contain the digits of a code, as a careless bridge might send them. */
async function addJob(number: number, given: { readonly accountId?: string; readonly bridgeId?: string } = {}) {
  const createdAt = now + number * 1000;
  const jobId = String(number).padStart(24, '0');
  const creation = await store.jobs.create(
    {
      jobId,
      accountId: harbourStays,
      clientId: 'demo-own',
      bridgeId: bridge,
      deviceId: 'LK2A00000001',
      jobType: 'CREATE_PIN',
      createdAt,
      expiresAt: createdAt + 120_000,
      sealedData: Buffer.from('{"pin":"482915"}'),
      ...given,
    },
    { unfinished: 100, rate: null },
    null,
  );
  expect(creation).toEqual({ kind: 'created' });
  return jobId;
}

describe('jobs list', () => {
  test('shows the newest first, as they stand now, in a table that lines up', async () => {
    await addJob(1);
    const failed = await addJob(2);
    await store.jobs.settle({
      jobId: failed,
      at: now + 3000,
      result: 6,
      output: '{"accessId":"482915"}',
      activities: [],
      batteryLevel: null,
    });
    await addJob(60);
    const { kind, text } = await listJobs(store, { limit: 10, now: now + 121_000 });
    expect(kind).toBe('done');
    expect(text.split('\n')).toEqual([
      'JOB                       ACCOUNT                BRIDGE        DEVICE        TYPE        STATUS   RESULT  CREATED',
      '000000000000000000000060  account-harbour-stays  BR1A00000001  LK2A00000001  CREATE_PIN  queued   -       2026-11-21T08:01:00Z',
      '000000000000000000000002  account-harbour-stays  BR1A00000001  LK2A00000001  CREATE_PIN  failed   6       2026-11-21T08:00:02Z',
      '000000000000000000000001  account-harbour-stays  BR1A00000001  LK2A00000001  CREATE_PIN  expired  -       2026-11-21T08:00:01Z',
    ]);
  });

  test('shows no digit of a code that is in the input or output of a job', async () => {
    const jobId = await addJob(1);
    const settlement = { jobId, at: now + 2000, result: 0, activities: [], batteryLevel: null };
    await store.jobs.settle({ ...settlement, output: '{"accessId":"482915"}' });
    await addJob(2);
    const { text, json } = await listJobs(store, { limit: 10, now: now + 3000 });
    expect(text).not.toContain('482915');
    expect(JSON.stringify(json)).not.toMatch(/482915|NDgyOTE1|sealed|output/);
    expect(json).toMatchObject({ jobs: [{ status: 'queued' }, { status: 'succeeded', result: 0 }] });
  });

  test('is narrowed to an account, a bridge, a number, and reports that there are more', async () => {
    for (const number of [1, 2, 3]) await addJob(number);
    await addJob(4, { accountId: meadowLodge, bridgeId: 'BR1B00000001' });
    const ids = async (given: Partial<Parameters<typeof listJobs>[1]>) => {
      const { json } = await listJobs(store, { limit: 10, now: now + 5000, ...given });
      const { jobs, more } = json as { jobs: { jobId: string }[]; more: boolean };
      return [...jobs.map(({ jobId }) => Number(jobId)), more];
    };
    expect(await ids({})).toEqual([4, 3, 2, 1, false]);
    expect(await ids({ account: harbourStays })).toEqual([3, 2, 1, false]);
    expect(await ids({ account: harbourStays, limit: 3 })).toEqual([3, 2, 1, false]);
    expect(await ids({ account: harbourStays, limit: 2 })).toEqual([3, 2, true]);
    expect(await ids({ bridge: 'BR1B00000001' })).toEqual([4, false]);
    const { text } = await listJobs(store, { limit: 2, now: now + 5000 });
    expect(text.split('\n').at(-1)).toBe('The first 2. There are more: --limit 4');
  });

  test('reports when there are none', async () => {
    expect(await listJobs(store, { limit: 10, now })).toEqual({
      kind: 'done',
      text: 'No jobs.',
      json: { jobs: [], more: false },
    });
  });
});

test('bridge list shows who is online, what is linked, and what waits', async () => {
  for (const number of [1, 2]) await addJob(number);
  const { text, json } = await listBridges(store, { limit: 10, now: now + 120_500 + 1000 });
  expect(text.split('\n')).toEqual([
    'BRIDGE        ACCOUNT                ONLINE  UNFINISHED JOBS  LAST SYNC             LINKED DEVICES                                          NAME',
    'BR1A00000001  account-harbour-stays  yes     1                2026-11-21T07:59:30Z  KP1A00000001, KP1A00000002, LK1A00000002, LK2A00000001  Harbour bridge',
    'BR1A00000002  account-harbour-stays  no      0                2026-11-18T08:00:00Z  LK2A00000004                                            Patan bridge',
    'BR1B00000001  account-meadow-lodge   yes     0                2026-11-21T07:59:00Z  LK2B00000001                                            Meadow bridge',
  ]);
  expect(json).toMatchObject({ bridges: [{ bridgeId: bridge, online: true, unfinishedJobs: 1 }, {}, {}], more: false });
});

describe('device list', () => {
  test('shows every device of every account once, by account and name', async () => {
    const { json } = await listDevices(store, { limit: 100 });
    const { devices } = json as { devices: { deviceId: string; account: string; deviceName: string }[] };
    expect(devices.map(({ deviceId }) => deviceId).toSorted()).toEqual(
      demoDevices.map(({ deviceId }) => deviceId).toSorted(),
    );
    const places = devices.map(({ account, deviceName }) => `${account} ${deviceName}`);
    expect(places).toEqual(places.toSorted());
  });

  test('is a table whose last column may be of any width', async () => {
    const { text } = await listDevices(store, { account: meadowLodge, limit: 100 });
    expect(text.split('\n')).toEqual([
      'DEVICE        ACCOUNT               TYPE    BRIDGE        BATTERY  CODES  LAST SYNC             NAME',
      'BR1B00000001  account-meadow-lodge  Bridge  -             -        none   2026-11-21T07:59:00Z  Meadow bridge',
      'LK2B00000001  account-meadow-lodge  Lock    BR1B00000001  81 %     all    2026-11-21T07:56:00Z  Meadow gate',
    ]);
  });

  test('goes on from account to account until there are enough', async () => {
    for (let limit = 1; limit <= demoDevices.length; limit += 1) {
      const { json } = await listDevices(store, { limit });
      expect(json).toMatchObject({ more: limit < demoDevices.length });
      expect((json as { devices: unknown[] }).devices).toHaveLength(limit);
    }
  });
});

describe('client list', () => {
  test('shows who each acts for and how, and no secret nor the hash of one', async () => {
    await createClient(store, {
      kind: 'partner',
      clientId: 'strict',
      name: 'Żółta 🐢',
      redirectUris: ['https://p.example/a', 'https://p.example/b'],
      requirePkce: true,
      rotateRefreshToken: true,
      scopes: [],
    });
    await switchClient(store, 'lapsed-own', 'disable', now);
    const rotated = await rotateClient(store, 'meadow-own', { overlapSeconds: 3600, now });
    const { text, json } = await listClients(store, { limit: 10, now });
    expect(text.split('\n')).toEqual([
      'CLIENT         KIND     ACCOUNT                 DISABLED  SCOPES  PKCE      REFRESH TOKEN  OLD SECRET UNTIL      CALLBACKS                                 NAME',
      'demo-own       own      account-harbour-stays   no        all     -         -              -                     -                                         Harbour Stays, every scope',
      'demo-partner   partner  -                       no        all     optional  same           -                     https://partner.example/callback          Example partner',
      'demo-readonly  own      account-harbour-stays   no        3       -         -              -                     -                                         Harbour Stays, reading only',
      'lapsed-own     own      account-lapsed-rentals  yes       all     -         -              -                     -                                         Lapsed Rentals, every scope',
      'meadow-own     own      account-meadow-lodge    no        all     -         -              2026-11-21T09:00:00Z  -                                         Meadow Lodge, every scope',
      'strict         partner  -                       no        0       required  new            -                     https://p.example/a, https://p.example/b  Żółta 🐢',
    ]);
    const { clients } = json as { clients: Record<string, unknown>[] };
    expect(clients.at(-1)).toEqual({
      clientId: 'strict',
      kind: 'partner',
      account: null,
      name: 'Żółta 🐢',
      scopes: [],
      disabled: false,
      redirectUris: ['https://p.example/a', 'https://p.example/b'],
      requirePkce: true,
      rotateRefreshToken: true,
      secretRotatedAt: null,
      previousSecretUntil: null,
    });
    expect(clients[2]).toMatchObject({
      scopes: ['serviceapi/get-devices', 'serviceapi/get-device-activity', 'serviceapi/get-job-status'],
    });
    expect(clients[4]).toMatchObject({
      secretRotatedAt: '2026-11-21T08:00:00.000Z',
      previousSecretUntil: '2026-11-21T09:00:00.000Z',
    });
    const kept = (await store.clients.list()).map(({ metadata }) => JSON.parse(metadata));
    const secrets = kept.flatMap((client) => [client.client_secret, client.previous_secret ?? []]).flat();
    expect(secrets).toHaveLength(7);
    for (const secret of [...secrets, (rotated.json as { secret: string }).secret])
      expect(text + JSON.stringify(json)).not.toContain(secret);
  });

  test('shows an overlap for as long as it lasts', async () => {
    await rotateClient(store, 'meadow-own', { overlapSeconds: 3600, now });
    const until = async (at: number) => {
      const { json } = await listClients(store, { account: meadowLodge, limit: 1, now: at });
      return (json as { clients: { previousSecretUntil: string | null }[] }).clients[0]?.previousSecretUntil;
    };
    expect(await until(now + 3_599_000)).toBe('2026-11-21T09:00:00.000Z');
    expect(await until(now + 3_600_000)).toBeNull();
  });
});

test('account list shows who may call, and what each has', async () => {
  await switchAccount(store, meadowLodge, 'disable', now);
  const { text, json } = await listAccounts(store, { limit: 10, now });
  expect(text.split('\n')).toEqual([
    'ACCOUNT                 STATE       TRIAL UNTIL           DISABLED  DEVICES  PROPERTIES  NAME',
    'account-harbour-stays   subscribed  -                     no        12       3           Harbour Stays',
    'account-lapsed-rentals  ended       2026-11-20T08:00:00Z  no        1        1           Lapsed Rentals',
    'account-meadow-lodge    trial       2026-12-21T08:00:00Z  yes       2        1           Meadow Lodge',
  ]);
  expect((json as { accounts: unknown[] }).accounts[1]).toEqual({
    account: 'account-lapsed-rentals',
    name: 'Lapsed Rentals',
    state: 'ended',
    trialEndsAt: '2026-11-20T08:00:00.000Z',
    disabled: false,
    devices: 1,
    properties: 1,
  });
});

test('property list shows which clock each goes by', async () => {
  const { text, json } = await listProperties(store, { limit: 10 });
  expect(text.split('\n')).toEqual([
    'PROPERTY                  ACCOUNT                 TIMEZONE          DEVICES  NAME',
    '65a000000000000000000003  account-harbour-stays   -                 1        Annex',
    '65a000000000000000000001  account-harbour-stays   Europe/Berlin     8        Harbour House',
    '65a000000000000000000002  account-harbour-stays   Asia/Kathmandu    3        Patan Guest House',
    '65c000000000000000000001  account-lapsed-rentals  UTC               1        Lapsed House',
    '65b000000000000000000001  account-meadow-lodge    America/New_York  2        Meadow House',
  ]);
  expect((json as { properties: unknown[] }).properties[0]).toEqual({
    property: '65a000000000000000000003',
    account: 'account-harbour-stays',
    name: 'Annex',
    timezone: null,
    devices: 1,
  });
});

test.each([
  ['clients', (options: ListOptions) => listClients(store, { ...options, now }), 5, 1],
  ['accounts', (options: ListOptions) => listAccounts(store, { ...options, now }), 3, 1],
  ['properties', (options: ListOptions) => listProperties(store, options), 5, 1],
] as const)(
  'the list of %s is narrowed to an account and a number, and reports that there are more',
  async (name, list, all, own) => {
    const read = async (options: ListOptions) => {
      const { json } = (await list(options)) as { json: Record<string, unknown[]> };
      return [json[name]?.length, json.more];
    };
    expect(await read({ limit: all })).toEqual([all, false]);
    expect(await read({ limit: all - 1 })).toEqual([all - 1, true]);
    expect(await read({ account: meadowLodge, limit: 10 })).toEqual([own, false]);
  },
);

test.each([
  ['client list', (account: string) => listClients(store, { account, limit: 1, now })],
  ['account list', (account: string) => listAccounts(store, { account, limit: 1, now })],
  ['property list', (account: string) => listProperties(store, { account, limit: 1 })],
  ['device list', (account: string) => listDevices(store, { account, limit: 1 })],
  ['bridge list', (account: string) => listBridges(store, { account, limit: 1, now })],
  ['owner list', (account: string) => listOwners(store, { account, limit: 1 })],
  ['grant list', (account: string) => listGrants(store, { account, limit: 1, now })],
  ['jobs list', (account: string) => listJobs(store, { account, limit: 1, now })],
])('%s names the account that comes nearest to one that is not there', async (_, list) => {
  const { kind, text } = await list('account-meadow-lodg');
  expect([kind, text]).toEqual(['refused', 'There is no account account-meadow-lodg; nearest: account-meadow-lodge']);
});

test.each([
  ['BR1A0000001', 'There is no bridge BR1A0000001; nearest: BR1A00000001'],
  ['NOPE', 'There is no bridge NOPE'],
  ['LK2A00000001', 'There is no bridge LK2A00000001'],
])('jobs list refuses the bridge %s, which is none, as it does an account', async (name, text) => {
  const { kind, ...said } = await listJobs(store, { bridge: name, limit: 1, now });
  expect(kind).toBe('refused');
  expect(said.text.startsWith(text)).toBe(true);
});

test('jobs list refuses a bridge of an account other than the one asked for', async () => {
  const given = { account: harbourStays, bridge: 'BR1B00000001', limit: 1, now };
  expect(await listJobs(store, given)).toMatchObject({
    kind: 'refused',
    text: expect.stringContaining('BR1B00000001'),
  });
});

test('a client is disabled and enabled, and a second time nothing changes', async () => {
  const run = async (verb: 'disable' | 'enable', at: number) =>
    (await switchClient(store, 'meadow-own', verb, at)).json;
  const disabledAt = async () => (await store.clients.find('meadow-own'))?.disabledAt;
  expect(await run('enable', now)).toEqual({ clientId: 'meadow-own', disabled: false, changed: false });
  expect(await run('disable', now)).toEqual({ clientId: 'meadow-own', disabled: true, changed: true });
  expect(await run('disable', now + 9000)).toEqual({ clientId: 'meadow-own', disabled: true, changed: false });
  expect(await disabledAt()).toBe(now / 1000);
  expect(await run('enable', now)).toEqual({ clientId: 'meadow-own', disabled: false, changed: true });
  expect(await disabledAt()).toBeNull();
  expect(await switchClient(store, 'meadow-ow', 'disable', now)).toMatchObject({
    kind: 'refused',
    text: 'There is no client meadow-ow; nearest: meadow-own',
  });
});
