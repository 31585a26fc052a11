import { createHash } from 'node:crypto';
import { closest } from 'fastest-levenshtein';
import type { EpochMilliseconds } from '../clock.ts';
import { linkable, type NewDevice } from '../store/records.ts';
import type { DeviceRecord, Import, ImportPart, ImportScope, NamesTaken } from '../store/store.ts';
import type { ImportedDevice, ImportFile } from './import-form.ts';
import { describeTimezone, isTimezone } from './timezone-changes.ts';

// What an import will do, without doing any of it: the names to look up, all that stands against it, and the records it makes.

/** A bridge reaches no more (contract, "Bridge jobs"). */
const linksPerBridge = 5;

/** No lock was paired outside, and each instant within has a year of four digits on every clock. */
const [earliestPairing, latestPairing] = ['2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'];

/** So many names are told with the nearest that exists. Each is compared with all known ones, 6 ms for 20,000, up to a sum. */
const namesCompared = 50;
const mostComparisons = 1_000_000;

/** So many names that are no timezone are told. Judging one takes 0.2 ms, and each of 100,000 properties may have its own. */
const zonesRefused = 200;

/** Where nothing is stored yet. */
export const nothingTaken: NamesTaken = { account: 'new', properties: [], devices: [] };

/** What has to be looked up in a store for `findImportFaults`. */
export function listNames({ account, properties = [], devices = [] }: ImportFile): {
  readonly scope: ImportScope;
  readonly objectIds: readonly string[];
} {
  return {
    scope: {
      accountId: account.id,
      propertyIds: properties.map(({ id }) => id),
      deviceIds: devices.flatMap(({ deviceId, links = [] }) => [deviceId, ...links]),
    },
    objectIds: devices.map(({ id, deviceId }) => id ?? deriveId(account.id, deviceId)),
  };
}

/**
 * All that no schema can say: names that must exist, in the file or stored; names that must not come twice, or are somebody else's; links
 * that a device can't have. Nothing is guessed: a name that nothing has is a fault, with the nearest one that exists.
 *
 * @param taken what is stored under these names, `nothingTaken` where there is no store
 * @returns lines of JSON pointer and reason; none for a file that can be imported
 */
export function findImportFaults(file: ImportFile, taken: NamesTaken): readonly string[] {
  const { account, properties = [], devices = [] } = file;
  const known = collectKnown(file, taken);
  const findZoneFault = createZoneJudge();
  return [
    ...(taken.account === 'client' ? [`#/account/id the account ${account.id} can't have the id of a client`] : []),
    ...findDuplicates(
      properties,
      ({ id }) => id,
      (index) => `#/properties/${index}/id`,
    ),
    ...findDuplicates(
      devices,
      ({ deviceId }) => deviceId,
      (index) => `#/devices/${index}/deviceId`,
    ),
    ...findDuplicates(
      devices,
      ({ id }) => id,
      (index) => `#/devices/${index}/id`,
    ),
    ...properties.flatMap(({ id, timezone }, index) => [
      ...findZoneFault(timezone).map((message) => `#/properties/${index}/timezone ${message}`),
      ...(known.foreignProperties.has(id)
        ? [`#/properties/${index}/id the property ${id} belongs to another account`]
        : []),
    ]),
    ...devices.flatMap((device, index) => [
      ...findDeviceFaults(device, `#/devices/${index}`, known),
      ...findTakenFaults(device, `#/devices/${index}`, account.id, known),
    ]),
    ...findSharedLocks(devices),
  ];
}

/** Judges each name once. */
function createZoneJudge(): (timezone: string | null | undefined) => readonly string[] {
  // Capitals don't count in names of zones.
  const good = new Set<string>();
  const wrong = new Map<string, readonly string[]>();
  return (timezone) => {
    if (typeof timezone !== 'string' || good.has(timezone.toLowerCase())) return [];
    const told = wrong.get(timezone);
    if (told !== undefined || wrong.size >= zonesRefused) return told ?? [];
    if (!isTimezone(timezone)) wrong.set(timezone, [describeTimezone(timezone)]);
    else good.add(timezone.toLowerCase());
    return wrong.get(timezone) ?? [];
  };
}

type TakenDevice = NamesTaken['devices'][number];

interface Known {
  /** Of the account: in the file, or stored. */
  readonly propertyIds: ReadonlySet<string>;
  readonly foreignProperties: ReadonlySet<string>;
  /** Of the account: as the file says, or as it is stored. */
  readonly typeOf: ReadonlyMap<string, ImportedDevice['type']>;
  readonly takenByDeviceId: ReadonlyMap<string, TakenDevice>;
  readonly takenById: ReadonlyMap<string, TakenDevice>;
  /** The end of a sentence about a name that is none of these. */
  readonly nearest: (name: string, known: Iterable<string>) => string;
}

function collectKnown({ account, properties = [], devices = [] }: ImportFile, taken: NamesTaken): Known {
  const isOwn = ({ accountId }: { readonly accountId: string }) => accountId === account.id;
  const foreign = taken.properties.filter((property) => !isOwn(property));
  const own = taken.properties.filter(isOwn);
  return {
    propertyIds: new Set([...properties, ...own].map(({ id }) => id)),
    foreignProperties: new Set(foreign.map(({ id }) => id)),
    typeOf: new Map([...taken.devices.filter(isOwn), ...devices].map(({ deviceId, type }) => [deviceId, type])),
    takenByDeviceId: new Map(taken.devices.map((device) => [device.deviceId, device])),
    takenById: new Map(taken.devices.map((device) => [device.id, device])),
    nearest: createNearest(),
  };
}

function createNearest(): Known['nearest'] {
  const found = new Map<string, string>();
  let comparisons = 0;
  return (name, known) => {
    const before = found.get(name);
    if (before !== undefined) return before;
    if (found.size >= namesCompared || comparisons >= mostComparisons) return '';
    const names = [...known];
    comparisons += names.length;
    const end = names.length === 0 ? '' : `, nearest: ${closest(name, names)}`;
    found.set(name, end);
    return end;
  };
}

function findDeviceFaults(
  { type, properties = [], links = [], capabilities = {}, batteryLevel, online, pairedAt, deviceId }: ImportedDevice,
  at: string,
  { propertyIds, typeOf, nearest }: Known,
): string[] {
  const unknown = (kind: string, name: string, known: Iterable<string>) =>
    `${at}/${kind} ${name} is not in this file nor stored${nearest(name, known)}`;
  return [
    ...properties.filter((id) => !propertyIds.has(id)).map((id) => unknown('properties', id, propertyIds)),
    ...links.flatMap((link) => {
      const linked = typeOf.get(link);
      if (linked === undefined)
        return [
          unknown(
            'links',
            link,
            typeOf.keys().filter((known) => known !== deviceId),
          ),
        ];
      return linkable[type].includes(linked) ? [] : [`${at}/links ${link} is a ${linked}, which a ${type} can't link`];
    }),
    ...(type === 'Bridge' && links.length > linksPerBridge
      ? [`${at}/links has ${links.length}: a bridge links at most ${linksPerBridge}`]
      : []),
    ...(type === 'Bridge' && batteryLevel !== undefined ? [`${at}/batteryLevel a bridge has none`] : []),
    ...(type !== 'Bridge' && online !== undefined ? [`${at}/online only a bridge has it`] : []),
    ...(pairedAt !== undefined && !isPairing(Date.parse(pairedAt))
      ? [`${at}/pairedAt must be from ${earliestPairing} to ${latestPairing}`]
      : []),
    ...(type === 'Bridge' && capabilities.algoPin ? [`${at}/capabilities/algoPin a bridge takes no codes`] : []),
    ...(capabilities.passagePin && !capabilities.algoPin ? [`${at}/capabilities/passagePin needs algoPin too`] : []),
    ...(deviceId === 'support-pins' ? [`${at}/deviceId support-pins is a path of the API`] : []),
  ];
}

/** A device keeps its object id: clients have it. */
function findTakenFaults(
  { deviceId, id }: ImportedDevice,
  at: string,
  accountId: string,
  { takenByDeviceId, takenById }: Known,
): string[] {
  const stored = takenByDeviceId.get(deviceId);
  if (stored !== undefined && stored.accountId !== accountId)
    return [`${at}/deviceId the device ${deviceId} belongs to another account`];
  if (stored !== undefined)
    return id === undefined || id === stored.id
      ? []
      : [`${at}/id the device ${deviceId} has the id ${stored.id}, not ${id}`];
  const objectId = id ?? deriveId(accountId, deviceId);
  return takenById.has(objectId) ? [`${at}/id the id ${objectId} belongs to another device`] : [];
}

function findSharedLocks(devices: readonly ImportedDevice[]): string[] {
  const given = devices
    .filter(({ type }) => type === 'Bridge')
    .flatMap(({ deviceId, links = [] }) => links.map((link) => ({ link, deviceId })));
  return [...Map.groupBy(given, ({ link }) => link)].flatMap(([link, bridges]) =>
    bridges.length < 2
      ? []
      : [`#/devices ${link} is linked by ${bridges.map((one) => one.deviceId).join(' and ')}: one bridge at most`],
  );
}

function findDuplicates<Item>(
  items: readonly Item[],
  read: (item: Item) => string | undefined,
  at: (index: number) => string,
): string[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const name = read(item);
    if (name === undefined) return [];
    if (seen.has(name)) return [`${at(index)} ${name} comes twice`];
    seen.add(name);
    return [];
  });
}

function isPairing(at: number): boolean {
  return at >= Date.parse(earliestPairing) && at <= Date.parse(latestPairing);
}

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
      ...describeDevice(device, before.get(device.deviceId), now),
      id: device.id ?? before.get(device.deviceId)?.id ?? deriveId(accountId, device.deviceId),
      accountId,
    })),
  };
}

/** What a device has of its own. */
function describeDevice(
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
function deriveId(accountId: string, deviceId: string): string {
  return createHash('sha256').update(`${accountId}\0${deviceId}`).digest('hex').slice(0, 24);
}
