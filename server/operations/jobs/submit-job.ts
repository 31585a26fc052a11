import type { JobData, JobDataSeal } from '../../bridge/job-data.ts';
import type { Clock } from '../../clock.ts';
import { reject } from '../../error-catalogue.ts';
import { sayWait, secondsUntil } from '../../limits/retry-after.ts';
import type { IdempotencyKey, JobLimits, JobType } from '../../store/jobs/job-store.ts';
import type { Store } from '../../store/store.ts';
import { answerReplayed, rejectReused } from './idempotency.ts';
import { makeJobId } from './job-id.ts';

const lifeMs = 120_000;
const unfinishedPerBridge = 20;

export interface SubmitNeeds {
  readonly store: Pick<Store, 'jobs'>;
  readonly clock: Clock;
  readonly jobData: JobDataSeal;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Called after a job was created, so that the bridges fetch it. */
  readonly wakeBridges: () => void;
}

export interface Submission {
  readonly accountId: string;
  readonly clientId: string;
  readonly bridgeId: string;
  /** The device that the job is for; for a targeted job the bridge itself. */
  readonly deviceId: string;
  readonly jobType: JobType;
  readonly data: JobData;
  readonly rate: JobLimits['rate'];
  readonly key: IdempotencyKey | null;
  /** The client's key, for the message when it belongs to another request. */
  readonly keyText: string | undefined;
}

/** The last steps of both job operations: limits, key and job in one transaction, then the answer. */
export async function submitJob(needs: SubmitNeeds, { rate, key, keyText, data, ...job }: Submission) {
  const createdAt = needs.clock.now();
  const jobId = makeJobId(createdAt, needs.randomBytes);
  const creation = await needs.store.jobs.create(
    { ...job, jobId, createdAt, expiresAt: createdAt + lifeMs, sealedData: needs.jobData.seal(jobId, data) },
    { unfinished: unfinishedPerBridge, rate },
    key,
  );
  switch (creation.kind) {
    case 'created':
      needs.wakeBridges();
      return { status: 200, body: { jobId } } as const;
    case 'replayed':
      return answerReplayed(creation.jobId);
    case 'key_reused':
      return rejectReused(keyText);
    case 'rate':
      return rejectRate(secondsUntil(creation.freeAt, createdAt));
    case 'queue_full':
      return rejectQueueFull(secondsUntil(creation.freeAt, createdAt));
  }
}

export function rejectOffline(bridgeId: string) {
  return reject('bridge_offline', { text: `The bridge ${bridgeId} is offline` });
}

function rejectRate(seconds: number) {
  return reject('bridge_rate', {
    text: `Too many requests, try again in ${sayWait(seconds)}`,
    headers: { 'Retry-After': seconds },
  });
}

function rejectQueueFull(seconds: number) {
  return reject('queue_full', {
    text: `The bridge has ${unfinishedPerBridge} unfinished jobs, try again in ${sayWait(seconds)}`,
    headers: { 'Retry-After': seconds },
  });
}
