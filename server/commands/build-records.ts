import { createHash } from 'node:crypto';
import type { EpochMilliseconds } from '../clock.ts';
import type { NewDevice } from '../store/records.ts';
import type { DeviceRecord, Import, ImportPart } from '../store/store.ts';
import type { ImportedDevice, ImportFile } from './read-import-file.ts';

/**
 * Turns a file, or a part of it, into what is stored, but for the links. Whatever the file leaves out stays as it is stored, so that
 * running it again changes nothing; `null`, `[]` and `false` take away. A new device starts in no place, without capabilities, with a
 * full battery, a bridge online, both paired now.
 *
 * @param stored what the account has of it already
 */
export function buildRecords(file: ImportFile, stored: Import, now: EpochMilliseconds): ImportPart {
  const accountId = file.account.id;
  const before = new Map(stored.devices.map((device) => [device.deviceId, device]));
  const timezoneOf = new Map(stored.properties.map(({ id, timezone }) => [id, timezone]));
  return {
    properties: (file.properties ?? []).map(({ id, name, timezone = timezoneOf.get(id) ?? null }) => ({
      id,
      accountId,
      name,
      timezone,
    })),
    devices: (file.devices ?? []).map((device) => ({
      ...describe(device, before.get(device.deviceId), now),
      id: device.id ?? before.get(device.deviceId)?.id ?? deriveId(accountId, device.deviceId),
      accountId,
    })),
  };
}

/** What a device has of its own. */
function describe(
  { deviceId, deviceName, type, ...given }: ImportedDevice,
  before: NewDevice | undefined,
  now: EpochMilliseconds,
): Omit<DeviceRecord, 'id' | 'accountId'> {
  const isBridge = type === 'Bridge';
  const { algoPin = before?.supportsAlgoPin, passagePin = before?.supportsPassagePin } = given.capabilities ?? {};
  const supportsAlgoPin = !isBridge && algoPin === true;
  const pairedAt = given.pairedAt === undefined ? (before?.pairedAt ?? now) : Date.parse(given.pairedAt);
  return {
    deviceId,
    deviceName,
    type,
    propertyIds: given.properties ?? before?.propertyIds ?? [],
    batteryLevel: isBridge ? null : (given.batteryLevel ?? before?.batteryLevel ?? 100),
    pairedAt,
    lastSyncAt: before?.lastSyncAt ?? pairedAt,
    supportsAlgoPin,
    supportsPassagePin: supportsAlgoPin && passagePin === true,
    online: isBridge ? (given.online ?? before?.online ?? true) : null,
    pairingGeneration: before?.pairingGeneration ?? 1,
  };
}

/** The same device gets the same id wherever it is imported. */
export function deriveId(accountId: string, deviceId: string): string {
  return createHash('sha256').update(`${accountId}\0${deviceId}`).digest('hex').slice(0, 24);
}
