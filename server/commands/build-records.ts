import { createHash } from 'node:crypto';
import type { EpochMilliseconds } from '../clock.ts';
import type { Device } from '../store/records.ts';
import type { Import } from '../store/store.ts';
import type { ImportFile } from './import-schema.ts';

/**
 * Turns an import file into what is stored. What the file leaves out stays as it is in the store, so that running it again changes
 * nothing; a new device starts with a full battery, a bridge offline, both paired now.
 *
 * @param known devices of the account that are stored already
 */
export function buildRecords(file: ImportFile, known: readonly Device[], now: EpochMilliseconds): Import {
  const accountId = file.account.id;
  const devices = file.devices ?? [];
  const stored = new Map(known.map((device) => [device.deviceId, device]));
  const typeOf = new Map(devices.map(({ deviceId, type }) => [deviceId, type]));
  const bridgeOf = new Map(
    devices
      .filter(({ type }) => type === 'Bridge')
      .flatMap(({ deviceId, links = [] }) => links.map((link) => [link, deviceId])),
  );
  return {
    properties: (file.properties ?? []).map(({ id, name, timezone = null }) => ({ id, accountId, name, timezone })),
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
      };
    }),
  };
}

/** The same device gets the same id wherever it is imported. */
function deriveId(accountId: string, deviceId: string): string {
  return createHash('sha256').update(`${accountId}\0${deviceId}`).digest('hex').slice(0, 24);
}
