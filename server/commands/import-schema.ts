import { isDateTime } from '@lockstep/runtime/validation/is-date-time';
import { judgeUniqueItemsOnce } from '@lockstep/runtime/validation/unique-items';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** JSON Schema 2020-12 of the file that `lockstep-server import` reads. The operator chooses the ids. */
const importSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['account'],
  properties: {
    account: {
      type: 'object',
      additionalProperties: false,
      required: ['id', 'name'],
      properties: {
        id: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
        name: { $ref: '#/$defs/name' },
      },
    },
    properties: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'name'],
        properties: {
          id: { $ref: '#/$defs/objectId' },
          name: { $ref: '#/$defs/name' },
          timezone: { type: ['string', 'null'] },
        },
      },
    },
    devices: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['deviceId', 'deviceName', 'type'],
        properties: {
          id: { $ref: '#/$defs/objectId' },
          deviceId: { $ref: '#/$defs/deviceId' },
          deviceName: { $ref: '#/$defs/name' },
          type: { enum: ['Lock', 'Keypad', 'Bridge'] },
          properties: { type: 'array', uniqueItems: true, items: { $ref: '#/$defs/objectId' } },
          links: { type: 'array', uniqueItems: true, items: { $ref: '#/$defs/deviceId' } },
          capabilities: {
            type: 'object',
            additionalProperties: false,
            properties: { algoPin: { type: 'boolean' }, passagePin: { type: 'boolean' } },
          },
          batteryLevel: { type: 'integer', minimum: 0, maximum: 100 },
          online: { type: 'boolean' },
          pairedAt: { type: 'string', format: 'date-time' },
        },
      },
    },
  },
  $defs: {
    // No control characters and no lone surrogates: databases treat them differently.
    name: { type: 'string', minLength: 1, maxLength: 100, pattern: '^[^\\p{Cc}\\p{Cs}]*$' },
    objectId: { type: 'string', pattern: '^[0-9a-f]{24}$' },
    deviceId: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,30}$' },
  },
} as const;

/** A file that matches the schema. */
export interface ImportFile {
  readonly account: { readonly id: string; readonly name: string };
  readonly properties?: readonly { readonly id: string; readonly name: string; readonly timezone?: string | null }[];
  readonly devices?: readonly ImportedDevice[];
}

export interface ImportedDevice {
  readonly id?: string;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly type: 'Lock' | 'Keypad' | 'Bridge';
  /** Ids of properties, in this file or stored; the device uses the timezone of the first. */
  readonly properties?: readonly string[];
  /** deviceIds, in this file or stored: of a bridge its locks and keypads, of a lock its keypads. */
  readonly links?: readonly string[];
  readonly capabilities?: { readonly algoPin?: boolean; readonly passagePin?: boolean };
  readonly batteryLevel?: number;
  /** Bridges only: whether the bridge accepts jobs. */
  readonly online?: boolean;
  readonly pairedAt?: string;
}

/** A valid file, or all faults: JSON pointer and reason. */
export type ReadImport =
  | { readonly kind: 'file'; readonly file: ImportFile }
  | { readonly kind: 'faults'; readonly faults: readonly string[] };

let compiled: ValidateFunction<ImportFile> | undefined;

/** Compiles at the first use: it takes 50 ms, and most importers of this module read no file. */
function compileSchema(): ValidateFunction<ImportFile> {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
  addFormats.default(ajv);
  ajv.addFormat('date-time', { type: 'string', validate: isDateTime });
  judgeUniqueItemsOnce(ajv);
  return ajv.compile<ImportFile>(importSchema);
}

/** Reads an import file, UTF-8 with or without byte order mark, and validates it. `findImportFaults` checks its content. */
export function readImportFile(bytes: Uint8Array): ReadImport {
  let file: unknown;
  try {
    file = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'faults', faults: [`# is not JSON: ${error.message}`] };
    return { kind: 'faults', faults: ['# is not UTF-8: save the file in that encoding'] };
  }
  return validateImport(file);
}

/** Validates a file that has been parsed already. */
export function validateImport(file: unknown): ReadImport {
  compiled ??= compileSchema();
  const fits = compiled;
  if (!fits(file)) return { kind: 'faults', faults: (fits.errors ?? []).map(describeError) };
  return { kind: 'file', file };
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
