import BetterSqlite3 from 'better-sqlite3';
import { type CompiledQuery, Kysely } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Activity } from './activity/activity-store.ts';
import { addSite, makeJob, makeKey, makeSettlement, proxied, start, targeted } from './contract/job-records.ts';
import { objectId } from './contract/records.ts';
import { createStore } from './create-store.ts';
import { migrate } from './migrations/migrate.ts';
import type { Tables } from './schema.ts';
import { ImmediateDialect } from './sqlite/immediate-dialect.ts';
import { sqliteSpelling } from './sqlite/sqlite-spelling.ts';
import type { Store } from './store.ts';

// If these fail, a page of the log costs as much as the whole log before it, or a job as much as all jobs that there are.

const connection = new BetterSqlite3(':memory:');
const sent: CompiledQuery[] = [];
const database = new Kysely<Tables>({
  dialect: new ImmediateDialect(connection),
  log: ({ query }) => void sent.push(query),
});
const store: Store = createStore(database, sqliteSpelling, () => database.destroy());

beforeAll(() => migrate(database, sqliteSpelling, () => 0));
afterAll(() => store.close());

describe('a page of the log', () => {
  const places = [null, { at: 5, id: 'a' }];
  const shapes = [true, false].flatMap((descending) =>
    [null, 1].flatMap((from) =>
      [null, 9].flatMap((before) => places.map((after) => ({ descending, from, before, after }))),
    ),
  );

  test.each(shapes)('is one stretch of the table, with two bounds and no sorting: %o', async (shape) => {
    const [query] = await record(() => store.activity.list({ deviceId: 'LK1', ...shape, limit: 10 }));
    expect(explain(query)).toEqual([
      'SEARCH activity USING PRIMARY KEY (device_id=? AND (at,id)>(?,?) AND (at,id)<(?,?))',
    ]);
  });

  test('is asked for by two statements in all', async () => {
    const queries = await record(async () => {
      for (const shape of shapes) await store.activity.list({ deviceId: 'LK1', ...shape, limit: 10 });
    });
    expect(new Set(queries.map(({ sql }) => sql)).size).toBe(2);
  });
});

describe('what a job asks of the database', () => {
  test('is found by an index in every statement, and nothing is read whole', async () => {
    const site = await addSite(store);
    const job = makeJob(site);
    const key = makeKey(site, 'key');
    const queries = await record(async () => {
      await store.jobs.findReplay(key, start);
      await store.jobs.create(job, targeted, key);
      await store.jobs.create(makeJob(site), { ...targeted, rate: { accepted: 1, windowMs: 1000 } }, null);
      await store.jobs.create(makeJob(site), { ...proxied, unfinished: 1 }, null);
      await store.jobs.find(site.accountId, job.jobId, start);
      await store.jobs.markDelivered(job.jobId, start);
      await store.jobs.settle(makeSettlement(job.jobId, { batteryLevel: 1 }));
      await store.jobs.list({ now: start, bridgeId: site.bridgeId, limit: 5 });
    });
    const plans = queries.filter(({ sql }) => !/^(begin|commit|rollback)/.test(sql)).map((query) => explain(query));
    expect(plans.length).toBeGreaterThan(15);
    expect(plans.flat().filter((step) => /SCAN (?!CONSTANT ROW)|TEMP B-TREE/.test(step))).toEqual([]);
    const limits = plans.flat().filter((step) => /(waiting|earlier) /.test(step));
    expect(new Set(limits)).toEqual(
      new Set([
        'SEARCH waiting USING INDEX job_unfinished (bridge_id=? AND expires_at>?)',
        'SEARCH earlier USING COVERING INDEX job_rated (bridge_id=? AND created_at>? AND created_at<?)',
      ]),
    );
  });

  test.each<{ name: string; act: () => Promise<unknown> }>([
    { name: 'jobs and keys', act: () => store.jobs.purge(start, 10) },
    { name: 'activity', act: () => store.activity.purge(start, 10) },
    { name: 'access codes', act: () => store.accessCodes.purge(start, 10) },
  ])('a purge of $name looks for what is due, not at everything', async ({ act }) => {
    const queries = await record(act);
    const steps = queries.filter(({ sql }) => /^(delete|update)/.test(sql)).flatMap((query) => explain(query));
    expect(steps.some((step) => /^SEARCH due USING/.test(step))).toBe(true);
    // Unfinished jobs are few: their index holds nothing else.
    const whole = steps.filter((step) => /SCAN|TEMP B-TREE/.test(step));
    expect(whole.filter((step) => !/^SCAN due USING (COVERING )?INDEX job_unfinished$/.test(step))).toEqual([]);
  });
});

describe('devices that are named', () => {
  test('are found one by one, not among all that their account has', async () => {
    const { accountId, bridgeId } = await addSite(store);
    const scope = { accountId, propertyIds: [], deviceIds: [bridgeId] };
    const queries = await record(async () => {
      await store.devices.findAll(accountId, [bridgeId]);
      await store.imports.rebuild(scope, (stored) => stored);
      await store.imports.relink(accountId, [{ deviceId: bridgeId, linked: [] }]);
    });
    const steps = queries.filter(({ sql }) => /^(select|delete)/.test(sql)).flatMap((query) => explain(query));
    expect(steps.filter((step) => /^SEARCH device USING PRIMARY KEY/.test(step)).length).toBeGreaterThan(2);
    expect(steps.filter((step) => /account_id=\?|SCAN (?!json_each)/.test(step))).toEqual([]);
  });
});

describe('what a job carried', () => {
  const readData = (jobId: string) =>
    connection.prepare<[string], unknown>('select sealed_data from job where job_id = ?').pluck().get(jobId);

  test('is gone from the database when it ends, and when it has run out by the next purge', async () => {
    const site = await addSite(store);
    const [settled, late] = [makeJob(site), makeJob(site)];
    for (const job of [settled, late]) await store.jobs.create(job, proxied, null);
    expect(readData(settled.jobId)).toEqual(Buffer.from(settled.sealedData));
    await store.jobs.settle(makeSettlement(settled.jobId));
    expect(readData(settled.jobId)).toBeNull();
    await store.jobs.purge(late.expiresAt - 1, 100);
    expect(readData(late.jobId)).toEqual(Buffer.from(late.sealedData));
    await store.jobs.purge(late.expiresAt, 100);
    expect(readData(late.jobId)).toBeNull();
  });
});

test('what an account did is one stretch of an index in the order of writing, with no sorting', async () => {
  const [query] = await record(() => store.audit.list('account-a'));
  expect(explain(query)).toEqual(['SEARCH audit_entry USING INDEX audit_by_account (account_id=?)']);
});

test('a push of 100 entries is one statement between begin and commit', async () => {
  const entries = Array.from({ length: 100 }, (_, index) => makeEntry(index));
  expect(await record(() => store.activity.add(entries))).toHaveLength(3);
});

function makeEntry(index: number): Activity {
  const nothing = { rawType: null, firstUse: null, pinId: null, accessName: null, details: '{}' };
  return { id: objectId(`${index}`), deviceId: 'LK1', at: 1, receivedAt: 1, type: 'LOCK', method: 'auto', ...nothing };
}

async function record(act: () => Promise<unknown>): Promise<readonly CompiledQuery[]> {
  sent.length = 0;
  await act();
  return [...sent];
}

function explain(query: CompiledQuery | undefined): string[] {
  const { sql = '', parameters = [] } = query ?? {};
  const steps = connection.prepare(`explain query plan ${sql}`).all(...parameters) as { detail: string }[];
  return steps.map(({ detail }) => detail);
}
