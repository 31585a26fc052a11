import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js';
import { canonical, isObject, type JsonObject } from '../contract/document.ts';
import { lenientNull, oneButForNulls } from './definition.ts';
import type { Dialect } from './dialect.ts';
import { readPattern } from './pattern.ts';
import { isMultipleOf } from './scalars.ts';

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

/** Takes the place of Ajv's own reading of some keywords. */
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
 * Keywords that Ajv takes too long for (`enum`, `uniqueItems`: each with each), reckons in binary fractions (`multipleOf`)
 * or gets wrong in part (`unevaluated…`), and what a dialect adds of its own.
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
        const names = unevaluatedNames(tools, parentSchema, value).filter((name) => !tools.holds(schema, value[name]));
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
        const left = unevaluatedIndexes(tools, parentSchema, value).filter(
          (index) => !tools.holds(schema, value[index]),
        );
        const message = `must NOT have unevaluated items (${left[0]})`;
        return left.length === 0 ? undefined : { message, params: { indexes: left } };
      },
  },
};

interface Tools {
  /** Whether a value keeps a schema that stands in the dialect. */
  readonly holds: (schema: unknown, value: unknown) => boolean;
  readonly resolve: (id: string) => JsonObject | undefined;
  /** Whether null is refused where only leniency lets it in. */
  readonly reading: { isStrict: boolean };
}

/** Whether a value keeps a schema even where null is let in by declaration alone. */
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
 * The names of an object that no keyword beside or beneath a schema has evaluated (JSON Schema 2020-12, 11.3): Ajv forgets
 * what an `if` without `then` and a branch beside `true` have seen.
 */
function unevaluatedNames(tools: Tools, schema: JsonObject, value: JsonObject): string[] {
  const seen = new Set<string>();
  const visit = (part: unknown, isOuter: boolean): void => {
    if (!isObject(part)) return;
    const own = isObject(part.properties) ? part.properties : {};
    const patterns = Object.keys(isObject(part.patternProperties) ? part.patternProperties : {}).map(readPattern);
    const isAll = part.additionalProperties !== undefined || (!isOuter && part.unevaluatedProperties !== undefined);
    for (const name of Object.keys(value)) {
      if (isAll || Object.hasOwn(own, name) || patterns.some((pattern) => pattern?.test(name))) seen.add(name);
    }
    for (const other of holdingParts(tools, part, value)) visit(other, false);
  };
  visit(schema, true);
  return Object.keys(value).filter((name) => !seen.has(name));
}

/** The indexes of a list that nothing has evaluated (11.2). What `contains` has found counts as seen. */
function unevaluatedIndexes(tools: Tools, schema: JsonObject, value: readonly unknown[]): number[] {
  const seen = new Set<number>();
  const visit = (part: unknown, isOuter: boolean): void => {
    if (!isObject(part)) return;
    const isAll = part.items !== undefined || (!isOuter && part.unevaluatedItems !== undefined);
    const fixed = Array.isArray(part.prefixItems) ? part.prefixItems.length : 0;
    for (const [index, item] of value.entries()) {
      if (isAll || index < fixed || (part.contains !== undefined && tools.holds(part.contains, item))) seen.add(index);
    }
    for (const other of holdingParts(tools, part, value)) visit(other, false);
  };
  visit(schema, true);
  return [...value.keys()].filter((index) => !seen.has(index));
}

/** The parts of a schema that judge the same value and that it keeps. */
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
