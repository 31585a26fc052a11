import { readPattern } from '@lockstep/values/pattern';
import { isObject, type JsonObject } from '../contract/document.ts';
import { lenientNull } from './definition.ts';
import type { Dialect } from './dialect.ts';
import { formats } from './formats.ts';

/** Deeper schemas are left to the compiled validator. */
const deepest = 32;

/** Longer lists are left to the compiled validator, which uses a set. */
const mostMembers = 200;

/** Keywords that assert nothing by themselves. */
const silent = new Set([
  ...['$id', 'then', 'else', 'minContains', 'maxContains', lenientNull],
  ...['default', 'examples', 'readOnly', 'writeOnly', 'xml', 'x-preferred', 'x-subtypes'],
  ...['contentMediaType', 'contentEncoding', 'contentSchema'],
]);

interface Reading {
  readonly dialect: Dialect;
  readonly side: 'strict' | 'lenient';
  readonly depth: number;
  /** Remaining budget of schemas; beyond it, the definition is compiled. */
  readonly left: { schemas: number };
}

/** Whether a value satisfies a keyword; undefined if this interpreter cannot decide. */
type Rule = (operand: unknown, value: unknown, schema: JsonObject, reading: Reading) => boolean | undefined;

/**
 * Interprets a schema instead of compiling it. Most operations of a large contract are called only once, and compiling their schemas
 * costs more than the request. Only simple keywords are supported.
 *
 * @returns whether the value is valid; undefined if only the compiled validator can decide
 */
export function judgeAtSight(schema: unknown, value: unknown, reading: Reading): boolean | undefined {
  if (typeof schema === 'boolean') return schema;
  reading.left.schemas -= 1;
  if (!isObject(schema) || reading.depth > deepest || reading.left.schemas < 0) return undefined;
  const inner = { ...reading, depth: reading.depth + 1 };
  return every(Object.keys(schema), (keyword) =>
    silent.has(keyword) ? true : rules[keyword]?.(schema[keyword], value, schema, inner),
  );
}

/** False if any part fails, even if others are undecided. */
function every<Part>(parts: readonly Part[], holds: (part: Part) => boolean | undefined): boolean | undefined {
  let result: boolean | undefined = true;
  for (const part of parts) {
    const found = holds(part);
    if (found === false) return false;
    if (found === undefined) result = undefined;
  }
  return result;
}

function not(held: boolean | undefined): boolean | undefined {
  return held === undefined ? undefined : !held;
}

const rules: Readonly<Record<string, Rule>> = {
  $ref: (id, value, _, reading) => {
    const target = reading.dialect.resolve(String(id));
    return target === undefined ? undefined : judgeAtSight(target.schema, value, reading);
  },
  type: (names, value) => (Array.isArray(names) ? names.some((name) => isOfType(name, value)) : isOfType(names, value)),
  const: (only, value) => (isPlain(only) || isPlain(value) ? only === value : undefined),
  enum: (members, value) => {
    if (!Array.isArray(members) || members.length > mostMembers) return undefined;
    return isPlain(value) ? members.includes(value) : undefined;
  },
  allOf: (parts, value, _, reading) =>
    Array.isArray(parts) ? every(parts, (part) => judgeAtSight(part, value, reading)) : undefined,
  anyOf: (parts, value, _, reading) =>
    Array.isArray(parts) ? not(every(parts, (part) => not(judgeAtSight(part, value, reading)))) : undefined,
  minimum: (least, value) => typeof value !== 'number' || value >= Number(least),
  maximum: (most, value) => typeof value !== 'number' || value <= Number(most),
  exclusiveMinimum: (least, value) => typeof value !== 'number' || value > Number(least),
  exclusiveMaximum: (most, value) => typeof value !== 'number' || value < Number(most),
  minLength: (least, value) => typeof value !== 'string' || [...value].length >= Number(least),
  maxLength: (most, value) => typeof value !== 'string' || [...value].length <= Number(most),
  pattern: (source, value) => typeof value !== 'string' || readPattern(String(source))?.test(value),
  format: (name, value, _, { side }) => {
    const format = formats[String(name)];
    return typeof value !== 'string' || format === undefined || format[side](value);
  },
  minItems: (least, value) => !Array.isArray(value) || value.length >= Number(least),
  maxItems: (most, value) => !Array.isArray(value) || value.length <= Number(most),
  items: (part, value, schema, reading) => {
    if (!Array.isArray(value)) return true;
    return schema.prefixItems === undefined ? every(value, (item) => judgeAtSight(part, item, reading)) : undefined;
  },
  required: (names, value) =>
    !isObject(value) || (Array.isArray(names) ? names.every((name) => Object.hasOwn(value, String(name))) : undefined),
  minProperties: (least, value) => !isObject(value) || Object.keys(value).length >= Number(least),
  maxProperties: (most, value) => !isObject(value) || Object.keys(value).length <= Number(most),
  properties: (parts, value, _, reading) => {
    if (!isObject(value) || !isObject(parts)) return !isObject(value) || undefined;
    const named = Object.keys(value).filter((name) => Object.hasOwn(parts, name));
    return every(named, (name) => judgeAtSight(parts[name], value[name], reading));
  },
  additionalProperties: (part, value, { properties, patternProperties }, reading) => {
    if (!isObject(value)) return true;
    if (patternProperties !== undefined) return undefined;
    const others = Object.keys(value).filter((name) => !isObject(properties) || !Object.hasOwn(properties, name));
    return every(others, (name) => judgeAtSight(part, value[name], reading));
  },
};

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function isOfType(name: unknown, value: unknown): boolean {
  if (name === 'null') return value === null;
  if (name === 'array') return Array.isArray(value);
  if (name === 'object') return isObject(value);
  if (name === 'integer') return Number.isInteger(value);
  return typeof value === name;
}
