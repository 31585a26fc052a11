import { randomBytes } from 'node:crypto';
import { definePart } from '@lockstep/contract/handlers';
import { createJobDataSeal } from '../../bridge/job-data.ts';
import type { BridgeLink } from '../../bridge/link.ts';
import type { Clock } from '../../clock.ts';
import type { Keys } from '../../keys.ts';
import type { Principal } from '../../principal.ts';
import type { Store } from '../../store/store.ts';
import { createProxiedJob } from './create-proxied-job.ts';
import { createTargetedJob } from './create-targeted-job.ts';
import { getJobStatus } from './get-job-status.ts';
import { createIdempotency } from './idempotency.ts';

interface Needs {
  readonly store: Pick<Store, 'devices' | 'jobs'>;
  readonly clock: Clock;
  readonly keys: Pick<Keys, 'deviceKey'>;
  readonly link: Pick<BridgeLink, 'isOnline'>;
  /** Called after a job was created, so that the bridges fetch it. */
  readonly wakeBridges: () => void;
  /** For job ids, and nonces of sealed data. */
  readonly randomBytes?: (size: number) => Uint8Array;
}

/** The three job operations as handlers. */
export function createJobOperations({ keys, ...given }: Needs) {
  const random = given.randomBytes ?? randomBytes;
  const needs = {
    ...given,
    randomBytes: random,
    jobData: createJobDataSeal(keys.deviceKey, random),
    readKey: createIdempotency(keys.deviceKey),
  };
  return definePart<Principal>()({
    createBridgeTargetedJob: createTargetedJob.bind(null, needs),
    createBridgeProxiedJob: createProxiedJob.bind(null, needs),
    getJobStatus: getJobStatus.bind(null, needs),
  });
}
