import type { Database, DatabaseTransaction } from '../database.ts';
import { prepareQuery } from '../prepared-query.ts';
import type { Creation, JobLimits, NewJob } from './job-store.ts';

/** A new job with the bounds for its limits. `spare` is a limit less one: the largest number of earlier jobs at which one more is accepted. */
export interface Attempt extends NewJob {
  readonly rated: 0 | 1;
  readonly unfinishedSpare: number;
  readonly rateSpare: number;
  readonly windowMs: number;
  /** Exclusive. */
  readonly windowStart: number;
  /** Inclusive. */
  readonly windowEnd: number;
  /** Inclusive: an unfinished job that was created later does not count. */
  readonly queueEnd: number;
}

export function makeAttempt(job: NewJob, { unfinished, rate }: JobLimits): Attempt {
  const { accepted, windowMs } = rate ?? { accepted: 1, windowMs: 0 };
  return {
    ...job,
    rated: rate === null ? 0 : 1,
    unfinishedSpare: unfinished - 1,
    rateSpare: accepted - 1,
    windowMs,
    // Half-open: an acceptance at t stops counting at t + windowMs, not a millisecond before.
    windowStart: job.createdAt - windowMs,
    // Concurrent requests may be written in another order than that of their times, so jobs a little ahead count too. A job further ahead
    // comes from a clock that was set back, and must not block the bridge until then.
    windowEnd: job.createdAt + windowMs,
    // For the same reason, with a job's lifetime instead of the window.
    queueEnd: job.expiresAt,
  };
}

/** One row while the bridge has its maximum of unfinished jobs: the expiry after which there is room. Expired jobs don't count, marked or not. */
export function selectQueueEnd(database: Database, attempt: Attempt) {
  return database
    .selectFrom('job as waiting')
    .select('waiting.expires_at as freeAt')
    .where('waiting.bridge_id', '=', attempt.bridgeId)
    .where('waiting.sealed_data', 'is not', null)
    .where('waiting.expires_at', '>', attempt.createdAt)
    .where('waiting.created_at', '<=', attempt.queueEnd)
    .orderBy('waiting.expires_at', 'desc')
    .limit(1)
    .offset(attempt.unfinishedSpare);
}

/** One row while the rate is used up: the acceptance that has to leave the window first. */
export function selectRateStart(database: Database, attempt: Attempt) {
  return database
    .selectFrom('job as earlier')
    .select('earlier.created_at as acceptedAt')
    .where('earlier.bridge_id', '=', attempt.bridgeId)
    .where(({ eb, lit }) => eb('earlier.rated', '=', lit(1)))
    .where('earlier.created_at', '>', attempt.windowStart)
    .where('earlier.created_at', '<=', attempt.windowEnd)
    .orderBy('earlier.created_at', 'desc')
    .limit(1)
    .offset(attempt.rateSpare);
}

/** Finds the limit that rejected an attempt. Of two limits it returns the one that lasts longer, so that a later retry meets neither. */
export function prepareRefusal(
  database: Database,
): (attempt: Attempt, within: DatabaseTransaction) => Promise<Creation> {
  const findQueueEnd = prepareQuery<Attempt, { freeAt: number }>(database, (attempt) =>
    selectQueueEnd(database, attempt),
  );
  const findRateStart = prepareQuery<Attempt, { acceptedAt: number }>(database, (attempt) =>
    selectRateStart(database, attempt),
  );
  return async (attempt, within) => {
    const [queue] = await findQueueEnd(attempt, within);
    const [rate] = attempt.rated === 1 ? await findRateStart(attempt, within) : [];
    const freeAt = rate === undefined ? undefined : rate.acceptedAt + attempt.windowMs;
    if (queue !== undefined && (freeAt === undefined || queue.freeAt >= freeAt))
      return { kind: 'queue_full', freeAt: queue.freeAt };
    if (freeAt === undefined) throw new Error('a job was not written although no limit is reached');
    return { kind: 'rate', freeAt };
  };
}
