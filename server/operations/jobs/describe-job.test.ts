import { expect, test } from 'vitest';
import type { Job, JobStatus } from '../../store/jobs/job-store.ts';
import { describeJob } from './describe-job.ts';

const output = { lockState: 'unlocked', accessId: 'a', batteryLevel: 5, deviceTime: 't', firmware: '1' };

function makeJob(status: JobStatus, result: number, given: object = output): Job {
  return {
    jobId: '0123456789abcdef01234567',
    accountId: 'a',
    bridgeId: 'b',
    deviceId: 'd',
    jobType: 'UNLOCK',
    status,
    result,
    output: JSON.stringify(given),
    createdAt: 0,
    expiresAt: 120_000,
    sealedData: null,
  };
}

test.each([
  { status: 'queued', result: -1, want: { result: -1 } },
  { status: 'delivered', result: -1, want: { result: -1 } },
  { status: 'succeeded', result: 0, want: { result: 0, ...output } },
  { status: 'failed', result: 6, want: { result: 6 } },
  { status: 'expired', result: -1, want: { result: -1 } },
] as const)('a job that is $status shows the output of the device only if it succeeded', ({ status, result, want }) => {
  expect(describeJob(makeJob(status, result)).jobResponse.opResult).toEqual(want);
});

test('a member of the output that the contract does not list is not shown', () => {
  const given = { lockState: 'locked', pin: '1234', result: 9 };
  expect(describeJob(makeJob('succeeded', 0, given)).jobResponse.opResult).toEqual({ result: 0, lockState: 'locked' });
});
