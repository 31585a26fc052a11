import type { ReadonlyDeep } from '@lockstep/contract/handlers';
import type { components } from '@lockstep/contract/types';
import type { Device, Property } from '../../store/records.ts';
import { formatLocalTime } from '../local-time.ts';

type Schemas = ReadonlyDeep<components['schemas']>;

/** Other records that are shown with a device. What a map lacks is not shown. */
export interface Surroundings {
  /** By id, at least the first of each device's `propertyIds`, which gives the timezone. */
  readonly properties: ReadonlyMap<string, Property>;
  /** By deviceId; devices to show in full where they are linked. None: linked devices stay references. */
  readonly linked: ReadonlyMap<string, Device>;
  /** Whether devices carry `properties`. */
  readonly showProperties: boolean;
}

/**
 * Builds the contract's Device from a record, member by member, so that nothing of the record is shown which nobody listed here.
 * Linked devices are shown in full one level deep: their own links stay references.
 */
export function describeDevice(device: Device, around: Surroundings): Schemas['Device'] {
  const linkedDevices = device.linked.map(({ deviceId, type }) => {
    const whole = around.linked.get(deviceId);
    return whole === undefined ? { deviceId, type } : describeWithReferences(whole, around);
  });
  return { ...describeFields(device, around), linkedDevices };
}

/** The zone of a device's clock: that of its first property. Null without a property, or while the property has none. */
export function timezoneOf(device: Device, properties: ReadonlyMap<string, Property>): string | null {
  return properties.get(device.propertyIds[0] ?? '')?.timezone ?? null;
}

function describeWithReferences(device: Device, around: Surroundings): Schemas['WholeLinkedDevice'] {
  const linkedDevices = device.linked.map(({ deviceId, type }) => ({ deviceId, type }));
  return { ...describeFields(device, around), linkedDevices };
}

function describeFields(device: Device, around: Surroundings): Schemas['DeviceFields'] {
  const timezone = timezoneOf(device, around.properties);
  return {
    id: device.id,
    deviceId: device.deviceId,
    deviceName: device.deviceName,
    type: device.type,
    homeId: device.propertyIds,
    pairedAt: formatLocalTime(device.pairedAt, timezone),
    ...(device.batteryLevel === null ? {} : { batteryLevel: device.batteryLevel }),
    ...(device.online === null ? {} : { online: device.online }),
    ...(around.showProperties ? { properties: describeProperties(device, around) } : {}),
    timezone,
    bridgeId: device.bridgeId,
    capabilities: { algoPin: device.supportsAlgoPin, passagePin: device.supportsPassagePin },
  };
}

function describeProperties(device: Device, around: Surroundings): Schemas['Property'][] {
  return device.propertyIds.flatMap((propertyId) => {
    const property = around.properties.get(propertyId);
    return property === undefined ? [] : [{ id: property.id, name: property.name, timezone: property.timezone }];
  });
}
