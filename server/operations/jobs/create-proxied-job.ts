import type { HandlerRequest } from '@lockstep/contract/handlers';
import { reject } from '../../error-catalogue.ts';
import type { Principal } from '../../principal.ts';
import type { JobType } from '../../store/jobs/job-store.ts';
import type { Device } from '../../store/records.ts';
import { checkJobWindow } from './check-job-window.ts';
import type { TargetedJobNeeds } from './create-targeted-job.ts';
import { answerKnownKey } from './idempotency.ts';
import { jobTypes, listJobTypes, readJobType } from './job-types.ts';
import { parseJobData, readJobData } from './read-job-data.ts';
import { rejectOffline, submitJob } from './submit-job.ts';

/**
 * Creates a job that a bridge runs on a lock or keypad that it links. A bridge's `deviceId` is a 404, like an unknown one: no bridge links
 * another.
 */
export async function createProxiedJob(
  needs: TargetedJobNeeds,
  { path, headers, body, principal }: HandlerRequest<'createBridgeProxiedJob', Principal>,
) {
  const { store, clock, link, readKey } = needs;
  const { accountId, clientId } = principal;
  const jobType = readJobType(body.jobType);
  const sent = parseJobData(body.jobData);
  const data = readJobData(sent);
  const keyText = headers['idempotency-key'];
  const meaning = { operation: 'createBridgeProxiedJob', path, body: { jobType, data } };
  const key = readKey(keyText, principal, meaning, clock.now());
  const known = await answerKnownKey(store, key, keyText, clock.now());
  if (known !== undefined) return known;

  const found = await store.devices.findAll(accountId, [path.deviceId, path.bridgeId]);
  const device = found.find(({ deviceId }) => deviceId === path.deviceId);
  if (device === undefined || device.type === 'Bridge') return reject('device_not_found');
  const bridge = found.find(({ deviceId }) => deviceId === path.bridgeId);
  if (bridge?.type !== 'Bridge') return reject('bridge_not_found');

  const broken = checkSupport(jobType, device) ?? checkLink(device, bridge) ?? checkJobWindow(sent, data, clock.now());
  if (broken !== undefined) return broken;
  if (!link.isOnline(bridge)) return rejectOffline(bridge.deviceId);
  const ids = { accountId, clientId, bridgeId: bridge.deviceId, deviceId: device.deviceId };
  return submitJob(needs, { ...ids, jobType, data, rate: null, key, keyText });
}

function checkSupport(jobType: JobType, { type, deviceId }: Device) {
  if ((jobTypes[jobType].devices as readonly string[]).includes(type)) return undefined;
  const kind = type.toLowerCase();
  return reject('job_not_supported', {
    text: `jobType ${jobType} is not supported by the ${kind} ${deviceId}`,
    details: [{ in: 'body', at: '/jobType', says: `must be a job that a ${kind} can do`, nearest: listJobTypes(type) }],
  });
}

function checkLink({ deviceId, bridgeId }: Device, bridge: Device) {
  if (bridge.linked.some((linked) => linked.deviceId === deviceId)) return undefined;
  const hint = bridgeId === null ? 'no bridge has it' : `use ${bridgeId}`;
  return reject('not_linked', {
    text: `The device ${deviceId} is not linked to the bridge ${bridge.deviceId}, ${hint}`,
    details: [
      {
        in: 'path',
        at: 'bridgeId',
        says: 'must be a bridge whose linkedDevices has the device',
        nearest: bridgeId === null ? [] : [bridgeId],
      },
    ],
  });
}
