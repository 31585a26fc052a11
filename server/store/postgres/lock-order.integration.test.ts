import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { makeJob, makeSettlement, proxied, start } from '../suite/job-records.ts';
import { addAccount, addOwner, makeBridge, makeDevice } from '../suite/records.ts';
import { createPool } from './create-pool.ts';
import { createDatabase, patienceMs } from './fixtures/create-database.ts';
import { meanwhile } from './fixtures/meanwhile.ts';
import { openPostgresStore } from './open-store.ts';

// If one of these fails, two processes that change the same rows may each wait for the other, until PostgreSQL aborts one of them after a second.

let store: Store;
let pool: pg.Pool;
beforeAll(async () => {
  const url = await createDatabase();
  // A planner that avoids sorting finds rows in an order of its own, as in a large table.
  store = await openPostgresStore(`${url}?options=-c%20enable_sort%3Doff%20-c%20enable_indexscan%3Doff`, {
    patienceMs,
  });
  pool = createPool(url, patienceMs);
});
afterAll(async () => {
  await store.close();
  await pool.end();
});

/** Another process changes the first row, and the others in their order while `act` waits for it. `act` must have locked none of them. */
async function inOrder(statements: readonly string[], act: () => Promise<unknown>): Promise<void> {
  const [first = '', ...rest] = statements;
  let hasWaited = false;
  const next = async (transaction: pg.PoolClient) => {
    hasWaited = true;
    for (const statement of rest) await transaction.query(statement);
  };
  await meanwhile(pool, { first, next }, act);
  expect(hasWaited).toBe(true);
}

const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const;
/** Rows were written in this order, which is that of reads without an order. */
const written = ids.toReversed();

const artifact = (given: { model: string; idHash: string; grantId: string; ownerId?: string }) => ({
  ...{ ownerId: null, uid: null, clientId: null, payload: '{}', expiresAt: null, purgeAt: null },
  ...given,
});

async function addDevices() {
  const accountId = await addAccount(store);
  const devices = written.map((id) => makeDevice(accountId, `${accountId}-${id}`));
  for (const device of devices) await store.imports.write({ properties: [], devices: [device] });
  const touch = ids.map((id) => `update device set battery_level = 1 where device_id = '${accountId}-${id}'`);
  return { accountId, devices, touch };
}

describe('rows are locked in one order by', () => {
  test('the revocation of a grant', async () => {
    await store.oidc.put(artifact({ model: 'Grant', idHash: 'one', grantId: 'one' }));
    const other = [
      "insert into revoked_grant values ('one', 1, 10)",
      "delete from oidc_artifact where grant_id = 'one'",
    ];
    await inOrder(other, () => store.oidc.revokeGrant('one', 'one', 1, 10));
  });

  test('the revocation of several grants', async () => {
    const ownerId = await addOwner(store, await addAccount(store));
    for (const id of written) await store.oidc.put(artifact({ model: 'Grant', idHash: id, grantId: id, ownerId }));
    const other = ids.map((id) => `insert into revoked_grant values ('${id}', 1, 10)`);
    await inOrder(other, () => store.oidc.revokeGrants({ ownerId }, 1, 10));
  });

  test('a push of log entries', async () => {
    const { devices } = await addDevices();
    const lock = devices[0]?.deviceId ?? '';
    const other = ids.map(
      (id) =>
        `insert into activity (device_id, at, id, received_at, type, method, details) values ('${lock}', 1, '${id}', 1, 'LOCK', 'key', '{}')`,
    );
    const entry = { deviceId: lock, at: 1, receivedAt: 1, type: 'LOCK', method: 'key', rawType: null };
    const more = { firstUse: null, pinId: null, accessName: null, details: '{}' };
    await inOrder(other, () => store.activity.add(written.map((id) => ({ ...entry, id, ...more }))));
  });

  test('the end of a job, of its bridge and its lock', async () => {
    const accountId = await addAccount(store);
    const [lockId, bridgeId] = [`${accountId}-a`, `${accountId}-b`];
    const devices = makeBridge(accountId, bridgeId, [lockId]).map((device) => ({ ...device, lastSyncAt: 1000 }));
    await store.imports.write({ properties: [], devices });
    const job = makeJob({ accountId, bridgeId, lockId });
    await store.jobs.create(job, proxied, null);
    const other = [lockId, bridgeId].map((id) => `update device set name = 'x' where device_id = '${id}'`);
    await inOrder(other, () => store.jobs.settle(makeSettlement(job.jobId)));
  });

  test('an import', async () => {
    const { devices, touch } = await addDevices();
    await inOrder(touch, () => store.imports.write({ properties: [], devices }));
  });

  test('an import that reads what is stored', async () => {
    const { accountId, devices, touch } = await addDevices();
    const scope = { accountId, propertyIds: [], deviceIds: devices.map(({ deviceId }) => deviceId) };
    await inOrder(touch, () => store.imports.rebuild(scope, (stored) => stored));
  });

  test('the leases of jobs', async () => {
    const { accountId, devices } = await addDevices();
    const bridgeId = `${accountId}-bridge`;
    const lockIds = devices.map(({ deviceId }) => deviceId);
    await store.imports.write({ properties: [], devices: makeBridge(accountId, bridgeId, []) });
    for (const lockId of lockIds) await store.jobs.create(makeJob({ accountId, bridgeId, lockId }), proxied, null);
    const other = ids.map((id) => `insert into job_lease values ('${accountId}-${id}', 'other', ${start + 9000})`);
    await inOrder(other, () => store.jobs.lease(start));
  });
});

test('an owner is locked first, by each change of it', async () => {
  const accountId = await addAccount(store);
  const ownerId = await addOwner(store, accountId);
  await store.owners.rememberBrowser({ ownerId, browserHash: 'b', loggedInAt: 1, endsAt: 9 });
  const entry = { at: 1, accountId, clientId: 'c', action: 'x', deviceId: null, requestId: null };
  const other = [
    `select from owner where id = '${ownerId}' for no key update`,
    `delete from known_browser where owner_id = '${ownerId}'`,
  ];
  await inOrder(other, () => store.owners.setPassword(ownerId, { passwordHash: 'x', at: 2 }, entry));
  await store.owners.rememberBrowser({ ownerId, browserHash: 'b', loggedInAt: 2, endsAt: 9 });
  const again = { ownerId, browserHash: 'c', loggedInAt: 2, endsAt: 9 };
  await inOrder(other, () => store.owners.rememberBrowser(again, 'b'));
});
