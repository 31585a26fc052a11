import type { HandlerRequest } from '@lockstep/contract/handlers';
import type { Clock } from '../../clock.ts';
import { reject } from '../../error-catalogue.ts';
import type { Principal } from '../../principal.ts';
import type { Store } from '../../store/store.ts';
import { describeJob } from './describe-job.ts';

/** Answers a job of the account. Its id is case-insensitive. */
export async function getJobStatus(
  { store, clock }: { readonly store: Pick<Store, 'jobs'>; readonly clock: Clock },
  { path, principal: { accountId } }: HandlerRequest<'getJobStatus', Principal>,
) {
  const job = await store.jobs.find(accountId, path.jobId.toLowerCase(), clock.now());
  return job === undefined ? reject('job_not_found') : ({ status: 200, body: describeJob(job) } as const);
}
