import { sql } from 'kysely';
import type { Database, DatabaseTransaction, Spelling } from '../database.ts';
import { prepareDeletion } from '../delete-due.ts';
import { prepareWrite } from '../prepared-query.ts';
import { transact } from '../transact.ts';
import { jobRetentionMilliseconds } from './job-rows.ts';
import type { JobStore } from './job-store.ts';

/** Longer than the clocks of two machines differ. */
const leaseRetentionMs = 24 * 60 * 60 * 1000;

/** Reads and limits use the clock, so that no answer depends on a purge. It removes old data: first that of ended jobs. */
export function prepareJobPurge(database: Database, spelling: Spelling): JobStore['purge'] {
  const expire = prepareExpiry(database, spelling);
  const removeJobs = prepareDeletion(database, spelling, { table: 'job', key: ['job_id'], due: 'ends_at' });
  const removeKeys = prepareDeletion(database, spelling, {
    table: 'idempotency_key',
    key: ['client_id', 'key_hash'],
    due: 'keep_until',
  });
  const removeLeases = prepareDeletion(database, spelling, { table: 'job_lease', key: ['device_id'], due: 'until' });
  const run = async (now: number, atMost: number, within: DatabaseTransaction) => {
    let touched = await expire({ now, atMost }, within);
    touched += await removeJobs({ dueBy: now - jobRetentionMilliseconds, atMost: atMost - touched }, within);
    touched += await removeKeys({ dueBy: now, atMost: atMost - touched }, within);
    return touched + (await removeLeases({ dueBy: now - leaseRetentionMs, atMost: atMost - touched }, within));
  };
  return (now, atMost) => transact(database, (transaction) => run(now, atMost, transaction));
}

function prepareExpiry(database: Database, { isSelected }: Spelling) {
  return prepareWrite<{ now: number; atMost: number }>(database, ({ now, atMost }) =>
    database
      .updateTable('job')
      .set({ status: 'expired', sealed_data: null })
      .where(
        isSelected(
          ['job_id'],
          // Also a job more than a lifetime ahead: after the clock was set back, it would delay its device until that time comes again.
          (columns) => sql`select ${columns} from job as due where due.sealed_data is not null
            and (due.expires_at <= ${now} or due.created_at - ${now} > due.expires_at - due.created_at) limit ${atMost}`,
        ),
      )
      // Again for the row itself, which another process may have settled since it was selected.
      .where('sealed_data', 'is not', null),
  );
}
