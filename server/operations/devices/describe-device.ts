import type { ReadonlyDeep } from '@lockstep/contract/handlers';
import type { components } from '@lockstep/contract/types';
import type { Device, Property } from '../../store/records.ts';
import { formatLocalTime } from '../local-time.ts';

type Schemas = ReadonlyDeep<components['schemas']>;

/** Other records that the answer shows with a device. Records that a map lacks are not shown. */
export interface Surroundings {
  /** By id; undefined for answers without `properties`. */
  readonly properties: ReadonlyMap<string, Property> | undefined;
  /** By deviceId: linked devices to show in full. Others stay references. */
  readonly linked: ReadonlyMap<string, Device>;
}

/**
 * Builds the contract's Device from a record. Lists each member, so that no other member of the record gets into the answer.
 * Linked devices are shown in full one level deep: their own links stay references.
 */
export function describeDevice(device: Device, around: Surroundings): Schemas['Device'] {
  const linkedDevices = device.linked.map(({ deviceId, type }) => {
    const whole = around.linked.get(deviceId);
    return whole === undefined ? { deviceId, type } : describeWithReferences(whole, around);
  });
  return { ...describeFields(device, around), linkedDevices };
}

function describeWithReferences(device: Device, around: Surroundings): Schemas['LinkedDevice'] {
  const linkedDevices = device.linked.map(({ deviceId, type }) => ({ deviceId, type }));
  return { ...describeFields(device, around), linkedDevices };
}

function describeFields(device: Device, around: Surroundings): Omit<Schemas['Device'], 'linkedDevices'> {
  const { timezone } = device;
  return {
    id: device.id,
    deviceId: device.deviceId,
    deviceName: device.deviceName,
    type: device.type,
    homeId: device.propertyIds,
    pairedAt: formatLocalTime(device.pairedAt, timezone),
    ...(device.batteryLevel === null ? {} : { batteryLevel: device.batteryLevel }),
    ...(device.online === null ? {} : { online: device.online }),
    ...(around.properties === undefined ? {} : { properties: describeProperties(device, around.properties) }),
    timezone,
    bridgeId: device.bridgeId,
    capabilities: { algoPin: device.supportsAlgoPin, passagePin: device.supportsPassagePin },
  };
}

function describeProperties(
  { propertyIds }: Device,
  properties: NonNullable<Surroundings['properties']>,
): Schemas['Property'][] {
  return propertyIds.flatMap((propertyId) => {
    const property = properties.get(propertyId);
    return property === undefined ? [] : [{ id: property.id, name: property.name, timezone: property.timezone }];
  });
}
