import { randomUUID } from 'node:crypto';
import { type ExpressionBuilder, sql } from 'kysely';
import type { Database, Spelling } from '../database.ts';
import { prepareQuery, prepareWrite } from '../prepared-query.ts';
import type { Tables } from '../schema.ts';
import { type JobRow, jobColumns, readJob } from './job-rows.ts';
import type { JobStore } from './job-store.ts';

/** A process that dies delays its jobs by this time, which is short of their two minutes. Writes and a long pause of a process fit in half of it. */
const leaseMs = 15_000;

/** How soon another process's job for a leased device is found, and the jobs of a process that died. */
const lookAgainMs = 1000;

interface Lease {
  readonly holder: string;
  readonly now: number;
  readonly until: number;
  /** Own leases are renewed below this time. */
  readonly renewBelow: number;
  /** A lease beyond this time was written before a clock was set back. */
  readonly farAhead: number;
}

/**
 * Where several processes share the database, the jobs of a device belong to one of them for a time, as two would run them in another order.
 * A lease is a row with an end, and no lock: a lock would need an open transaction while a bridge works, and locks of single jobs would not keep
 * the order. One statement takes the leases. It passes over those that another process holds or is taking (`skip locked`), and judges a lease
 * that another process has just inserted on the newest version of the row, under its lock.
 */
export function prepareLeases(
  database: Database,
  { isShared }: Spelling,
  listUnfinished: JobStore['listUnfinished'],
): Pick<JobStore, 'lease' | 'release'> {
  if (!isShared)
    return {
      lease: async (now) => ({ jobs: await listUnfinished(now), until: Number.POSITIVE_INFINITY, lookAgainAt: null }),
      release: async () => undefined,
    };
  const holder = randomUUID();
  const isFree = (eb: ExpressionBuilder<Tables, 'job_lease'>, lease: Lease) =>
    eb.or([
      eb('job_lease.until', '<=', lease.now),
      eb('job_lease.until', '>', lease.farAhead),
      eb('job_lease.holder', '=', sql<string>`cast(${lease.holder} as text)`).and(
        'job_lease.until',
        '<',
        lease.renewBelow,
      ),
    ]);
  const take = prepareWrite<Lease>(database, (lease) =>
    database
      .with('due', (db) =>
        db
          .selectFrom('job')
          .distinct()
          .select('device_id')
          .where('sealed_data', 'is not', null)
          .where('expires_at', '>', lease.now),
      )
      .with('free', (db) =>
        db
          .selectFrom('job_lease')
          .select('device_id')
          .where('device_id', 'in', db.selectFrom('due').select('due.device_id'))
          .where((eb) => isFree(eb, lease))
          .forNoKeyUpdate()
          .skipLocked(),
      )
      .with('missing', (db) =>
        db
          .selectFrom('due')
          .select('due.device_id')
          .where(({ not, exists, selectFrom }) =>
            not(exists(selectFrom('job_lease').select('holder').whereRef('job_lease.device_id', '=', 'due.device_id'))),
          ),
      )
      .insertInto('job_lease')
      .columns(['device_id', 'holder', 'until'])
      .expression((db) =>
        db
          .selectFrom(
            db
              .selectFrom('free')
              .select('device_id')
              .unionAll(db.selectFrom('missing').select('device_id'))
              .as('taken'),
          )
          .select([
            'taken.device_id',
            sql<string>`cast(${lease.holder} as text)`.as('holder'),
            sql<number>`cast(${lease.until} as bigint)`.as('until'),
          ])
          // A fixed order, since another process takes leases on the same devices.
          .orderBy('device_id'),
      )
      .onConflict((conflict) =>
        conflict
          .column('device_id')
          .doUpdateSet(({ ref }) => ({ holder: ref('excluded.holder'), until: ref('excluded.until') }))
          .where((eb) => isFree(eb as unknown as ExpressionBuilder<Tables, 'job_lease'>, lease)),
      ),
  );
  const list = prepareQuery<{ holder: string; now: number }, JobRow>(database, ({ holder, now }) =>
    database
      .selectFrom('job')
      .innerJoin('job_lease', 'job_lease.device_id', 'job.device_id')
      .select(jobColumns.map((column) => `job.${column}` as const))
      .where('job.sealed_data', 'is not', null)
      .where('job.expires_at', '>', now)
      .where('job_lease.holder', '=', holder)
      .where('job_lease.until', '>', now)
      .orderBy('job.number'),
  );
  const release = prepareWrite<{ holder: string; now: number }>(database, ({ holder, now }) =>
    database.deleteFrom('job_lease').where('holder', '=', holder).where('until', '>', now),
  );
  return {
    lease: async (now) => {
      const half = now + leaseMs / 2;
      await take({ holder, now, until: now + leaseMs, renewBelow: half, farAhead: now + 2 * leaseMs });
      const jobs = (await list({ holder, now })).map((row) => readJob(row, now));
      return { jobs, until: half, lookAgainAt: now + lookAgainMs };
    },
    release: async (now) => {
      await release({ holder, now });
    },
  };
}
