import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Store, StoreConflict } from '../store.ts';
import { addSite, day, makeJob, makeKey, makeSettlement, proxied, start } from '../suite/job-records.ts';
import { addAccount, addOwner, makeDevice, makeOwner, objectId } from '../suite/records.ts';
import { createPool } from './create-pool.ts';
import { createDatabase, patienceMs } from './fixtures/create-database.ts';
import { meanwhile } from './fixtures/meanwhile.ts';
import { openPostgresStore } from './open-store.ts';
import { lockKeys } from './postgres-spelling.ts';

// If one of these fails, a process that has waited for another one decides by what it had read before, and writes over the other's change.

let store: Store;
let pool: pg.Pool;
beforeAll(async () => {
  const url = await createDatabase();
  store = await openPostgresStore(url, { patienceMs });
  pool = createPool(url, patienceMs);
});
afterAll(async () => {
  await store.close();
  await pool.end();
});

/** The answer of `act`, which meets a row that another process is changing. */
const during = <Result>(first: string, act: () => Promise<Result>) => meanwhile(pool, { first }, act);
const rowsOf = async (text: string) => (await pool.query(text)).rows;

const artifact = (given: { model: string; idHash: string; grantId?: string; ownerId?: string; purgeAt?: number }) => ({
  ...{ grantId: null, ownerId: null, uid: null, clientId: null, payload: '{}', expiresAt: null, purgeAt: null },
  ...given,
});

describe('of two that do it at once, one succeeds:', () => {
  test('the use of a code', async () => {
    await store.oidc.put(artifact({ model: 'AuthorizationCode', idHash: 'once' }));
    const consumed = await during("update oidc_artifact set consumed_at = 1 where id_hash = 'once'", () =>
      store.oidc.consume('AuthorizationCode', 'once', 2),
    );
    expect(consumed).toBe(false);
  });

  test('a new secret', async () => {
    await store.clients.create({ clientId: 'rotated', metadata: '"old"' });
    const entry = { at: 1, accountId: 'rotated', clientId: 'rotated', action: 'x', deviceId: null, requestId: null };
    const replaced = await during("update oauth_client set metadata = '\"a\"' where client_id = 'rotated'", () =>
      store.clients.replaceMetadata({ clientId: 'rotated', from: '"old"', to: '"b"' }, entry),
    );
    expect(replaced).toBe(false);
    expect((await store.clients.find('rotated'))?.metadata).toBe('"a"');
  });

  test('a new client', async () => {
    const created = await during("insert into oauth_client (client_id, metadata) values ('new', '{}')", () =>
      store.clients.create({ clientId: 'new', metadata: '{}' }),
    );
    expect(created).toBe(false);
  });

  test('a new owner', async () => {
    const accountId = await addAccount(store);
    const owner = makeOwner(accountId);
    const row = `'other', '${accountId}', '${owner.email}', '${owner.email}', 'x', 'x', 1, 1, 1`;
    const columns = 'id, account_id, email, email_key, name, password_hash, created_at, updated_at, password_set_at';
    const created = await during(`insert into owner (${columns}) values (${row})`, () => store.owners.create(owner));
    expect(created).toBe(false);
  });

  test('a new pairing', async () => {
    const { accountId, lockId } = await addSite(store);
    const raised = await during(`update device set pairing_generation = 2 where device_id = '${lockId}'`, () =>
      store.devices.raisePairingGeneration(accountId, lockId, 1),
    );
    expect(raised).toBe(false);
    expect((await store.devices.find(accountId, lockId))?.pairingGeneration).toBe(2);
  });

  test('the audit entry of a pairing', async () => {
    const { accountId, lockId } = await addSite(store);
    const entry = { at: 1, accountId, clientId: 'c', action: 'read_admin_key', deviceId: lockId, requestId: null };
    const first = `select from device where device_id = '${lockId}' for no key update;
      insert into audit_entry (at, account_id, client_id, action, device_id) values (1, '${accountId}', 'c', 'read_admin_key', '${lockId}')`;
    expect(await during(first, () => store.audit.addAtGeneration(entry, 1, 'pair_again'))).toBe(false);
  });

  test('the keeping of the key check', async () => {
    expect(await during("insert into key_check values (1, 'mine')", () => store.keyCheck.keep('yours'))).toBe('mine');
  });

  test('the memory of a lock', async () => {
    const { lockId } = await addSite(store);
    await store.lockMemories.save(lockId, Uint8Array.of(1), 1, undefined);
    const saved = await during(`update lock_memory set sealed = '\\x02' where device_id = '${lockId}'`, () =>
      store.lockMemories.save(lockId, Uint8Array.of(3), 1, Uint8Array.of(1)),
    );
    expect(saved).toBe(false);
    expect(await store.lockMemories.load(lockId)).toEqual(Uint8Array.of(2));
  });

  test('the last use that a limit leaves', async () => {
    const counter = store.counters.open('last', { limit: 2, windowMs: 60_000 });
    await counter.take('key', 1000);
    const key = (await rowsOf('select key_hash from use_count'))[0].key_hash;
    const use = await during(`update use_count set uses = '[[1000,2]]' where key_hash = '${key}'`, async () =>
      counter.take('key', 1001),
    );
    expect(use).toMatchObject({ accepted: false, left: 0 });
  });

  test('an idempotency key that had expired', async () => {
    const site = await addSite(store);
    const key = { ...makeKey(site, 'expired'), keepUntil: start };
    await store.jobs.create(makeJob(site, { createdAt: start - day }), proxied, key);
    const later = `update idempotency_key set keep_until = ${start + day} where client_id = '${key.clientId}'`;
    const creation = await during(later, () =>
      store.jobs.create(makeJob(site), proxied, { ...key, keepUntil: start + day }),
    );
    expect(creation.kind).toBe('replayed');
  });

  test('the lease of a device', async () => {
    const site = await addSite(store);
    const { jobId } = makeJob(site);
    await store.jobs.create(makeJob(site, { jobId }), proxied, null);
    const lease = `insert into job_lease values ('${site.lockId}', 'other', ${start + 9000})`;
    const { jobs } = await during(lease, () => store.jobs.lease(start));
    expect(jobs.map((job) => job.jobId)).not.toContain(jobId);
  });

  test('the lease of a device, for which nobody waits', async () => {
    const [held, free, other] = [await addSite(store), await addSite(store), await addSite(store)];
    for (const site of [held, free, other]) await store.jobs.create(makeJob(site), proxied, null);
    const leases = `('${held.lockId}', 'other', ${start + 9000}), ('${free.lockId}', 'other', ${start - 1})`;
    await pool.query(`insert into job_lease values ${leases}`);
    // A process is renewing the first lease and taking the second one, and pauses.
    const process = await pool.connect();
    await process.query(`begin; select from job_lease where holder = 'other' for update`);
    const { jobs } = await store.jobs.lease(start).finally(() => process.release(true));
    const sites = new Set([held, free, other].map(({ lockId }) => lockId));
    expect(jobs.map(({ deviceId }) => deviceId).filter((id) => sites.has(id))).toEqual([other.lockId]);
  });

  test('the end of a job', async () => {
    const site = await addSite(store);
    const job = makeJob(site);
    await store.jobs.create(job, proxied, null);
    const end = `update job set status = 'failed', result = 4, sealed_data = null where job_id = '${job.jobId}'`;
    expect(await during(end, () => store.jobs.settle(makeSettlement(job.jobId)))).toBe(false);
    expect(await store.jobs.find(site.accountId, job.jobId, start)).toMatchObject({ status: 'failed', result: 4 });
  });

  test('an entry of a log', async () => {
    const { lockId } = await addSite(store);
    const columns = 'device_id, at, id, received_at, type, method, details';
    const row = `'${lockId}', 1, 'e', 1, 'LOCK', 'key', '{}'`;
    const entry = { id: 'e', deviceId: lockId, at: 1, receivedAt: 1, type: 'LOCK', method: 'key', rawType: null };
    const added = await during(`insert into activity (${columns}) values (${row})`, () =>
      store.activity.add([{ ...entry, firstUse: null, pinId: null, accessName: null, details: '{}' }]),
    );
    expect(added).toBe(0);
  });
});

describe('what another process has changed meanwhile stays:', () => {
  test('the end of a job that is being delivered', async () => {
    const site = await addSite(store);
    const job = makeJob(site);
    await store.jobs.create(job, proxied, null);
    const end = `update job set status = 'succeeded', result = 0, sealed_data = null where job_id = '${job.jobId}'`;
    expect(await during(end, () => store.jobs.markDelivered(job.jobId, start))).toBe(false);
    expect(await store.jobs.find(site.accountId, job.jobId, start)).toMatchObject({ status: 'succeeded' });
  });

  test('the time of a later sync', async () => {
    const { accountId, lockId } = await addSite(store);
    await during(`update device set last_sync_at = 5000 where device_id = '${lockId}'`, () =>
      store.devices.setLastSync(lockId, 2000),
    );
    expect((await store.devices.find(accountId, lockId))?.lastSyncAt).toBe(5000);
  });

  test('the longer time of a revocation', async () => {
    await store.oidc.revokeGrant('longer', 'longer', 1, 10);
    await during("update revoked_grant set keep_until = 100 where grant_id = 'longer'", () =>
      store.oidc.revokeGrant('longer', 'longer', 1, 50),
    );
    expect(await rowsOf("select keep_until as until from revoked_grant where grant_id = 'longer'")).toEqual([
      { until: 100 },
    ]);
  });

  test('a logout, of which a login under way makes no known browser', async () => {
    const ownerId = await addOwner(store, await addAccount(store));
    const logout = `update owner set logins_valid_after = 2000 where id = '${ownerId}'`;
    await during(logout, () =>
      store.owners.rememberBrowser({ ownerId, browserHash: 'early', loggedInAt: 1000, endsAt: 9000 }),
    );
    expect(await rowsOf(`select from known_browser where owner_id = '${ownerId}'`)).toEqual([]);
  });

  test('values of devices and properties that an import reads and writes', async () => {
    const accountId = await addAccount(store);
    const property = { id: objectId(`${accountId} house`), accountId, name: 'House', timezone: null };
    const device = makeDevice(accountId, `${accountId}-lock`);
    await store.imports.write({ properties: [property], devices: [device] });
    const scope = { accountId, propertyIds: [property.id], deviceIds: [device.deviceId] };
    for (const change of [
      `update device set battery_level = 7 where device_id = '${device.deviceId}'`,
      `update property set timezone = 'UTC' where id = '${property.id}'`,
    ])
      await during(change, () => store.imports.rebuild(scope, (stored) => stored));
    const found = await store.devices.find(accountId, device.deviceId);
    expect(found?.batteryLevel).toBe(7);
    expect((await store.properties.findAll(accountId, [property.id]))[0]?.timezone).toBe('UTC');
  });

  const isDue = 1000;
  test.each<{ what: string; make: () => Promise<unknown>; renew: string; purge: () => Promise<number>; left: string }>([
    {
      what: 'a session that was extended',
      make: () => store.oidc.put(artifact({ model: 'Session', idHash: 'due', purgeAt: isDue })),
      renew: "update oidc_artifact set purge_at = 9000 where id_hash = 'due'",
      purge: () => store.oidc.purge(isDue, 10),
      left: "select from oidc_artifact where id_hash = 'due'",
    },
    {
      what: 'a revocation that is kept longer',
      make: () => store.oidc.revokeGrant('due', 'due', 1, isDue),
      renew: "update revoked_grant set keep_until = 9000 where grant_id = 'due'",
      purge: () => store.oidc.purge(isDue, 10),
      left: "select from revoked_grant where grant_id = 'due'",
    },
    {
      what: 'a count',
      make: async () => store.counters.open('due', { limit: 2, windowMs: 60 }).take('due', 800),
      renew: 'update use_count set purge_at = 9000 where purge_at < 1000',
      purge: () => store.counters.purge(isDue, 10),
      left: 'select from use_count where purge_at = 9000',
    },
    {
      what: 'a code that was issued again',
      make: async () => {
        const { lockId } = await addSite(store);
        const window = { startsAt: 1, endsAt: 900, activateBy: 900, variance: 1, durationHours: null };
        const named = { kind: 'daily', accessName: 'A', issuedAt: 1, generation: 1 } as const;
        await store.accessCodes.issue({ pinId: 'due', deviceId: lockId, ...named, ...window });
      },
      renew: "update access_code set ends_at = 9000 where pin_id = 'due'",
      purge: () => store.accessCodes.purge(isDue, 10),
      left: "select from access_code where pin_id = 'due'",
    },
    {
      what: 'an idempotency key that was used again',
      make: async () => {
        const site = await addSite(store);
        await store.jobs.create(makeJob(site, { createdAt: 1 }), proxied, { ...makeKey(site, 'due'), keepUntil: 900 });
      },
      renew: "update idempotency_key set keep_until = 9000 where key_hash = 'due'",
      purge: () => store.jobs.purge(isDue, 10),
      left: "select from idempotency_key where key_hash = 'due'",
    },
    {
      what: 'the result of a job',
      make: async () => {
        const site = await addSite(store);
        await store.jobs.create(makeJob(site, { jobId: objectId('due'), createdAt: 1, expiresAt: 900 }), proxied, null);
      },
      renew: `update job set status = 'succeeded', sealed_data = null where job_id = '${objectId('due')}'`,
      purge: () => store.jobs.purge(isDue, 10),
      left: `select from job where job_id = '${objectId('due')}' and status = 'succeeded'`,
    },
  ])('$what, whose purge was due', async ({ make, renew, purge, left }) => {
    await make();
    await during(renew, purge);
    expect(await rowsOf(left)).toHaveLength(1);
  });

  test('a grant that was given while the grants before it were revoked', async () => {
    const ownerId = await addOwner(store, await addAccount(store));
    const give = (grantId: string) => store.oidc.put(artifact({ model: 'Grant', idHash: grantId, grantId, ownerId }));
    await give('before');
    const other = { first: "insert into revoked_grant values ('before', 1, 10)", next: () => give('after') };
    await meanwhile(pool, other, () => store.oidc.revokeGrants({ ownerId }, 1, 10));
    expect(await rowsOf(`select grant_id as id from oidc_artifact where owner_id = '${ownerId}'`)).toEqual([
      { id: 'after' },
    ]);
    expect(await store.oidc.isGrantRevoked('after')).toBe(false);
  });
});

test('a revocation that finds nothing, since another one was first, is not audited', async () => {
  const accountId = await addAccount(store);
  const ownerId = await addOwner(store, accountId);
  await store.oidc.put(artifact({ model: 'Grant', idHash: 'twice', grantId: 'twice', ownerId }));
  const entry = { at: 1, accountId, clientId: 'c', action: 'revoke', deviceId: null, requestId: null };
  const first = "insert into revoked_grant values ('twice', 1, 10); delete from oidc_artifact where grant_id = 'twice'";
  await during(first, () => store.oidc.revokeGrants({ ownerId }, 1, 10, entry));
  expect(await store.audit.list(accountId)).toEqual([]);
});

describe('while another process imports,', () => {
  const importing = (insert: string) => `select pg_advisory_xact_lock(${lockKeys.import}); ${insert}`;

  test('no client gets the id of its new account', async () => {
    const insert = importing("insert into account (id, name) values ('both', 'Both')");
    await expect(during(insert, () => store.clients.create({ clientId: 'both', metadata: '{}' }))).rejects.toThrow(
      StoreConflict,
    );
  });

  test('and a client is created first, no account gets its id', async () => {
    const insert = importing("insert into oauth_client (client_id, metadata) values ('client', '{}')");
    const account = { id: 'client', name: 'Client', trialEndsAt: null };
    await expect(during(insert, () => store.imports.write({ account, properties: [], devices: [] }))).rejects.toThrow(
      StoreConflict,
    );
  });

  test('no other account gets its device', async () => {
    const [mine, other] = [await addAccount(store), await addAccount(store)];
    const columns =
      'device_id, id, account_id, name, name_sort, name_search, type, paired_at, last_sync_at, takes_algo_pin, takes_passage_pin';
    const row = `'contested', '${objectId('contested')}', '${other}', 'Door', 'Door', 'door', 'Lock', 1, 1, 1, 1`;
    const write = () => store.imports.write({ properties: [], devices: [makeDevice(mine, 'contested')] });
    await expect(during(importing(`insert into device (${columns}) values (${row})`), write)).rejects.toThrow(
      StoreConflict,
    );
    expect(await rowsOf("select account_id as owner from device where device_id = 'contested'")).toEqual([
      { owner: other },
    ]);
  });
});
