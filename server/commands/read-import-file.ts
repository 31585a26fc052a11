import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { closest } from 'fastest-levenshtein';
import { type ImportedDevice, type ImportFile, importSchema } from './import-schema.ts';
import { describeTimezone, isTimezone } from './timezone.ts';

/** The file once it says something sound, or everything that is wrong with it: JSON pointer and reason. */
export type ReadImport = { readonly file: ImportFile } | { readonly faults: readonly string[] };

/** A bridge reaches no more (contract, "Bridge jobs"). */
const linksPerBridge = 5;

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
addFormats.default(ajv);
const fits = ajv.compile<ImportFile>(importSchema);

/** Reads the text of an import file. Nothing is guessed: a name that nothing has is a fault with the nearest one that exists. */
export function readImportFile(text: string): ReadImport {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    return { faults: [`# is not JSON: ${(error as Error).message}`] };
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
  { type, properties = [], links = [], capabilities = {}, batteryLevel, deviceId }: ImportedDevice,
  at: string,
  propertyIds: readonly string[],
  typeOf: ReadonlyMap<string, ImportedDevice['type']>,
): string[] {
  const mayLink = { Bridge: ['Lock', 'Keypad'], Lock: ['Keypad'], Keypad: [] }[type] as readonly string[];
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
      return mayLink.includes(linked) ? [] : [`${at}/links ${link} is a ${linked}, which a ${type} can't link`];
    }),
    ...(type === 'Bridge' && links.length > linksPerBridge
      ? [`${at}/links has ${links.length}: a bridge links at most ${linksPerBridge}`]
      : []),
    ...(type === 'Bridge' && batteryLevel !== undefined ? [`${at}/batteryLevel a bridge has none`] : []),
    ...(type === 'Bridge' && capabilities.algoPin ? [`${at}/capabilities/algoPin a bridge takes no codes`] : []),
    ...(capabilities.passagePin && !capabilities.algoPin ? [`${at}/capabilities/passagePin needs algoPin too`] : []),
    ...(deviceId === 'support-pins' ? [`${at}/deviceId support-pins is a path of the API`] : []),
  ];
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
