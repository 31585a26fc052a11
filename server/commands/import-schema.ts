/** JSON Schema 2020-12 of the file that `lockstep-server import` reads. Ids are the operator's own; everything else may be left out. */
export const importSchema = {
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
    // No control characters, no halves of surrogate pairs: databases differ in what they make of them.
    name: { type: 'string', minLength: 1, maxLength: 100, pattern: '^[^\\p{Cc}\\p{Cs}]*$' },
    objectId: { type: 'string', pattern: '^[0-9a-f]{24}$' },
    deviceId: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,30}$' },
  },
} as const;

/** The file as it stands once it fits the schema. */
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
  /** Ids of properties, in this file or stored; the first gives the timezone. */
  readonly properties?: readonly string[];
  /** deviceIds, in this file or stored: of a bridge its locks and keypads, of a lock its keypads. */
  readonly links?: readonly string[];
  readonly capabilities?: { readonly algoPin?: boolean; readonly passagePin?: boolean };
  readonly batteryLevel?: number;
  /** Bridges only: whether jobs are taken. */
  readonly online?: boolean;
  readonly pairedAt?: string;
}
