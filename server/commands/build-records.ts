import { createHash } from 'node:crypto';
import type { EpochMilliseconds } from '../clock.ts';
import type { Device } from '../store/records.ts';
import type { Import } from '../store/store.ts';
import { type ImportedDevice, type ImportFile, linkable } from './import-schema.ts';

/**
 * Turns an import file into what is stored. Whatever the file leaves out stays as it is stored, so that running it again changes nothing;
 * `null`, `[]` and `false` take away. A new device starts in no place, without links and capabilities, with a full battery, a bridge
 * online, both paired now.
 *
 * @param stored what the account has of it already
 */
export function buildRecords(file: ImportFile, stored: Import, now: EpochMilliseconds): Import {
  const accountId = file.account.id;
  const before = new Map(stored.devices.map((device) => [device.deviceId, device]));
  const timezoneOf = new Map(stored.properties.map(({ id, timezone }) => [id, timezone]));
  const linksOf = findLinks(file.devices ?? [], before);
  return {
    properties: (file.properties ?? []).map(({ id, name, timezone = timezoneOf.get(id) ?? null }) => ({
      id,
      accountId,
      name,
      timezone,
    })),
    devices: (file.devices ?? []).map((device) => ({
      ...describe(device, before.get(device.deviceId), now),
      ...linksOf(device.deviceId),
      id: device.id ?? before.get(device.deviceId)?.id ?? deriveId(accountId, device.deviceId),
      accountId,
    })),
  };
}

/** What a device has of its own. */
function describe(
  { deviceId, deviceName, type, ...given }: ImportedDevice,
  before: Device | undefined,
  now: EpochMilliseconds,
): Omit<Device, 'id' | 'accountId' | 'linked' | 'bridgeId'> {
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

/**
 * What each device links and which bridge links it, so that both sides agree: a lock that the file gives to one bridge leaves the one
 * that has it, and a bridge that the file doesn't have keeps its locks.
 */
function findLinks(devices: readonly ImportedDevice[], before: ReadonlyMap<string, Device>) {
  const given = new Map(devices.map((device) => [device.deviceId, device]));
  const bridgeGiven = new Map(listBridgeLinks(devices, ({ links = [] }) => links));
  const linksOf = ({ deviceId, type, links }: ImportedDevice): Device['linked'] => {
    const old = before.get(deviceId)?.linked ?? [];
    const typeOf = new Map(old.map((link) => [link.deviceId, link.type]));
    const isLeft = (link: string) => type === 'Bridge' && (bridgeGiven.get(link) ?? deviceId) !== deviceId;
    return (links ?? old.map((link) => link.deviceId))
      .toSorted()
      .map((link) => ({ deviceId: link, type: given.get(link)?.type ?? typeOf.get(link) ?? 'Lock' }))
      .filter((link) => linkable[type].includes(link.type) && !isLeft(link.deviceId));
  };
  const bridgeOf = new Map(listBridgeLinks(devices, (bridge) => linksOf(bridge).map((link) => link.deviceId)));
  return (deviceId: string): Pick<Device, 'linked' | 'bridgeId'> => {
    const device = given.get(deviceId);
    if (device === undefined || device.type === 'Bridge')
      return { linked: device === undefined ? [] : linksOf(device), bridgeId: null };
    const old = before.get(deviceId)?.bridgeId ?? null;
    const kept = old === null || given.has(old) ? null : old;
    return { linked: linksOf(device), bridgeId: bridgeOf.get(deviceId) ?? kept };
  };
}

function listBridgeLinks(devices: readonly ImportedDevice[], linksOf: (bridge: ImportedDevice) => readonly string[]) {
  return devices
    .filter(({ type }) => type === 'Bridge')
    .flatMap((bridge) => linksOf(bridge).map((link): [string, string] => [link, bridge.deviceId]));
}

/** The same device gets the same id wherever it is imported. */
function deriveId(accountId: string, deviceId: string): string {
  return createHash('sha256').update(`${accountId}\0${deviceId}`).digest('hex').slice(0, 24);
}
