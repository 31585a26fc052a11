import type { EpochMilliseconds } from '../../clock.ts';
import type { Tables } from '../schema.ts';
import type { Job } from './job-store.ts';

/** Finished jobs are kept this long after their end. */
export const jobRetentionMilliseconds = 7 * 24 * 60 * 60 * 1000;

export const jobColumns = [
  'job_id',
  'account_id',
  'bridge_id',
  'device_id',
  'job_type',
  'status',
  'result',
  'output',
  'created_at',
  'expires_at',
  'sealed_data',
] as const satisfies readonly (keyof Tables['job'])[];

export type JobRow = Pick<Tables['job'], (typeof jobColumns)[number]>;

/** Reads the job as of `now`. From `expiresAt` on an unfinished job reads as expired, marked or not. */
export function readJob(row: JobRow, now: EpochMilliseconds): Job {
  const { sealed_data: sealed } = row;
  const hasExpired = sealed !== null && row.expires_at <= now;
  return {
    jobId: row.job_id,
    accountId: row.account_id,
    bridgeId: row.bridge_id,
    deviceId: row.device_id,
    jobType: row.job_type,
    status: hasExpired ? 'expired' : row.status,
    result: row.result,
    output: row.output,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    sealedData: sealed === null || hasExpired ? null : new Uint8Array(sealed),
  };
}
