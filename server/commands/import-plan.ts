import { createHash } from 'node:crypto';
import { closest } from 'fastest-levenshtein';
import type { EpochMilliseconds } from '../clock.ts';
import type { DeviceRecord, Import, ImportPart, ImportScope, NamesTaken } from '../store/imports/import-store.ts';
import { linkable, type NewDevice } from '../store/records.ts';
import type { ImportedDevice, ImportFile } from './import-schema.ts';
import { describeTimezone, isTimezone } from './timezone-changes.ts';

// Plans an import without writing: the names to look up, the faults of the file, and the records to store.

/** Limit of a bridge (contract, "Bridge jobs"). */
const linksPerBridge = 5;

/** No lock was paired outside of this range, and each instant in it has a year of four digits on every clock. */
const [earliestPairing, latestPairing] = ['2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'];

/** Limits of the search for the nearest known names: names that are compared, and comparisons. One name takes 6 ms for 20,000 known ones. */
const namesCompared = 50;
const mostComparisons = 1_000_000;

/** Maximum number of reported timezones. Checking one takes 0.2 ms, and each of 100,000 properties may have its own. */
const zonesReported = 200;

/** For an empty or missing store. */
export const nothingTaken: NamesTaken = { account: 'new', properties: [], devices: [] };

/** The names that `findImportFaults` needs from a store. */
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
 * Finds the faults that no schema can express: unknown names, duplicate names, names of other accounts, and links that a device can't have.
 * Nothing is guessed: an unknown name is a fault, reported with the nearest known one.
 *
 * @param taken the stored objects of these names; `nothingTaken` without a store
 * @returns lines of JSON pointer and reason; none for a valid file
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

/** Checks each timezone once. */
function createZoneJudge(): (timezone: string | null | undefined) => readonly string[] {
  // Names of timezones are case-insensitive.
  const good = new Set<string>();
  const wrong = new Map<string, readonly string[]>();
  return (timezone) => {
    if (typeof timezone !== 'string' || good.has(timezone.toLowerCase())) return [];
    const reported = wrong.get(timezone);
    if (reported !== undefined || wrong.size >= zonesReported) return reported ?? [];
    if (!isTimezone(timezone)) wrong.set(timezone, [describeTimezone(timezone)]);
    else good.add(timezone.toLowerCase());
    return wrong.get(timezone) ?? [];
  };
}

type TakenDevice = NamesTaken['devices'][number];

interface Known {
  /** Properties of the account, in the file or stored. */
  readonly propertyIds: ReadonlySet<string>;
  readonly foreignProperties: ReadonlySet<string>;
  /** Device types of the account; those of the file replace stored ones. */
  readonly typeOf: ReadonlyMap<string, ImportedDevice['type']>;
  readonly takenByDeviceId: ReadonlyMap<string, TakenDevice>;
  readonly takenById: ReadonlyMap<string, TakenDevice>;
  /** The end of a message about an unknown name. */
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
    `${at}/${kind} ${name} is neither in this file nor stored${nearest(name, known)}`;
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
    ...(type === 'Bridge' && batteryLevel !== undefined
      ? [`${at}/batteryLevel must be omitted: a bridge has no battery`]
      : []),
    ...(type !== 'Bridge' && online !== undefined ? [`${at}/online must be omitted: only bridges have it`] : []),
    ...(pairedAt !== undefined && !isPairing(Date.parse(pairedAt))
      ? [`${at}/pairedAt must be from ${earliestPairing} to ${latestPairing}`]
      : []),
    ...(type === 'Bridge' && capabilities.algoPin
      ? [`${at}/capabilities/algoPin must be false: a bridge accepts no codes`]
      : []),
    ...(capabilities.passagePin && !capabilities.algoPin ? [`${at}/capabilities/passagePin needs algoPin too`] : []),
    ...(deviceId === 'support-pins' ? [`${at}/deviceId must not be support-pins: that is a path of the API`] : []),
  ];
}

/** A device keeps its object id, since clients may have stored it. */
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
    if (seen.has(name)) return [`${at(index)} ${name} occurs twice`];
    seen.add(name);
    return [];
  });
}

function isPairing(at: number): boolean {
  return at >= Date.parse(earliestPairing) && at <= Date.parse(latestPairing);
}

/**
 * Creates the records of a file, or of a part of it, without links. An omitted member keeps its stored value, so a second run changes
 * nothing; `null`, `[]` and `false` remove values. A new device has no property and no capabilities, a full battery, and was paired now; a
 * new bridge is online.
 *
 * @param stored records of the account with these names
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

/** Members of a device record, without its ids. */
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

/** A device gets the same id in every database. */
function deriveId(accountId: string, deviceId: string): string {
  return createHash('sha256').update(`${accountId}\0${deviceId}`).digest('hex').slice(0, 24);
}
