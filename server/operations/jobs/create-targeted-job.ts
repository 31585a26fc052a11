import type { HandlerRequest } from '@lockstep/contract/handlers';
import type { BridgeLink } from '../../bridge/link.ts';
import { reject } from '../../error-catalogue.ts';
import type { Principal } from '../../principal.ts';
import type { Store } from '../../store/store.ts';
import { answerKnownKey, type ReadIdempotencyKey } from './idempotency.ts';
import { readJobType } from './job-types.ts';
import { rejectOffline, type SubmitNeeds, submitJob } from './submit-job.ts';

export interface TargetedJobNeeds extends SubmitNeeds {
  readonly store: Pick<Store, 'jobs' | 'devices'>;
  readonly link: Pick<BridgeLink, 'isOnline'>;
  readonly readKey: ReadIdempotencyKey;
}

/** Accepted jobs per bridge in any span of that length. */
const rate = { accepted: 3, windowMs: 60_000 };

/** Creates a job that a bridge runs on itself. */
export async function createTargetedJob(
  needs: TargetedJobNeeds,
  { path, headers, body, principal }: HandlerRequest<'createBridgeTargetedJob', Principal>,
) {
  const { store, clock, link, readKey } = needs;
  const { accountId, clientId } = principal;
  const jobType = readJobType(body.jobType);
  const keyText = headers['idempotency-key'];
  const meaning = { operation: 'createBridgeTargetedJob', path, body: { jobType } };
  const key = readKey(keyText, principal, meaning, clock.now());
  const known = await answerKnownKey(store, key, keyText, clock.now());
  if (known !== undefined) return known;

  const bridge = await store.devices.find(accountId, path.bridgeId);
  if (bridge?.type !== 'Bridge') return reject('bridge_not_found');
  if (!link.isOnline(bridge)) return rejectOffline(bridge.deviceId);
  const { deviceId } = bridge;
  return submitJob(needs, { accountId, clientId, bridgeId: deviceId, deviceId, jobType, data: {}, rate, key, keyText });
}
