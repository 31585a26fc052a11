import type { HandlerRequest } from '@lockstep/contract/handlers';
import type { Clock } from '../../clock.ts';
import { reject } from '../../error-catalogue.ts';
import type { Keys } from '../../keys.ts';
import type { Principal } from '../../principal.ts';
import type { Store } from '../../store/store.ts';
import { formatLocalTime } from '../local-time.ts';
import { describeDevice } from './describe-device.ts';
import { deriveAdminKey, deriveLockRef } from './device-secrets.ts';
import { findSurroundings } from './find-surroundings.ts';

interface Needs {
  readonly store: Pick<Store, 'devices' | 'properties' | 'audit'>;
  readonly clock: Clock;
  readonly keys: Pick<Keys, 'deviceKey'>;
}

/** Answers one device in full, with its keys on request; a bridge has no keys. */
export async function getDevice(
  { store, clock, keys }: Needs,
  { path, query, requestId, principal: { accountId, clientId } }: HandlerRequest<'getDevice', Principal>,
) {
  const device = await store.devices.find(accountId, path.deviceId);
  if (device === undefined) return reject('device_not_found');
  const { timezone } = device;
  if (timezone === null) return reject('no_timezone');
  const around = await findSurroundings(store, accountId, [device], query.expand);

  const hasKeys = device.type !== 'Bridge';
  const showsAdminKey = hasKeys && isOn(query.admin_key);
  if (showsAdminKey) {
    // Audited before the answer: a key without an audit entry is worse than an entry without a key.
    const entry = { action: 'read_admin_key', deviceId: device.deviceId, requestId };
    await store.audit.add({ at: clock.now(), accountId, clientId, ...entry });
  }
  return {
    status: 200,
    body: {
      ...describeDevice(device, around),
      lastSync: formatLocalTime(device.lastSyncAt, timezone),
      ...(showsAdminKey ? { admin_key: deriveAdminKey(keys.deviceKey, device.deviceId) } : {}),
      ...(hasKeys && isOn(query.lock_id) ? { lockRef: deriveLockRef(keys.deviceKey, device.deviceId) } : {}),
    },
  } as const;
}

function isOn(flag: '0' | '1' | 'false' | 'true'): boolean {
  return flag === '1' || flag === 'true';
}
