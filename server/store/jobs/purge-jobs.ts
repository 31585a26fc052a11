import type { Database, DatabaseTransaction } from '../database.ts';
import { type PreparedWrite, prepareWrite } from '../prepared-query.ts';
import { jobRetentionMilliseconds } from './job-rows.ts';
import type { JobStore } from './job-store.ts';

interface Due {
  readonly now: number;
  readonly endedBefore: number;
  readonly atMost: number;
}

/**
 * Reads and limits use the clock, so that no answer depends on a purge. It removes old data: first that of ended jobs. Each condition is
 * repeated for the row itself, which another process may have settled or renewed since it was selected.
 */
export function prepareJobPurge(database: Database): JobStore['purge'] {
  const steps: readonly PreparedWrite<Due>[] = [
    prepareWrite(database, ({ now, atMost }) =>
      database
        .updateTable('job')
        .set({ status: 'expired', sealed_data: null })
        .where('job_id', 'in', ({ selectFrom }) =>
          selectFrom('job as due')
            .select('due.job_id')
            .where('due.sealed_data', 'is not', null)
            // Also a job more than a lifetime ahead: after the clock was set back, it would delay its device until that time comes again.
            .where((eb) =>
              eb.or([
                eb('due.expires_at', '<=', now),
                eb(eb('due.created_at', '-', now), '>', eb('due.expires_at', '-', eb.ref('due.created_at'))),
              ]),
            )
            .limit(atMost),
        )
        .where('sealed_data', 'is not', null),
    ),
    prepareWrite(database, ({ endedBefore, atMost }) =>
      database
        .deleteFrom('job')
        .where('job_id', 'in', ({ selectFrom }) =>
          selectFrom('job as due')
            .select('due.job_id')
            .where('due.ends_at', '<=', endedBefore)
            .orderBy('due.ends_at')
            .limit(atMost),
        )
        .where('ends_at', '<=', endedBefore),
    ),
    prepareWrite(database, ({ now, atMost }) =>
      database
        .deleteFrom('idempotency_key')
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple('client_id', 'key_hash'),
            'in',
            selectFrom('idempotency_key as due')
              .select(['due.client_id', 'due.key_hash'])
              .where('due.keep_until', '<=', now)
              .orderBy('due.keep_until')
              .limit(atMost)
              .$asTuple('client_id', 'key_hash'),
          ),
        )
        .where('keep_until', '<=', now),
    ),
  ];
  const run = async (now: number, atMost: number, within: DatabaseTransaction) => {
    const endedBefore = now - jobRetentionMilliseconds;
    let touched = 0;
    for (const step of steps) touched += await step({ now, endedBefore, atMost: atMost - touched }, within);
    return touched;
  };
  return (now, atMost) => database.transaction().execute((transaction) => run(now, atMost, transaction));
}
