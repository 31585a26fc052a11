import type { Device } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import type { Surroundings } from './describe-device.ts';
import type { Expand } from './device-list.ts';

/** Reads what is shown with some devices of one account: two reads at most, however many devices. */
export async function findSurroundings(
  store: Pick<Store, 'devices' | 'properties'>,
  accountId: string,
  devices: readonly Device[],
  expand: Expand | undefined,
): Promise<Surroundings> {
  const parts = new Set(expand?.split(','));
  const linked = parts.has('linkedDevices')
    ? await store.devices.findAll(accountId, distinct(devices.flatMap((device) => device.linked.map(idOf))))
    : [];
  const propertyIds = distinct([...devices, ...linked].flatMap((device) => device.propertyIds));
  const properties = await store.properties.findAll(accountId, propertyIds);
  return {
    properties: new Map(properties.map((property) => [property.id, property])),
    linked: new Map(linked.map((device) => [device.deviceId, device])),
    showProperties: parts.has('properties'),
  };
}

function distinct(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}

function idOf({ deviceId }: { readonly deviceId: string }): string {
  return deviceId;
}
