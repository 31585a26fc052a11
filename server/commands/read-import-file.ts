import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { closest } from 'fastest-levenshtein';
import { isDateTime } from '../http/form/is-date-time.ts';
import { type ImportedDevice, type ImportFile, importSchema, linkable } from './import-schema.ts';
import { describeTimezone, isTimezone } from './timezone.ts';

/** The file once it says something sound, or everything that is wrong with it: JSON pointer and reason. */
export type ReadImport = { readonly file: ImportFile } | { readonly faults: readonly string[] };

/** A bridge reaches no more (contract, "Bridge jobs"). */
const linksPerBridge = 5;

/** No lock was paired outside, and each instant within has a year of four digits on every clock. */
const [earliestPairing, latestPairing] = ['2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'];

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
addFormats.default(ajv);
ajv.addFormat('date-time', { type: 'string', validate: isDateTime });
const fits = ajv.compile<ImportFile>(importSchema);

/** Reads the bytes of an import file, UTF-8 with or without a byte order mark. Nothing is guessed: a name that nothing has is a fault with the nearest one that exists. */
export function readImportFile(bytes: Uint8Array): ReadImport {
  let file: unknown;
  try {
    file = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) return { faults: [`# is not JSON: ${error.message}`] };
    return { faults: ['# is not UTF-8: save the file in that encoding'] };
  }
  if (!fits(file)) return { faults: (fits.errors ?? []).map(describeError) };
  const faults = findFaults(file);
  return faults.length > 0 ? { faults } : { file };
}

/** What no schema can say: names that must exist, names that must not come twice, links that a device can't have. */
function findFaults({ properties = [], devices = [] }: ImportFile): string[] {
  const propertyIds = properties.map(({ id }) => id);
  const deviceIds = devices.map(({ deviceId }) => deviceId);
  const typeOf = new Map(devices.map(({ deviceId, type }) => [deviceId, type]));
  const bridgesOf = Map.groupBy(
    devices
      .filter(({ type }) => type === 'Bridge')
      .flatMap(({ deviceId, links = [] }) => links.map((link) => ({ link, deviceId }))),
    ({ link }) => link,
  );
  return [
    ...findDuplicates(propertyIds).map((index) => `#/properties/${index}/id ${propertyIds[index]} comes twice`),
    ...findDuplicates(deviceIds).map((index) => `#/devices/${index}/deviceId ${deviceIds[index]} comes twice`),
    ...properties.flatMap(({ timezone }, index) =>
      typeof timezone !== 'string' || isTimezone(timezone)
        ? []
        : [`#/properties/${index}/timezone ${describeTimezone(timezone)}`],
    ),
    ...devices.flatMap((device, index) => findDeviceFaults(device, `#/devices/${index}`, propertyIds, typeOf)),
    ...[...bridgesOf].flatMap(([link, bridges]) =>
      bridges.length < 2
        ? []
        : [`#/devices ${link} is linked by ${bridges.map((one) => one.deviceId).join(' and ')}: one bridge at most`],
    ),
  ];
}

function findDeviceFaults(
  { type, properties = [], links = [], capabilities = {}, batteryLevel, online, pairedAt, deviceId }: ImportedDevice,
  at: string,
  propertyIds: readonly string[],
  typeOf: ReadonlyMap<string, ImportedDevice['type']>,
): string[] {
  const unknown = (kind: string, name: string, known: readonly string[]) =>
    `${at}/${kind} ${name} is not in this file${known.length === 0 ? '' : `, nearest: ${closest(name, known)}`}`;
  return [
    ...properties.filter((id) => !propertyIds.includes(id)).map((id) => unknown('properties', id, propertyIds)),
    ...links.flatMap((link) => {
      const linked = typeOf.get(link);
      if (linked === undefined)
        return [
          unknown(
            'links',
            link,
            [...typeOf.keys()].filter((known) => known !== deviceId),
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

function isPairing(at: number): boolean {
  return at >= Date.parse(earliestPairing) && at <= Date.parse(latestPairing);
}

function findDuplicates(names: readonly string[]): number[] {
  return [...names.keys()].filter((index) => names.indexOf(names[index] ?? '') !== index);
}

function describeError({ instancePath, message, params }: ErrorObject): string {
  const extra =
    'additionalProperty' in params
      ? `: ${params.additionalProperty}`
      : 'allowedValues' in params
        ? `: ${params.allowedValues.join(', ')}`
        : '';
  return `#${instancePath} ${message}${extra}`;
}
