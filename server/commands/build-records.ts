import { createHash } from 'node:crypto';
import type { EpochMilliseconds } from '../clock.ts';
import type { Device } from '../store/records.ts';
import type { Import } from '../store/store.ts';
import type { ImportFile } from './import-schema.ts';

/**
 * Turns an import file into what is stored. The timezone of a property, and id, pairing time, battery and state of a device stay
 * as they are stored where the file leaves them out; places, links and capabilities are the file's. So running it again changes
 * nothing. A new device starts with a full battery, a bridge offline, both paired now.
 *
 * @param known what the account has stored of it already
 */
export function buildRecords(file: ImportFile, known: Import, now: EpochMilliseconds): Import {
  const accountId = file.account.id;
  const devices = file.devices ?? [];
  const stored = new Map(known.devices.map((device) => [device.deviceId, device]));
  const timezoneOf = new Map(known.properties.map(({ id, timezone }) => [id, timezone]));
  const typeOf = new Map(devices.map(({ deviceId, type }) => [deviceId, type]));
  const bridgeOf = new Map(
    devices
      .filter(({ type }) => type === 'Bridge')
      .flatMap(({ deviceId, links = [] }) => links.map((link) => [link, deviceId])),
  );
  return {
    properties: (file.properties ?? []).map(({ id, name, timezone = timezoneOf.get(id) ?? null }) => ({
      id,
      accountId,
      name,
      timezone,
    })),
    devices: devices.map((device): Device => {
      const before = stored.get(device.deviceId);
      const pairedAt = device.pairedAt === undefined ? (before?.pairedAt ?? now) : Date.parse(device.pairedAt);
      const isBridge = device.type === 'Bridge';
      return {
        id: device.id ?? before?.id ?? deriveId(accountId, device.deviceId),
        deviceId: device.deviceId,
        accountId,
        deviceName: device.deviceName,
        type: device.type,
        propertyIds: device.properties ?? [],
        linked: [...(device.links ?? [])]
          .sort()
          .map((deviceId) => ({ deviceId, type: typeOf.get(deviceId) ?? 'Lock' })),
        bridgeId: bridgeOf.get(device.deviceId) ?? null,
        batteryLevel: isBridge ? null : (device.batteryLevel ?? before?.batteryLevel ?? 100),
        pairedAt,
        lastSyncAt: before?.lastSyncAt ?? pairedAt,
        supportsAlgoPin: device.capabilities?.algoPin ?? false,
        supportsPassagePin: device.capabilities?.passagePin ?? false,
        online: isBridge ? (before?.online ?? false) : null,
        pairingGeneration: before?.pairingGeneration ?? 1,
      };
    }),
  };
}

/** The same device gets the same id wherever it is imported. */
function deriveId(accountId: string, deviceId: string): string {
  return createHash('sha256').update(`${accountId}\0${deviceId}`).digest('hex').slice(0, 24);
}
