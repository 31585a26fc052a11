import type { Device } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import type { Surroundings } from './describe-device.ts';
import type { Expand } from './device-list.ts';

/** Reads the records that `expand` asks for with some devices of one account: one read for each kind of record. */
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
  const properties = parts.has('properties')
    ? await store.properties.findAll(accountId, distinct([...devices, ...linked].flatMap((one) => one.propertyIds)))
    : undefined;
  return {
    linked: new Map(linked.map((device) => [device.deviceId, device])),
    properties: properties && new Map(properties.map((property) => [property.id, property])),
  };
}

function distinct(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}

function idOf({ deviceId }: { readonly deviceId: string }): string {
  return deviceId;
}
