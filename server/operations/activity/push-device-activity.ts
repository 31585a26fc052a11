import type { HandlerRequest } from '@lockstep/contract/handlers';
import { readLogItems } from '../../activity/read-log-items.ts';
import { derivePinId } from '../../algopin/derive-pin-id.ts';
import type { Clock } from '../../clock.ts';
import { reject } from '../../error-catalogue.ts';
import type { Keys } from '../../keys.ts';
import type { Principal } from '../../principal.ts';
import type { Store } from '../../store/store.ts';
import { deriveLockRef } from '../devices/device-secrets.ts';

interface Needs {
  readonly store: Pick<Store, 'devices' | 'accessCodes' | 'activity'>;
  readonly clock: Clock;
  readonly keys: Pick<Keys, 'deviceKey'>;
}

/** Stores the log items that a phone read from the lock: valid ones in one transaction; the answer lists the others. Without a valid item it is a 400. */
export async function pushDeviceActivity(
  { store, clock, keys }: Needs,
  { path, body: { logsPayload }, principal: { accountId } }: HandlerRequest<'pushDeviceActivity', Principal>,
) {
  const device = await store.devices.find(accountId, path.deviceId);
  if (device === undefined) return reject('device_not_found');
  const { deviceId, type } = device;
  const { entries, rejected } = await readLogItems(store.accessCodes, logsPayload, {
    deviceId,
    lockRef: type === 'Bridge' ? null : deriveLockRef(keys.deviceKey, deviceId),
    now: clock.now(),
    derivePinId: (pin) => derivePinId(keys.deviceKey, deviceId, pin),
  });
  const accepted = entries.length;
  const [first] = rejected;
  if (accepted === 0 && first !== undefined) {
    const { length } = rejected;
    return reject('log_unreadable', {
      // The text contains a reason, for clients that read only the text.
      text: `${length === 1 ? "The item can't be stored:" : `None of the ${length} items can be stored; the first:`} ${first.error}`,
      details: rejected.map(({ index, error }) => ({
        in: 'body',
        at: `/logsPayload/${index}`,
        says: error,
        nearest: [],
      })),
    });
  }
  if (accepted > 0) await store.activity.add(entries);
  const message = `${accepted} ${accepted === 1 ? 'entry' : 'entries'} stored`;
  return { status: 200, body: { message, accepted, rejected } } as const;
}
