import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { typeOf } from './coerce-text.ts';
import { nearestNames } from './nearest-name.ts';
import { cut, describeUnknown, listOr, nameType } from './sentence.ts';

/** A keyword of JSON Schema that a value broke. */
interface BrokenKeyword {
  /** Name of the location: `limit`, `guests/0/name`; `body` for a body itself. */
  readonly name: string;
  readonly value: unknown;
  /** The schema that contains the keyword. */
  readonly schema: JsonObject;
  /** The keyword's own value. */
  readonly limit: unknown;
  /** The validator's parameters for it. */
  readonly params: JsonObject;
}

export interface Saying {
  readonly says: string;
  /** Accepted values or names. */
  readonly nearest?: readonly string[];
}

type Say = (broken: BrokenKeyword) => Saying;

/** Number of valid values that a fault lists if none is near. */
const mostNearest = 10;

/** A longer pattern is less helpful than an example. */
const longestPattern = 32;

/** The message for each keyword. Others get the message of the validator. */
export const sayings: Readonly<Record<string, Say>> = {
  required: sayRequired,
  additionalProperties: sayUnknownMember,
  unevaluatedProperties: sayUnknownMember,
  'false schema': ({ name }) => ({ says: `${name} is not allowed here` }),
  type: (broken) =>
    withExample(
      broken,
      `${broken.name} must be ${listOr([broken.limit].flat().map((type) => nameType(String(type))))}`,
    ),
  enum: sayUnknownValue,
  const: sayUnknownValue,
  minimum: sayRange,
  maximum: sayRange,
  exclusiveMinimum: sayRange,
  exclusiveMaximum: sayRange,
  multipleOf: ({ limit, ...broken }) => ({
    says: `${broken.name} must be a multiple of ${String(limit)}${showSent(broken)}`,
  }),
  minLength: (broken) =>
    broken.value === ''
      ? { says: `${broken.name} must not be empty${suggest(broken.schema)}`, nearest: examplesOf(broken.schema) }
      : withExample(broken, `${broken.name} is too short, at least ${String(broken.limit)} characters`),
  maxLength: ({ name, value, limit }) => ({
    says: `${name} is too long, ${[...String(value)].length} characters: at most ${String(limit)}`,
  }),
  pattern: ({ limit, ...broken }) => {
    const rule = String(limit).length <= longestPattern ? `: it must match ${String(limit)}` : '';
    return {
      says: `${nameSent(broken)} does not have the right form${rule}${suggest(broken.schema)}`,
      nearest: examplesOf(broken.schema),
    };
  },
  format: ({ limit, ...broken }) => ({
    says: `${nameSent(broken)} is not a valid ${String(limit)}${suggest(broken.schema)}`,
    nearest: examplesOf(broken.schema),
  }),
  minItems: ({ name, limit }) => ({ says: `${name} has too few items: at least ${String(limit)}` }),
  maxItems: ({ name, value, limit }) => ({
    says: `${name} has too many items, ${Array.isArray(value) ? value.length : ''}: at most ${String(limit)}`,
  }),
  uniqueItems: ({ name, params }) => ({
    says: `${name} has the same item twice, at ${String(params.j)} and ${String(params.i)}`,
  }),
  minProperties: ({ name, limit, schema }) => ({
    says: `${name} needs at least ${String(limit)} of ${listOr(memberNames(schema))}`,
    nearest: memberNames(schema),
  }),
  maxProperties: ({ name, limit, schema }) => ({
    says: `${name} takes at most ${String(limit)} of ${listOr(memberNames(schema))}`,
  }),
};

/** A misspelt member is both a missing and an unknown one: one message helps to fix it at once. */
function sayRequired({ name, params, value, schema }: BrokenKeyword): Saying {
  const missing = String(params.missingProperty);
  const known = memberNames(schema);
  const unknown = Object.keys(isObject(value) ? value : {}).filter((member) => !known.includes(member));
  const [misspelt] = known.includes(missing) ? nearestNames(missing, unknown) : [];
  const place = name === 'body' ? missing : `${name}/${missing}`;
  return { says: `${place} is required${misspelt === undefined ? '' : `, did you mean it by ${cut(misspelt)}?`}` };
}

function sayUnknownMember({ name, schema, params }: BrokenKeyword): Saying {
  const member = cut(String(params.additionalProperty ?? params.unevaluatedProperty));
  return describeUnknown(name === 'body' ? member : `${name}/${member}`, member, memberNames(schema));
}

function sayUnknownValue(broken: BrokenKeyword): Saying {
  const known = [...new Set((Array.isArray(broken.limit) ? broken.limit : [broken.limit]).map(String))];
  const near = typeof broken.value === 'string' ? nearestNames(broken.value, known) : [];
  return {
    says: `${nameSent(broken)} is not a known value: use ${listOr(known.map((one) => (one === '' ? '""' : one)))}`,
    nearest: near.length > 0 ? near : known.slice(0, mostNearest),
  };
}

function sayRange(broken: BrokenKeyword): Saying {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = broken.schema;
  const bounds = [
    minimum !== undefined && `at least ${String(minimum)}`,
    exclusiveMinimum !== undefined && `more than ${String(exclusiveMinimum)}`,
    maximum !== undefined && `at most ${String(maximum)}`,
    exclusiveMaximum !== undefined && `less than ${String(exclusiveMaximum)}`,
  ].filter((bound) => bound !== false);
  const range =
    minimum !== undefined && maximum !== undefined
      ? `from ${String(minimum)} to ${String(maximum)}`
      : bounds.join(' and ');
  const nearest = [minimum, maximum].filter((bound) => bound !== undefined).map(String);
  return { says: `${broken.name} must be ${range}${showSent(broken)}`, nearest };
}

function withExample(broken: BrokenKeyword, says: string): Saying {
  return { says: `${says}${showSent(broken)}${suggest(broken.schema)}`, nearest: examplesOf(broken.schema) };
}

/** A location with the value that was sent: `limit "abc"`. */
function nameSent(broken: Pick<BrokenKeyword, 'name' | 'value' | 'schema'>): string {
  const sent = describeSent(broken);
  return sent === undefined ? broken.name : `${broken.name} ${typeof broken.value === 'object' ? `(${sent})` : sent}`;
}

function showSent(broken: Pick<BrokenKeyword, 'value' | 'schema'>): string {
  const sent = describeSent(broken);
  return sent === undefined ? '' : `, not ${sent}`;
}

/**
 * Secrets are never repeated: neither marked ones, nor values that may contain one. Those are text with other content, and any value
 * in place of an object or a list, such as JSON that was encoded twice.
 */
function describeSent({ value, schema }: Pick<BrokenKeyword, 'value' | 'schema'>): string | undefined {
  const isMarked = schema['x-sensitive'] === true || schema.writeOnly === true || schema.format === 'password';
  if (isMarked || 'contentMediaType' in schema) return undefined;
  const holdsOthers = [schema.type].flat().every((type) => type === 'object' || type === 'array');
  if (typeof value === 'object' || holdsOthers) return nameType(typeOf(value));
  return typeof value === 'string' ? JSON.stringify(cut(value)) : String(value);
}

function suggest(schema: JsonObject): string {
  const examples = examplesOf(schema);
  return examples.length === 0 ? '' : `, for example ${listOr(examples)}`;
}

function examplesOf(schema: JsonObject): string[] {
  const examples = schema.example === undefined ? schema.examples : [schema.example];
  return (Array.isArray(examples) ? examples : [])
    .filter((example) => typeof example === 'string' || typeof example === 'number')
    .map(String);
}

function memberNames(schema: JsonObject): string[] {
  return Object.keys(isObject(schema.properties) ? schema.properties : {});
}
