import type { Database, Spelling } from '../database.ts';
import { prepareQuery, prepareWrite } from '../prepared-query.ts';
import { prepareJobCreation } from './create-job.ts';
import { prepareKeyMemory } from './idempotency-keys.ts';
import { type JobRow, jobColumns, jobRetentionMilliseconds, readJob } from './job-rows.ts';
import type { JobStore } from './job-store.ts';
import { prepareLeases } from './lease-jobs.ts';
import { prepareJobPurge } from './purge-jobs.ts';
import { prepareSettlement } from './settle-job.ts';

interface Find {
  readonly accountId: string;
  readonly jobId: string;
  readonly keptSince: number;
}

export function createJobStore(database: Database, spelling: Spelling): JobStore {
  const keys = prepareKeyMemory(database);
  const find = prepareQuery<Find, JobRow>(database, ({ accountId, jobId, keptSince }) =>
    database
      .selectFrom('job')
      .select(jobColumns)
      .where('job_id', '=', jobId)
      .where('account_id', '=', accountId)
      .where('ends_at', '>', keptSince),
  );
  const listUnfinished = prepareQuery<{ now: number }, JobRow>(database, ({ now }) =>
    database
      .selectFrom('job')
      .select(jobColumns)
      .where('sealed_data', 'is not', null)
      .where('expires_at', '>', now)
      .orderBy('number'),
  );
  const deliver = prepareWrite<{ jobId: string; at: number }>(database, ({ jobId, at }) =>
    database
      .updateTable('job')
      .set({ status: 'delivered' })
      .where('job_id', '=', jobId)
      .where('status', '=', 'queued')
      .where('expires_at', '>', at),
  );
  const list: JobStore['listUnfinished'] = async (now) =>
    (await listUnfinished({ now })).map((row) => readJob(row, now));
  return {
    ...prepareLeases(database, spelling, list),
    create: prepareJobCreation(database, spelling),
    findReplay: (key, now) => keys.find(key, now),
    find: async (accountId, jobId, now) => {
      const [row] = await find({ accountId, jobId, keptSince: now - jobRetentionMilliseconds });
      return row && readJob(row, now);
    },
    listUnfinished: list,
    list: async ({ now, accountId, bridgeId, limit }) => {
      let query = database
        .selectFrom('job')
        .select(jobColumns)
        .where('ends_at', '>', now - jobRetentionMilliseconds)
        .orderBy('number', 'desc')
        .limit(limit);
      if (accountId !== undefined) query = query.where('account_id', '=', accountId);
      if (bridgeId !== undefined) query = query.where('bridge_id', '=', bridgeId);
      return (await query.execute()).map((row) => readJob(row, now));
    },
    markDelivered: async (jobId, at) => (await deliver({ jobId, at })) === 1,
    settle: prepareSettlement(database),
    purge: prepareJobPurge(database, spelling),
  };
}
