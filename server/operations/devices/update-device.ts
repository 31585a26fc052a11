import type { HandlerRequest } from '@lockstep/contract/handlers';
import { reject } from '../../error-catalogue.ts';
import type { Principal } from '../../principal.ts';
import type { Store } from '../../store/store.ts';

/** Stores `batteryLevel`, the only setting, and nothing else of the body. */
export async function updateDevice(
  { store }: { readonly store: Pick<Store, 'devices'> },
  { path, body: { batteryLevel }, principal: { accountId } }: HandlerRequest<'updateDevice', Principal>,
) {
  const device = await store.devices.find(accountId, path.deviceId);
  if (device === undefined) return reject('device_not_found');
  if (device.timezone === null) return reject('no_timezone');
  if (batteryLevel === undefined) return { status: 200, body: { message: 'nothing to update' } } as const;
  if (device.type === 'Bridge') {
    return reject('no_battery', {
      text: `The bridge ${device.deviceId} has no battery`,
      details: [{ in: 'body', at: '/batteryLevel', says: 'must be left out for a bridge', nearest: [] }],
    });
  }
  const isStored = await store.devices.setBatteryLevel(accountId, device.deviceId, Number(batteryLevel));
  return isStored ? ({ status: 200, body: { message: 'device updated' } } as const) : reject('device_not_found');
}
