import type { JobData, JobDataSeal } from '../../bridge/job-data.ts';
import type { Clock } from '../../clock.ts';
import { refuse } from '../../error-catalogue.ts';
import { sayWait, secondsUntil } from '../../limits/retry-after.ts';
import type { IdempotencyKey, JobLimits, JobType } from '../../store/jobs/job-store.ts';
import type { Store } from '../../store/store.ts';
import { answerReplayed, refuseReused } from './idempotency.ts';
import { makeJobId } from './job-id.ts';

const lifeMs = 120_000;
const unfinishedPerBridge = 20;

export interface SubmitNeeds {
  readonly store: Pick<Store, 'jobs'>;
  readonly clock: Clock;
  readonly jobData: JobDataSeal;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Told after a job was created: there is work for the bridges. */
  readonly wakeBridges: () => void;
}

export interface Submission {
  readonly accountId: string;
  readonly clientId: string;
  readonly bridgeId: string;
  /** The device it is for: the bridge itself for a targeted job. */
  readonly deviceId: string;
  readonly jobType: JobType;
  readonly data: JobData;
  readonly rate: JobLimits['rate'];
  readonly key: IdempotencyKey | null;
  /** What the client called the key; said when it belongs to another request. */
  readonly keyText: string | undefined;
}

/** The last steps of both creations: limits, key and job in one transaction, then the answer. */
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
      return refuseReused(keyText);
    case 'rate':
      return refuseRate(secondsUntil(creation.freeAt, createdAt));
    case 'queue_full':
      return refuseQueueFull(secondsUntil(creation.freeAt, createdAt));
  }
}

export function refuseOffline(bridgeId: string) {
  return refuse('bridge_offline', { text: `The bridge ${bridgeId} is offline` });
}

function refuseRate(seconds: number) {
  return refuse('bridge_rate', {
    text: `Too many requests, try again in ${sayWait(seconds)}`,
    headers: { 'Retry-After': seconds },
  });
}

function refuseQueueFull(seconds: number) {
  return refuse('queue_full', {
    text: `The bridge has ${unfinishedPerBridge} unfinished jobs, try again in ${sayWait(seconds)}`,
    headers: { 'Retry-After': seconds },
  });
}
