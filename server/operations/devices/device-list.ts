import type { HandlerRequest } from '@lockstep/contract/handlers';
import type { EpochMilliseconds } from '../../clock.ts';
import type { Principal } from '../../principal.ts';
import type { DeviceQuery } from '../../store/devices/device-store.ts';

/** Query parameters of a device list, the same for both lists. */
export type DeviceListQuery = HandlerRequest<'getDevices', Principal>['query'];
export type DeviceSort = NonNullable<DeviceListQuery['sort']>;
export type DeviceTypeFilter = NonNullable<DeviceListQuery['type']>;
export type Expand = NonNullable<DeviceListQuery['expand']>;

/** The operations that list devices, with their fixed filter. */
export const deviceLists = {
  getDevices: { algoPinOnly: false },
  getDevicesSupportingAlgoPin: { algoPinOnly: true },
} as const satisfies Record<string, Pick<DeviceQuery, 'algoPinOnly'>>;

export type DeviceListOperation = keyof typeof deviceLists;

export const orders: Readonly<Record<DeviceSort, DeviceQuery['sort']>> = {
  deviceName: { by: 'deviceName', descending: false },
  '-deviceName': { by: 'deviceName', descending: true },
  pairedAt: { by: 'pairedAt', descending: false },
  '-pairedAt': { by: 'pairedAt', descending: true },
};

/** The list that a page belongs to, with every parameter set. */
export interface DeviceList {
  readonly operation: DeviceListOperation;
  readonly sort: DeviceSort;
  readonly type: DeviceTypeFilter | undefined;
  /** Folded as the store compares it. */
  readonly search: string | undefined;
  readonly expand: Expand | undefined;
  readonly limit: number;
}

/** The last device of a page as it was then: it may be renamed before the next request. */
export interface LastDevice {
  readonly deviceId: string;
  readonly deviceName: string;
  readonly pairedAt: EpochMilliseconds;
}
