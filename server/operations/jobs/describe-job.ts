import type { components } from '@lockstep/contract/types';
import type { Job, JobStatus } from '../../store/jobs/job-store.ts';

type Schemas = components['schemas'];

/** Members of the answer for each status. */
const statuses = {
  queued: { completed: false, jobStatus: 1 },
  delivered: { completed: false, jobStatus: 1 },
  succeeded: { completed: true, jobStatus: 0 },
  failed: { completed: true, jobStatus: 2 },
  expired: { completed: true, jobStatus: 3 },
} as const satisfies Readonly<Record<JobStatus, { completed: boolean; jobStatus: number }>>;

/** Why a job failed, by its result. */
const failures: Readonly<Record<number, string>> = {
  1: 'The device is out of reach',
  2: 'The device refused the job',
  3: 'The device has a PIN of these digits already',
  4: 'The device has no such PIN',
  5: 'The device has no room for another PIN',
  6: 'The lock is jammed',
  7: 'The clock of the device is wrong',
};

/** Builds the contract's Job from a record as the store read it. */
export function describeJob(job: Job): Schemas['Job'] {
  const { status } = job;
  const { completed, jobStatus } = statuses[status];
  const hasResult = status === 'succeeded' || status === 'failed';
  const failureReason = sayFailure(status, job);
  return {
    jobId: job.jobId,
    jobType: job.jobType,
    status,
    completed,
    expiryDate: new Date(job.expiresAt).toISOString(),
    jobResponse: {
      jobStatus,
      opResult: { result: hasResult ? job.result : -1, ...(status === 'succeeded' ? readOutput(job.output) : {}) },
    },
    ...(failureReason === undefined ? {} : { failureReason }),
  };
}

function sayFailure(status: JobStatus, { result, createdAt, expiresAt }: Job): string | undefined {
  if (status === 'failed') return failures[result] ?? 'The device could not do it';
  if (status === 'expired') return `The device did not answer within ${(expiresAt - createdAt) / 1000} seconds`;
  return undefined;
}

/** Lists each member, so that no other member of the output gets into the answer. */
function readOutput(text: string): Omit<Schemas['OpResult'], 'result'> {
  const { lockState, accessId, batteryLevel, deviceTime, firmware } = JSON.parse(text) as Partial<Schemas['OpResult']>;
  return {
    ...(lockState === undefined ? {} : { lockState }),
    ...(accessId === undefined ? {} : { accessId }),
    ...(batteryLevel === undefined ? {} : { batteryLevel }),
    ...(deviceTime === undefined ? {} : { deviceTime }),
    ...(firmware === undefined ? {} : { firmware }),
  };
}
