import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStore } from '../create-store.ts';
import { createPool, preparing } from '../postgres/create-pool.ts';
import { createDatabase, patienceMs } from '../postgres/fixtures/create-database.ts';
import { openPostgresStore } from '../postgres/open-store.ts';
import { postgresSpelling } from '../postgres/postgres-spelling.ts';
import type { Tables } from '../schema.ts';
import { addAccount, makeDevice } from '../suite/records.ts';
import { prepareDeviceList } from './device-list.ts';
import type { DeviceQuery } from './device-store.ts';

// If this fails, a search in a large account on PostgreSQL leaves out devices, or takes longer than a request may.

const usualNear = 5;
let database: Kysely<Tables>;
let statements: string[];
let accountId: string;
beforeAll(async () => {
  const url = await createDatabase();
  await (await openPostgresStore(url, { patienceMs })).close();
  database = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: preparing(createPool(url, patienceMs), patienceMs) }),
    log: ({ query }) => void statements.push(query.sql),
  });
  statements = [];
  const store = createStore(database, postgresSpelling, async () => undefined);
  accountId = await addAccount(store);
  // Every third device is a gate: of the first five by name, two are.
  const devices = Array.from({ length: 20 }, (_, number) => ({
    ...makeDevice(accountId, `${accountId}-${number}`),
    deviceName: `${String(number).padStart(2, '0')} ${number % 3 === 0 ? 'Gate' : 'Door'}`,
    pairedAt: 1000 * ((number * 7) % 20),
  }));
  await store.imports.write({ properties: [], devices });
});
afterAll(() => database.destroy());

const search = async (query: Partial<DeviceQuery>, near = usualNear) => {
  statements = [];
  const sort = { by: 'deviceName', descending: false } as const;
  const list = prepareDeviceList(database, postgresSpelling, near);
  const found = await list({ accountId, sort, search: 'gate', limit: 50, ...query });
  return found.map(({ name }) => Number(name.slice(0, 2)));
};
const gates = [0, 3, 6, 9, 12, 15, 18];
const byPairing = gates.toSorted((one, other) => ((one * 7) % 20) - ((other * 7) % 20));

test.each([
  { name: 'by name', query: {}, found: gates },
  {
    name: 'by name, the last first',
    query: { sort: { by: 'deviceName', descending: true } },
    found: gates.toReversed(),
  },
  { name: 'by pairing', query: { sort: { by: 'pairedAt', descending: false } }, found: byPairing },
  { name: 'a page after another', query: { limit: 3, after: { value: '06 Gate', deviceId: '' } }, found: [6, 9, 12] },
  { name: 'of another type', query: { type: 'Bridge' }, found: [] },
  { name: 'without a match', query: { search: 'wall' }, found: [] },
] as const)('a search finds each device once, in order: $name', async ({ query, found }) => {
  expect(await search(query)).toEqual(found);
  expect(statements.filter((text) => /like/.test(text))).toHaveLength(2);
});

test('a search whose page is full with its first devices reads no other', async () => {
  expect(await search({ limit: 2 })).toEqual([0, 3]);
  expect(statements).toHaveLength(1);
});

test.each([
  { near: 20, query: {}, found: gates, reads: 1 },
  { near: 19, query: {}, found: gates, reads: 2 },
  { near: 14, query: { after: { value: '06 Gate', deviceId: '' } }, found: gates.slice(2), reads: 1 },
  { near: 13, query: { after: { value: '06 Gate', deviceId: '' } }, found: gates.slice(2), reads: 2 },
])(
  'a search of 20 devices reads them once if none follows its first $near: $query',
  async ({ near, query, found, reads }) => {
    expect(await search(query, near)).toEqual(found);
    expect(statements.filter((text) => /like/.test(text))).toHaveLength(reads);
    expect(statements.length === 2).toBe(reads === 1);
  },
);

test('a search of the whole account reads the table in its order, whatever the planner expects', async () => {
  await search({ search: 'wall' });
  const text = statements.find((statement) => /like/.test(statement) && !/\) as "device"/.test(statement));
  const plan = await database.transaction().execute(async (transaction) => {
    await postgresSpelling.inTableOrder?.execute(transaction);
    const explain = CompiledQuery.raw(`explain (costs off, generic_plan) ${text}`);
    const { rows } = await transaction.executeQuery<{ readonly 'QUERY PLAN': string }>(explain);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(plan).toContain('Bitmap Heap Scan on device\n');
  expect(plan).not.toMatch(/Index Scan using .* on device\n/);
});
