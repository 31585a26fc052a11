import { isMultipleOf } from '@lockstep/values/multiples';
import { readPattern } from '@lockstep/values/pattern';
import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js';
import { arrayAt, canonical, isObject, type JsonObject, objectAt } from '../contract/document.ts';
import { lenientNull, oneButForNulls } from './definition.ts';
import type { Dialect } from './dialect.ts';

interface Fault {
  readonly message: string;
  readonly params: Record<string, unknown>;
}

interface Given {
  /** The keyword's value. */
  readonly schema: unknown;
  readonly parentSchema: JsonObject;
  readonly tools: Tools;
}

interface OwnKeyword {
  readonly type?: 'number' | 'array' | 'object';
  readonly compile: (given: Given) => (value: unknown) => Fault | readonly Fault[] | undefined;
}

/** Replaces Ajv's implementation of some keywords. */
export function addOwnKeywords(engine: Ajv2020, dialect: Dialect): void {
  const tools: Tools = {
    resolve: (id) => dialect.resolve(id)?.schema,
    holds: (schema, value) => (isObject(schema) ? engine.compile(schema)(value) === true : schema !== false),
    reading: { isStrict: false },
  };
  for (const [keyword, { type, compile }] of Object.entries(ownKeywords)) {
    engine.removeKeyword(keyword);
    engine.addKeyword({
      keyword,
      ...(type === undefined ? {} : { type }),
      errors: true,
      compile: (schema: unknown, parentSchema: JsonObject) => {
        const find = compile({ schema, parentSchema, tools });
        const validate = (value: unknown): boolean => {
          const found = find(value);
          const faults = found === undefined ? [] : [found].flat();
          if (faults.length === 0) return true;
          const errors = faults.map((fault): Partial<ErrorObject> => ({ keyword, parentSchema, ...fault }));
          Object.assign(validate, { errors });
          return false;
        };
        return validate;
      },
    });
  }
}

/**
 * Keywords that Ajv evaluates in quadratic time (`enum`, `uniqueItems`), in binary fractions (`multipleOf`) or partly wrong
 * (`unevaluated…`), and keywords that a dialect adds.
 */
const ownKeywords: Readonly<Record<string, OwnKeyword>> = {
  multipleOf: {
    type: 'number',
    compile:
      ({ schema: step }) =>
      (value) =>
        isMultipleOf(Number(value), Number(step))
          ? undefined
          : { message: `must be multiple of ${step}`, params: { multipleOf: step } },
  },
  uniqueItems: {
    type: 'array',
    compile:
      ({ schema: isAsked }) =>
      (value) => {
        if (isAsked !== true || !Array.isArray(value)) return undefined;
        const seen = new Map<unknown, number>();
        const texts = new Map<string, number>();
        for (const [index, item] of value.entries()) {
          const isPlain = typeof item !== 'object' || item === null;
          const key = isPlain ? item : canonical(item);
          const before = isPlain ? seen.get(key) : texts.get(key);
          if (before !== undefined) {
            const message = `must NOT have duplicate items (items ## ${before} and ${index} are identical)`;
            return { message, params: { i: index, j: before } };
          }
          if (isPlain) seen.set(key, index);
          else texts.set(key, index);
        }
        return undefined;
      },
  },
  enum: {
    compile: ({ schema: members }) => {
      const plain = new Set<unknown>(Array.isArray(members) ? members : []);
      const texts = new Set([...plain].filter((member) => typeof member === 'object').map(canonical));
      const fault = { message: 'must be equal to one of the allowed values', params: { allowedValues: members } };
      return (value) => {
        const isAllowed = plain.has(value) || (typeof value === 'object' && texts.has(canonical(value)));
        return isAllowed ? undefined : fault;
      };
    },
  },
  [lenientNull]: {
    compile:
      ({ tools }) =>
      (value) =>
        value === null && tools.reading.isStrict ? { message: 'must not be null', params: {} } : undefined,
  },
  [oneButForNulls]: {
    compile:
      ({ schema, tools }) =>
      (value) => {
        const holding = listOf(schema).filter((branch) => tools.holds(branch, value));
        const sure = holding.filter((branch) => surelyHolds(tools, branch, value));
        const isFine = holding.length > 0 && sure.length <= 1;
        return isFine ? undefined : { message: 'must match one schema', params: {} };
      },
  },
  unevaluatedProperties: {
    type: 'object',
    compile:
      ({ schema, parentSchema, tools }) =>
      (value) => {
        if (schema === true || !isObject(value)) return undefined;
        const left = unevaluated(tools, parentSchema, value, Object.keys(value), seesName);
        const names = left.filter((name) => !tools.holds(schema, value[name]));
        const message = 'must NOT have unevaluated properties';
        return names.map((unevaluatedProperty) => ({ message, params: { unevaluatedProperty } }));
      },
  },
  unevaluatedItems: {
    type: 'array',
    compile:
      ({ schema, parentSchema, tools }) =>
      (value) => {
        if (schema === true || !Array.isArray(value)) return undefined;
        // An item that matches `contains` counts as evaluated.
        const isSeen = (part: JsonObject, index: number, isOuter: boolean): boolean =>
          part.items !== undefined ||
          (!isOuter && part.unevaluatedItems !== undefined) ||
          index < arrayAt(part, 'prefixItems').length ||
          (part.contains !== undefined && tools.holds(part.contains, value[index]));
        const open = unevaluated(tools, parentSchema, value, [...value.keys()], isSeen);
        const left = open.filter((index) => !tools.holds(schema, value[index]));
        const message = `must NOT have unevaluated items (${left[0]})`;
        return left.length === 0 ? undefined : { message, params: { indexes: left } };
      },
  },
};

interface Tools {
  /** Whether a value is valid against a schema of the dialect. */
  readonly holds: (schema: unknown, value: unknown) => boolean;
  readonly resolve: (id: string) => JsonObject | undefined;
  /** Whether a null that is only allowed by lenience is invalid. */
  readonly reading: { isStrict: boolean };
}

/** Whether a value is valid against a schema without lenience for null. */
function surelyHolds({ holds, reading }: Tools, schema: unknown, value: unknown): boolean {
  const before = reading.isStrict;
  reading.isStrict = true;
  try {
    return holds(schema, value);
  } finally {
    reading.isStrict = before;
  }
}

/**
 * The names of an object, or the indexes of a list, that no keyword in a schema or its subschemas has evaluated (JSON Schema 2020-12, 11.2
 * and 11.3). Ajv ignores an `if` without `then`, and a branch next to `true`.
 *
 * @param isSeen whether a schema itself evaluates a key; `isOuter`: the schema contains the `unevaluated…` in question
 */
function unevaluated<Key>(
  tools: Tools,
  schema: JsonObject,
  value: unknown,
  keys: readonly Key[],
  isSeen: (part: JsonObject, key: Key, isOuter: boolean) => boolean,
): Key[] {
  const seen = new Set<Key>();
  const visit = (part: unknown, isOuter: boolean): void => {
    if (!isObject(part)) return;
    for (const key of keys) if (!seen.has(key) && isSeen(part, key, isOuter)) seen.add(key);
    for (const other of holdingParts(tools, part, value)) visit(other, false);
  };
  visit(schema, true);
  return keys.filter((key) => !seen.has(key));
}

function seesName(part: JsonObject, name: string, isOuter: boolean): boolean {
  if (part.additionalProperties !== undefined || (!isOuter && part.unevaluatedProperties !== undefined)) return true;
  const patterns = Object.keys(objectAt(part, 'patternProperties'));
  return Object.hasOwn(objectAt(part, 'properties'), name) || patterns.some((one) => readPattern(one)?.test(name));
}

/** The subschemas that apply to the same value and accept it. */
function* holdingParts({ holds, resolve }: Tools, schema: JsonObject, value: unknown): Generator<unknown> {
  if (typeof schema.$ref === 'string') yield resolve(schema.$ref);
  yield* listOf(schema.allOf);
  const choices = [schema.anyOf, schema.oneOf, schema[oneButForNulls]].flatMap(listOf);
  for (const branch of choices) if (holds(branch, value)) yield branch;
  if (schema.if !== undefined) {
    const isMet = holds(schema.if, value);
    if (isMet) yield schema.if;
    yield isMet ? schema.then : schema.else;
  }
  if (isObject(schema.dependentSchemas) && isObject(value)) {
    for (const [name, part] of Object.entries(schema.dependentSchemas)) if (Object.hasOwn(value, name)) yield part;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
