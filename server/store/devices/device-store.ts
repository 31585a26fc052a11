import type { EpochMilliseconds } from '../../clock.ts';
import type { AuditEntry, Device, DeviceType } from '../records.ts';

/** The start of a page: after this item of the order. */
export interface DevicePlace {
  /** The sort key: the NFC name, or `pairedAt` in milliseconds. */
  readonly value: string | number;
  readonly deviceId: string;
}

export interface DeviceQuery {
  readonly accountId: string;
  /** Ties are sorted by `deviceId` in the same direction, so that one order is the exact reverse of the other. Text sorts by code points of NFC. */
  readonly sort: { readonly by: 'deviceName' | 'pairedAt'; readonly descending: boolean };
  readonly type?: DeviceType | undefined;
  /** Part of the name or start of the deviceId, without regard to case; `%`, `_`, `*` are literal. */
  readonly search?: string | undefined;
  /** Only devices that support algoPIN codes. */
  readonly algoPinOnly?: boolean;
  readonly after?: DevicePlace | undefined;
  readonly limit: number;
}

export interface DeviceStore {
  /** In the requested order. The caller requests one more than a page to learn whether there is a next page. */
  list(query: DeviceQuery): Promise<readonly Device[]>;
  /** Undefined for an unknown device and for a device of another account. */
  find(accountId: string, deviceId: string): Promise<Device | undefined>;
  /** Finds a device of any account. For operators: requests of clients use `find`. */
  findAnywhere(deviceId: string): Promise<Device | undefined>;
  /** Devices of the account by deviceId, in no order. */
  findAll(accountId: string, deviceIds: readonly string[]): Promise<readonly Device[]>;
  /** @returns false when there is no such device in the account */
  setBatteryLevel(accountId: string, deviceId: string, batteryLevel: number): Promise<boolean>;
  /** Records when a device was last heard of. An earlier time changes nothing. */
  setLastSync(deviceId: string, at: EpochMilliseconds): Promise<void>;
  /**
   * Pairs the device again, which invalidates its earlier codes. One conditional statement, so that of two callers with the same generation
   * one raises it.
   *
   * @param from the current generation
   * @param audit written in the same transaction
   * @returns false when the device has another generation, or there is no such device in the account
   */
  raisePairingGeneration(accountId: string, deviceId: string, from: number, audit?: AuditEntry): Promise<boolean>;
  /** @returns false when there is no such bridge in the account */
  setOnline(accountId: string, bridgeId: string, online: boolean): Promise<boolean>;
}
