import { isDeepStrictEqual } from 'node:util';
import {
  type ContractDocument,
  escapeSegment,
  isObject,
  type JsonObject,
  readPointer,
} from '@lockstep/json/json-pointer';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { typeOf } from './coerce-text.ts';
import { isDateTime } from './is-date-time.ts';
import { type Pattern, readPattern, renewSteps } from './read-pattern.ts';
import { findTwins } from './unique-items.ts';

/** The first fault of a value. */
export interface ValueFault {
  /** JSON pointer into the value, without `#`; empty for the value itself. */
  readonly at: string;
  /** The keyword and its requirement. */
  readonly why: string;
}

export type JudgeValue = (value: unknown, schema: unknown) => ValueFault | undefined;

/** Nested schemas without a step into the value: more are circular. */
const longestChain = 64;

/** Schemas for one value, a third of a second of work: nested compositions double with every level. */
const mostSteps = 300_000;

const noSchemas: readonly unknown[] = [];

const tooMuch = 'it takes too long to judge';

/** The schemas under evaluation for one value, innermost first. */
interface Way {
  readonly schema: JsonObject;
  readonly length: number;
  readonly before: Way | undefined;
}

/** As in the compiled check, a quotient is whole to nine decimals. */
const multipleOfPrecision = 1e-9;

/**
 * Validates values by interpreting the schemas of a contract. Compiling them pays only for frequent use: all schemas of 452 operations
 * took 15 seconds, and a value needs few of them. A law tests that the verdicts equal those of the compiled check. Keywords with
 * unusable values are ignored.
 */
export function createJudge(document: ContractDocument): JudgeValue {
  const patterns = new Map<string, Pattern | undefined>();
  let steps = 0;
  return (value, schema) => {
    steps = 0;
    renewSteps();
    const fault = judge(value, schema);
    // Beyond the limit, verdicts may be wrong, for example inside `not`.
    return steps > mostSteps ? { at: '', why: tooMuch } : fault;
  };

  /** The place of a fault is put together on the way back: most values have none. */
  function judge(value: unknown, schema: unknown, before?: Way): ValueFault | undefined {
    if (schema === false) return { at: '', why: 'nothing is allowed here' };
    if (!isObject(schema)) return undefined;
    steps += 1;
    if (steps > mostSteps) return { at: '', why: tooMuch };
    if (isOn(before, schema)) return { at: '', why: 'the schema refers to itself without end' };
    if (!isComposed(schema)) return judgeAny(value, schema) ?? judgeByType(value, schema);
    const way = { schema, before, length: (before?.length ?? 0) + 1 };
    return (
      judgeReference(value, schema, way) ??
      judgeAny(value, schema) ??
      judgeByType(value, schema) ??
      judgeComposed(value, schema, way) ??
      judgeUnevaluated(value, schema, way)
    );
  }

  function judgeReference(value: unknown, { $ref }: JsonObject, way: Way): ValueFault | undefined {
    if (typeof $ref !== 'string') return undefined;
    return judge(value, readPointer(document, $ref), way);
  }

  function judgeByType(value: unknown, schema: JsonObject): ValueFault | undefined {
    if (typeof value === 'string') return judgeText(value, schema);
    if (typeof value === 'number') return judgeNumber(value, schema);
    if (Array.isArray(value)) return judgeItems(value, schema);
    return isObject(value) ? judgeMembers(value, schema) : undefined;
  }

  function judgeText(text: string, schema: JsonObject): ValueFault | undefined {
    const { minLength, maxLength, pattern, format } = schema;
    if (minLength !== undefined || maxLength !== undefined) {
      const length = countCharacters(text);
      if (length < bound(minLength, 0)) return { at: '', why: `minLength ${minLength}` };
      if (length > bound(maxLength, Infinity)) return { at: '', why: `maxLength ${maxLength}` };
    }
    if (typeof pattern === 'string' && findPattern(pattern)?.test(text) === false)
      return { at: '', why: `pattern ${pattern}` };
    if (typeof format === 'string' && !hasFormat(text, format)) return { at: '', why: `format ${format}` };
    return undefined;
  }

  function judgeItems(items: readonly unknown[], schema: JsonObject): ValueFault | undefined {
    const { minItems, maxItems, uniqueItems, contains, minContains, maxContains } = schema;
    if (items.length < bound(minItems, 0)) return { at: '', why: `minItems ${minItems}` };
    if (items.length > bound(maxItems, Infinity)) return { at: '', why: `maxItems ${maxItems}` };
    if (uniqueItems === true && findTwins(items) !== undefined) return { at: '', why: 'uniqueItems' };
    const prefix = listOf(schema.prefixItems);
    for (const [index, item] of items.entries()) {
      const fault = judge(item, index < prefix.length ? prefix[index] : schema.items);
      if (fault !== undefined) return below(String(index), fault);
    }
    if (contains === undefined) return undefined;
    const found = items.filter((item) => judge(item, contains) === undefined).length;
    const isEnough = found >= bound(minContains, 1) && found <= bound(maxContains, Infinity);
    return isEnough ? undefined : { at: '', why: 'contains' };
  }

  function judgeMembers(object: JsonObject, schema: JsonObject): ValueFault | undefined {
    const { required, minProperties, maxProperties, propertyNames, dependentRequired } = schema;
    const names = Object.keys(object);
    for (const name of listOf(required))
      if (!Object.hasOwn(object, String(name))) return { at: '', why: `required ${String(name)}` };
    if (names.length < bound(minProperties, 0)) return { at: '', why: `minProperties ${minProperties}` };
    if (names.length > bound(maxProperties, Infinity)) return { at: '', why: `maxProperties ${maxProperties}` };
    if (isObject(dependentRequired))
      for (const [name, needed] of Object.entries(dependentRequired))
        if (Object.hasOwn(object, name) && listOf(needed).some((other) => !Object.hasOwn(object, String(other))))
          return { at: '', why: `dependentRequired ${name}` };
    const { properties, patternProperties, additionalProperties } = schema;
    const known = isObject(properties) ? properties : {};
    for (const name of names) {
      if (propertyNames !== undefined && judge(name, propertyNames) !== undefined)
        return { at: '', why: `propertyNames ${name}` };
      const fault = isObject(patternProperties)
        ? memberSchemasOf(schema, name)
            .map((member) => judgeMember(object[name], name, member))
            .find(Boolean)
        : judgeMember(object[name], name, Object.hasOwn(known, name) ? known[name] : additionalProperties);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  function judgeMember(value: unknown, name: string, schema: unknown): ValueFault | undefined {
    if (schema === false) return { at: '', why: `additionalProperties ${name}` };
    const fault = judge(value, schema);
    return fault && below(name, fault);
  }

  /** The schemas of `properties` and of matching patterns for a member; else `additionalProperties`. */
  function memberSchemasOf(
    { properties, patternProperties, additionalProperties }: JsonObject,
    name: string,
  ): readonly unknown[] {
    const own = isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : noSchemas;
    const rest = additionalProperties === undefined ? noSchemas : [additionalProperties];
    if (!isObject(patternProperties)) return own.length > 0 ? own : rest;
    const matching = Object.entries(patternProperties)
      .filter(([pattern]) => findPattern(pattern)?.test(name) === true)
      .map(([, schema]) => schema);
    const known = [...own, ...matching];
    return known.length > 0 ? known : rest;
  }

  function judgeComposed(value: unknown, schema: JsonObject, way: Way): ValueFault | undefined {
    const fits = (part: unknown): boolean => judge(value, part, way) === undefined;
    for (const part of listOf(schema.allOf)) {
      const fault = judge(value, part, way);
      if (fault !== undefined) return fault;
    }
    if (Array.isArray(schema.anyOf) && schema.anyOf.length > 0 && !schema.anyOf.some(fits))
      return schema.anyOf.length === 1 ? judge(value, schema.anyOf[0], way) : { at: '', why: 'anyOf: it fits none' };
    if (Array.isArray(schema.oneOf) && schema.oneOf.length > 0) {
      const fitting = schema.oneOf.filter(fits).length;
      if (fitting !== 1) return { at: '', why: `oneOf: it fits ${fitting === 0 ? 'none' : fitting}` };
    }
    if (schema.not !== undefined && isSchema(schema.not) && fits(schema.not)) return { at: '', why: 'not' };
    if (isSchema(schema.if)) {
      const fault = judge(value, fits(schema.if) ? schema.then : schema.else, way);
      if (fault !== undefined) return fault;
    }
    if (!isObject(schema.dependentSchemas)) return undefined;
    for (const [name, part] of Object.entries(schema.dependentSchemas)) {
      const fault = isObject(value) && Object.hasOwn(value, name) ? judge(value, part, way) : undefined;
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  function judgeUnevaluated(value: unknown, schema: JsonObject, way: Way): ValueFault | undefined {
    const { unevaluatedProperties, unevaluatedItems } = schema;
    if (unevaluatedProperties === undefined && unevaluatedItems === undefined) return undefined;
    const rest = { ...schema, unevaluatedProperties: undefined, unevaluatedItems: undefined };
    if (unevaluatedProperties !== undefined && isObject(value)) {
      const known = evaluatedNames(value, rest, way, 0);
      for (const name of Object.keys(value)) {
        if (known.has(name)) continue;
        const fault = judge(value[name], unevaluatedProperties);
        if (fault !== undefined) return { at: '', why: `unevaluatedProperties ${name}` };
      }
    }
    if (unevaluatedItems === undefined || !Array.isArray(value)) return undefined;
    const known = evaluatedItems(value, rest, way, 0);
    const isLeftOver = (item: unknown, index: number): boolean =>
      !known.has(index) && judge(item, unevaluatedItems) !== undefined;
    return value.some(isLeftOver) ? { at: '', why: 'unevaluatedItems' } : undefined;
  }

  function evaluatedNames(value: JsonObject, schema: unknown, way: Way, hops: number): ReadonlySet<string> {
    steps += 1;
    if (!isObject(schema) || hops > longestChain || steps > mostSteps) return new Set();
    const names = Object.keys(value);
    const isAll = schema.additionalProperties !== undefined || schema.unevaluatedProperties !== undefined;
    const own = isAll ? names : names.filter((name) => memberSchemasOf(schema, name).length > 0);
    return new Set([
      ...own,
      ...partsThatFit(value, schema, way).flatMap((part) => [...evaluatedNames(value, part, way, hops + 1)]),
    ]);
  }

  function evaluatedItems(items: readonly unknown[], schema: unknown, way: Way, hops: number): ReadonlySet<number> {
    steps += 1;
    if (!isObject(schema) || hops > longestChain || steps > mostSteps) return new Set();
    const isAll = schema.items !== undefined || schema.unevaluatedItems !== undefined;
    const prefix = listOf(schema.prefixItems).length;
    const own = [...items.keys()].filter(
      (index) =>
        isAll ||
        index < prefix ||
        (schema.contains !== undefined && judge(items[index], schema.contains) === undefined),
    );
    return new Set([
      ...own,
      ...partsThatFit(items, schema, way).flatMap((part) => [...evaluatedItems(items, part, way, hops + 1)]),
    ]);
  }

  /** The parts of a schema that apply to a value: of alternatives, those that it matches. */
  function partsThatFit(value: unknown, schema: JsonObject, way: Way): unknown[] {
    const fits = (part: unknown): boolean => judge(value, part, way) === undefined;
    const { $ref, dependentSchemas } = schema;
    const isIf = isSchema(schema.if) && fits(schema.if);
    return [
      ...(typeof $ref === 'string' ? [readPointer(document, $ref)] : []),
      ...listOf(schema.allOf),
      ...[...listOf(schema.anyOf), ...listOf(schema.oneOf)].filter(fits),
      ...(isSchema(schema.if) ? [isIf ? schema.if : undefined, isIf ? schema.then : schema.else] : []),
      ...Object.entries(isObject(dependentSchemas) ? dependentSchemas : {})
        .filter(([name]) => isObject(value) && Object.hasOwn(value, name))
        .map(([, part]) => part),
    ];
  }

  function findPattern(source: string): Pattern | undefined {
    if (!patterns.has(source)) patterns.set(source, tryPattern(source));
    return patterns.get(source);
  }
}

/** Code points, without a copy of the text. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Keywords whose schemas apply to the value itself, or that depend on such. */
const composing = [
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'dependentSchemas',
  'unevaluatedProperties',
  'unevaluatedItems',
] as const;

const composed = new WeakMap<JsonObject, boolean>();

/** Most schemas are not, so that a value needs no memory of the schemas around them. */
function isComposed(schema: JsonObject): boolean {
  const known = composed.get(schema);
  if (known !== undefined) return known;
  const found = composing.some((keyword) => schema[keyword] !== undefined);
  composed.set(schema, found);
  return found;
}

function isOn(way: Way | undefined, schema: JsonObject): boolean {
  if (way !== undefined && way.length > longestChain) return true;
  for (let one = way; one !== undefined; one = one.before) if (one.schema === schema) return true;
  return false;
}

/** A fault of a member or an item as a fault of the value around it. */
function below(segment: string, { at, why }: ValueFault): ValueFault {
  return { at: `/${escapeSegment(segment)}${at}`, why };
}

function judgeAny(value: unknown, schema: JsonObject): ValueFault | undefined {
  const { type, enum: values } = schema;
  if (type !== undefined && !hasType(value, type)) return { at: '', why: `type ${[type].flat().join(' or ')}` };
  if ('const' in schema && !isSame(value, schema.const)) return { at: '', why: 'const' };
  return Array.isArray(values) && !isAmong(value, values) ? { at: '', why: 'enum' } : undefined;
}

function hasType(value: unknown, type: unknown): boolean {
  const own = typeOf(value);
  if (type === own) return true;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return types.includes(own) || (own === 'integer' && types.includes('number'));
}

function isAmong(value: unknown, values: readonly unknown[]): boolean {
  return values.some((one) => isSame(one, value));
}

function judgeNumber(value: number, schema: JsonObject): ValueFault | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format } = schema;
  if (value < bound(minimum, -Infinity)) return { at: '', why: `minimum ${minimum}` };
  if (value > bound(maximum, Infinity)) return { at: '', why: `maximum ${maximum}` };
  if (value <= bound(exclusiveMinimum, -Infinity)) return { at: '', why: `exclusiveMinimum ${exclusiveMinimum}` };
  if (value >= bound(exclusiveMaximum, Infinity)) return { at: '', why: `exclusiveMaximum ${exclusiveMaximum}` };
  if (typeof multipleOf === 'number') {
    const quotient = value / multipleOf;
    if (!(Math.abs(Math.round(quotient) - quotient) <= multipleOfPrecision))
      return { at: '', why: `multipleOf ${multipleOf}` };
  }
  return typeof format === 'string' && !hasFormat(value, format) ? { at: '', why: `format ${format}` } : undefined;
}

type Format = (value: never) => boolean;

/** The validated formats by name; `number` for those of numbers. Others are ignored. */
const formats = new Map<string, { readonly of: 'string' | 'number'; readonly check: Format }>(
  Object.entries({ ...fullFormats, 'date-time': isDateTime }).flatMap(([name, format]) => {
    if (format instanceof RegExp)
      return [[name, { of: 'string' as const, check: (text: string) => format.test(text) }]];
    if (typeof format === 'function') return [[name, { of: 'string' as const, check: format as Format }]];
    if (typeof format !== 'object') return [];
    const { type, validate } = format as { readonly type?: string; readonly validate: Format | RegExp };
    const check: Format = validate instanceof RegExp ? (text: string) => validate.test(text) : validate;
    return [[name, { of: type === 'number' ? ('number' as const) : ('string' as const), check }]];
  }),
);

function hasFormat(value: string | number, name: string): boolean {
  const format = formats.get(name);
  return format === undefined || format.of !== typeof value || format.check(value as never);
}

/** Fast for scalars, of which an enum may have thousands. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  return typeof one === 'object' && typeof other === 'object' && isDeepStrictEqual(one, other);
}

function tryPattern(source: string): Pattern | undefined {
  try {
    return readPattern(source);
  } catch {
    return undefined;
  }
}

function bound(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isSchema(value: unknown): boolean {
  return isObject(value) || typeof value === 'boolean';
}
