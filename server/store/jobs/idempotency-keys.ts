import type { EpochMilliseconds } from '../../clock.ts';
import type { Database, DatabaseTransaction } from '../database.ts';
import { prepareQuery, prepareWrite } from '../prepared-query.ts';
import type { IdempotencyKey, Replay } from './job-store.ts';

export interface KeyMemory {
  /** Stores the key for that job, unless another job has it at `now`. @returns whether the key was stored */
  keep(key: IdempotencyKey, jobId: string, now: EpochMilliseconds, within: DatabaseTransaction): Promise<boolean>;
  find(key: IdempotencyKey, now: EpochMilliseconds, within?: DatabaseTransaction): Promise<Replay | undefined>;
}

type At = IdempotencyKey & { readonly now: EpochMilliseconds };

export function prepareKeyMemory(database: Database): KeyMemory {
  // An expired key is replaced even before it is purged.
  const keep = prepareWrite<At & { jobId: string }>(
    database,
    ({ clientId, keyHash, requestHash, jobId, keepUntil, now }) =>
      database
        .insertInto('idempotency_key')
        .values({
          client_id: clientId,
          key_hash: keyHash,
          request_hash: requestHash,
          job_id: jobId,
          keep_until: keepUntil,
        })
        .onConflict((conflict) =>
          conflict
            .columns(['client_id', 'key_hash'])
            .doUpdateSet(({ ref }) => ({
              request_hash: ref('excluded.request_hash'),
              job_id: ref('excluded.job_id'),
              keep_until: ref('excluded.keep_until'),
            }))
            .where('idempotency_key.keep_until', '<=', now),
        ),
  );
  const find = prepareQuery<At, { request_hash: string; job_id: string }>(database, ({ clientId, keyHash, now }) =>
    database
      .selectFrom('idempotency_key')
      .select(['request_hash', 'job_id'])
      .where('client_id', '=', clientId)
      .where('key_hash', '=', keyHash)
      .where('keep_until', '>', now),
  );
  return {
    keep: async (key, jobId, now, within) => (await keep({ ...key, jobId, now }, within)) === 1,
    find: async (key, now, within) => {
      const [row] = await find({ ...key, now }, within);
      if (row === undefined) return undefined;
      return row.request_hash === key.requestHash ? { kind: 'replayed', jobId: row.job_id } : { kind: 'key_reused' };
    },
  };
}
