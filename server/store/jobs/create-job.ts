import type { Database, DatabaseTransaction, Spelling } from '../database.ts';
import { prepareQuery, prepareWrite } from '../prepared-query.ts';
import { transact } from '../transact.ts';
import { type KeyMemory, prepareKeyMemory } from './idempotency-keys.ts';
import { type Attempt, makeAttempt, prepareRefusal, selectQueueEnd, selectRateStart } from './job-limits.ts';
import type { Creation, IdempotencyKey, JobStore, NewJob } from './job-store.ts';

class Rejected extends Error {
  readonly creation: Creation;

  constructor(creation: Creation) {
    super(creation.kind);
    this.creation = creation;
  }
}

/**
 * Creates a job, or returns the reason against it, in one transaction. A known key is answered first: a repetition counts against no limit.
 * The bridge's row is locked before any read, so that of two creations for one bridge the second sees the first.
 */
export function prepareJobCreation(database: Database, { rowLock }: Spelling): JobStore['create'] {
  const lockBridge = prepareQuery<{ bridgeId: string }, { device_id: string }>(database, ({ bridgeId }) =>
    database.selectFrom('device').select('device_id').where('device_id', '=', bridgeId).modifyEnd(rowLock),
  );
  const keys = prepareKeyMemory(database);
  const insertRated = prepareInsert(database, true);
  const insertUnrated = prepareInsert(database, false);
  const findRejection = prepareRefusal(database);
  return async (job, limits, key) => {
    const attempt = makeAttempt(job, limits);
    const insert = limits.rate === null ? insertUnrated : insertRated;
    try {
      await transact(database, async (transaction) => {
        await lockBridge(job, transaction);
        if (key !== null) await takeKey(keys, key, job, transaction);
        if ((await insert(attempt, transaction)) === 0) throw new Rejected(await findRejection(attempt, transaction));
      });
      return { kind: 'created' };
    } catch (error) {
      if (error instanceof Rejected) return error.creation;
      throw error;
    }
  };
}

async function takeKey(keys: KeyMemory, key: IdempotencyKey, job: NewJob, within: DatabaseTransaction): Promise<void> {
  if (await keys.keep(key, job.jobId, job.createdAt, within)) return;
  const known = await keys.find(key, job.createdAt, within);
  if (known === undefined) throw new Error('an idempotency key conflicts but does not exist');
  throw new Rejected(known);
}

/** The limits are conditions of the statement itself, so that no caller can write a job beyond them. */
function prepareInsert(database: Database, isRated: boolean) {
  return prepareWrite<Attempt>(database, (attempt) => {
    const cells = [
      ['job_id', attempt.jobId],
      ['account_id', attempt.accountId],
      ['client_id', attempt.clientId],
      ['bridge_id', attempt.bridgeId],
      ['device_id', attempt.deviceId],
      ['job_type', attempt.jobType],
      ['status', 'queued'],
      ['result', -1],
      ['output', '{}'],
      ['created_at', attempt.createdAt],
      ['expires_at', attempt.expiresAt],
      ['ends_at', attempt.expiresAt],
      ['sealed_data', attempt.sealedData],
      ['rated', attempt.rated],
    ] as const;
    let row = database
      .selectNoFrom(({ val }) => cells.map(([column, value]) => val(value).as(column)))
      .where(({ not, exists }) => not(exists(selectQueueEnd(database, attempt))));
    if (isRated) row = row.where(({ not, exists }) => not(exists(selectRateStart(database, attempt))));
    return database
      .insertInto('job')
      .columns(cells.map(([column]) => column))
      .expression(row);
  });
}
