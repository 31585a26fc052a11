import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import type { components } from '@lockstep/contract/types';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';

export type ActivityLogItem = components['schemas']['ActivityLogItem'];
export type LockLog = components['schemas']['LockLog'];

const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, verbose: true, logger: false });
ajv.addSchema(contract, 'contract.json');
const itemSchema = ajv.compile<ActivityLogItem>({ $ref: 'contract.json#/components/schemas/ActivityLogItem' });
const lockLogSchema = ajv.compile<LockLog>({ $ref: 'contract.json#/components/schemas/LockLog' });

export type LogItemValidation =
  | { readonly kind: 'item'; readonly item: ActivityLogItem }
  /** The fault and its location. It repeats no value: any of them may contain the digits of a code. */
  | { readonly kind: 'fault'; readonly fault: string };

/** @param sent JSON text of an item, or the item itself */
export function validateLogItem(sent: unknown): LogItemValidation {
  const value = typeof sent === 'string' ? parse(sent) : sent;
  if (value === undefined) return { kind: 'fault', fault: 'is not JSON text' };
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { kind: 'fault', fault: 'is not a JSON object' };
  if (!itemSchema(value)) return { kind: 'fault', fault: describe(itemSchema.errors?.at(-1)) };
  // UTF-8 can't encode a lone surrogate: two ids that differ only in one would become the same id.
  return value.id.isWellFormed()
    ? { kind: 'item', item: value }
    : { kind: 'fault', fault: 'id holds half of a surrogate pair' };
}

/** Reads the text of a lock; undefined if the text does not match the schema `LockLog`. */
export function readLockLog(text: string): LockLog | undefined {
  const value = parse(text);
  return lockLogSchema(value) ? value : undefined;
}

/** Drops V8's message, which repeats a piece of the text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same wording as for faults of a body, but without the value that was sent. */
function describe(error: ErrorObject | undefined): string {
  const { instancePath = '', params = {}, message = 'is not valid', keyword = '', parentSchema } = error ?? {};
  const place = [...instancePath.split('/').slice(1), ...[params.missingProperty ?? []].flat()].join('/');
  return `${place} ${messages[keyword]?.((parentSchema ?? {}) as LogItemSchema) ?? message}`;
}

const messages: Readonly<Record<string, (schema: LogItemSchema) => string>> = {
  required: () => 'is required',
  type: ({ type }) => `must be ${typeNames[type ?? ''] ?? type}`,
  minimum: describeRange,
  maximum: describeRange,
  minLength: () => 'must not be empty',
  maxLength: ({ maxLength }) => `is too long: at most ${maxLength} characters`,
};

/** Members of the two schemas that messages quote. */
interface LogItemSchema {
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

const typeNames: Readonly<Record<string, string>> = { string: 'a string', integer: 'an integer', object: 'an object' };

function describeRange({ minimum, maximum }: LogItemSchema): string {
  return `must be from ${minimum} to ${maximum}`;
}
