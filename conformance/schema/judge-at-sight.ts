import { isObject, type JsonObject } from '../contract/document.ts';
import { lenientNull } from './definition.ts';
import type { Dialect } from './dialect.ts';
import { readPattern } from './pattern.ts';
import { formats } from './scalars.ts';

/** Deeper than this nothing is sure. */
const deepest = 32;

/** Longer lists are left to the judge, which looks a value up in them. */
const mostMembers = 200;

/** Keywords that assert nothing. */
const silent = new Set(['$id', '$ref', 'then', 'else', 'minContains', 'maxContains', lenientNull]);

interface Reading {
  readonly dialect: Dialect;
  readonly side: 'strict' | 'lenient';
  readonly depth: number;
  /** Schemas that may still be read: what takes longer is compiled. */
  readonly left: { schemas: number };
}

/** Whether a keyword holds for a value as far as this reader understands it; where it does not, it says no. */
type Rule = (operand: unknown, value: unknown, schema: JsonObject, reading: Reading) => boolean;

/**
 * Reads a schema instead of compiling it, for what is judged once: most operations of a large contract are asked a single time,
 * and to compile their schemas costs more than the answer. It knows the plain keywords alone.
 *
 * @returns true where the value is valid beyond doubt; false where it is not, or where only the judge can tell
 */
export function surelyAccepts(schema: unknown, value: unknown, reading: Reading): boolean {
  if (schema === true) return true;
  reading.left.schemas -= 1;
  if (!isObject(schema) || reading.depth > deepest || reading.left.schemas < 0) return false;
  const inner = { ...reading, depth: reading.depth + 1 };
  if (typeof schema.$ref === 'string') {
    const target = reading.dialect.resolve(schema.$ref);
    if (target === undefined || !surelyAccepts(target.schema, value, inner)) return false;
  }
  for (const keyword in schema) {
    if (silent.has(keyword)) continue;
    if (rules[keyword]?.(schema[keyword], value, schema, inner) !== true) return false;
  }
  return true;
}

const rules: Readonly<Record<string, Rule>> = {
  type: (names, value) => (Array.isArray(names) ? names.some((name) => isOfType(name, value)) : isOfType(names, value)),
  const: (only, value) => only === value,
  enum: (members, value) => Array.isArray(members) && members.length <= mostMembers && members.includes(value),
  allOf: (parts, value, _, reading) =>
    Array.isArray(parts) && parts.every((part) => surelyAccepts(part, value, reading)),
  anyOf: (parts, value, _, reading) =>
    Array.isArray(parts) && parts.some((part) => surelyAccepts(part, value, reading)),
  minimum: (least, value) => typeof value !== 'number' || value >= Number(least),
  maximum: (most, value) => typeof value !== 'number' || value <= Number(most),
  exclusiveMinimum: (least, value) => typeof value !== 'number' || value > Number(least),
  exclusiveMaximum: (most, value) => typeof value !== 'number' || value < Number(most),
  minLength: (least, value) => typeof value !== 'string' || [...value].length >= Number(least),
  maxLength: (most, value) => typeof value !== 'string' || [...value].length <= Number(most),
  pattern: (source, value) => typeof value !== 'string' || readPattern(String(source))?.test(value) === true,
  format: (name, value, _, { side }) => {
    const format = formats[String(name)];
    return typeof value !== 'string' || format === undefined || format[side](value);
  },
  minItems: (least, value) => !Array.isArray(value) || value.length >= Number(least),
  maxItems: (most, value) => !Array.isArray(value) || value.length <= Number(most),
  items: (part, value, schema, reading) =>
    !Array.isArray(value) ||
    (schema.prefixItems === undefined && value.every((item) => surelyAccepts(part, item, reading))),
  required: (names, value) =>
    !isObject(value) || (Array.isArray(names) && names.every((name) => Object.hasOwn(value, String(name)))),
  minProperties: (least, value) => !isObject(value) || Object.keys(value).length >= Number(least),
  maxProperties: (most, value) => !isObject(value) || Object.keys(value).length <= Number(most),
  properties: (parts, value, _, reading) =>
    !isObject(value) ||
    (isObject(parts) &&
      Object.keys(value).every(
        (name) => !Object.hasOwn(parts, name) || surelyAccepts(parts[name], value[name], reading),
      )),
  additionalProperties: (part, value, { properties, patternProperties }, reading) =>
    !isObject(value) ||
    (patternProperties === undefined &&
      Object.keys(value).every(
        (name) =>
          (isObject(properties) && Object.hasOwn(properties, name)) || surelyAccepts(part, value[name], reading),
      )),
};

function isOfType(name: unknown, value: unknown): boolean {
  if (name === 'null') return value === null;
  if (name === 'array') return Array.isArray(value);
  if (name === 'object') return isObject(value);
  if (name === 'integer') return Number.isInteger(value);
  return typeof value === name;
}
