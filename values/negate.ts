import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { type Schema, type SchemaSource, schemasIn } from './shape.ts';

const negatives = new WeakMap<JsonObject, JsonObject>();

/** `not` of a schema, the same each time. */
export function negated(schema: Schema): Schema {
  if (typeof schema === 'boolean') return !schema;
  const known = negatives.get(schema) ?? { not: schema };
  negatives.set(schema, known);
  return known;
}

/** Whether a schema is unsatisfiable by its keywords alone: `not` of everything, in itself or in all its branches. */
export function isNever(schema: Schema, depth = 0): boolean {
  if (typeof schema === 'boolean' || depth > 8) return schema === false;
  const list = (keyword: string): readonly Schema[] => (keyword in schema ? schemasIn(schema[keyword]) : []);
  const isAll = schema.not === true || (isObject(schema.not) && Object.keys(schema.not).length === 0);
  const isOver = (branches: readonly Schema[]): boolean =>
    branches.length > 0 && branches.every((branch) => isNever(branch, depth + 1));
  return (
    isAll || list('allOf').some((part) => isNever(part, depth + 1)) || isOver(list('anyOf')) || isOver(list('oneOf'))
  );
}

/** Results per source: documents may share a schema whose reference has another target in each. */
const cache = new WeakMap<SchemaSource, WeakMap<JsonObject, readonly Schema[] | null>>();

/**
 * Expresses `not` as a choice: each returned schema violates one keyword of `schema`. Where JSON Schema has no keyword for a
 * violation, they use `x-except`, `x-not-pattern`, `x-not-multiple-of` and `x-fraction`, which only the builder reads.
 *
 * @returns undefined if no keyword can be negated; an empty list if every value satisfies the schema
 */
export function negations(source: SchemaSource, schema: Schema): readonly Schema[] | undefined {
  if (typeof schema === 'boolean') return schema ? [] : [true];
  if (isNever(schema)) return [true];
  const own = cache.get(source) ?? new WeakMap<JsonObject, readonly Schema[] | null>();
  cache.set(source, own);
  const known = own.get(schema);
  if (known !== undefined) return known ?? undefined;
  const found: Schema[] = [];
  let isWhole = true;
  for (const [keyword, value] of Object.entries(schema)) {
    const branches = negateKeyword(source, schema, keyword, value);
    if (branches === undefined) isWhole = false;
    else found.push(...branches);
  }
  const result = isWhole || found.length > 0 ? found : undefined;
  own.set(schema, result ?? null);
  return result;
}

/** For each bound, a schema of the values just beyond it. */
const bounds: Readonly<Record<string, (value: number) => JsonObject | undefined>> = {
  minimum: (value) => ({ type: 'number', exclusiveMaximum: value }),
  maximum: (value) => ({ type: 'number', exclusiveMinimum: value }),
  exclusiveMinimum: (value) => ({ type: 'number', maximum: value }),
  exclusiveMaximum: (value) => ({ type: 'number', minimum: value }),
  multipleOf: (value) => ({ type: 'number', 'x-not-multiple-of': value }),
  minLength: (value) => (value > 0 ? { type: 'string', maxLength: value - 1 } : undefined),
  maxLength: (value) => ({ type: 'string', minLength: value + 1 }),
  minItems: (value) => (value > 0 ? { type: 'array', maxItems: value - 1 } : undefined),
  maxItems: (value) => ({ type: 'array', minItems: value + 1 }),
  minProperties: (value) => (value > 0 ? { type: 'object', maxProperties: value - 1 } : undefined),
  maxProperties: (value) => ({ type: 'object', minProperties: value + 1 }),
};

/** Assertions whose negation no keyword can express. Keywords that are neither here nor below assert nothing. */
const oneSided = new Set([
  'format',
  'uniqueItems',
  'patternProperties',
  'propertyNames',
  'x-except',
  'x-not-pattern',
  'x-not-multiple-of',
  'x-fraction',
  'x-one-but-for-nulls',
]);

function negateKeyword(
  source: SchemaSource,
  schema: JsonObject,
  keyword: string,
  value: unknown,
): readonly Schema[] | undefined {
  const bound = bounds[keyword];
  if (bound !== undefined) return typeof value === 'number' ? [bound(value) ?? []].flat() : [];
  switch (keyword) {
    case 'type':
      return negateType([value].flat().map(String));
    case 'const':
      return [{ 'x-except': [value] }];
    case 'enum':
      return [{ 'x-except': value }];
    case 'pattern':
      return [{ type: 'string', 'x-not-pattern': value }];
    case 'required':
      return textsOf(value).map((name) => ({ type: 'object', properties: { [name]: false } }));
    case 'properties':
      return entriesOf(value).map(([name, part]) => propertyBreaking(name, part));
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return [propertyBreaking(freshName(schema), value as Schema)];
    case 'items':
    case 'unevaluatedItems':
      return [itemBreaking(Array.isArray(schema.prefixItems) ? schema.prefixItems.length : 0, value as Schema)];
    case 'prefixItems':
      return schemasIn(value).map((part, index) => itemBreaking(index, part));
    case 'contains': {
      const least = typeof schema.minContains === 'number' ? schema.minContains : 1;
      return least === 1 ? [{ type: 'array', items: negated(value as Schema) }] : undefined;
    }
    case 'allOf':
      return schemasIn(value).map((part) => negated(part));
    case 'anyOf':
      return [{ allOf: schemasIn(value).map((part) => negated(part)) }];
    case 'oneOf': {
      const parts = schemasIn(value);
      const pairs = parts.slice(1, 4).map((part) => ({ allOf: [parts[0], part] }));
      return [{ allOf: parts.map((part) => negated(part)) }, ...pairs];
    }
    case 'not':
      return [value as Schema];
    case '$ref': {
      const target = source.resolve(String(value));
      return target === undefined ? [] : [negated(target)];
    }
    case 'if':
      return [
        ...(schema.then === undefined ? [] : [{ allOf: [value, negated(schema.then as Schema)] }]),
        ...(schema.else === undefined ? [] : [{ allOf: [negated(value as Schema), negated(schema.else as Schema)] }]),
      ];
    case 'dependentRequired':
      return entriesOf(value).flatMap(([name, needed]) =>
        textsOf(needed).map((other) => ({ type: 'object', required: [name], properties: { [other]: false } })),
      );
    case 'dependentSchemas':
      return entriesOf(value).map(([name, part]) => ({
        type: 'object',
        required: [name],
        allOf: [negated(part as Schema)],
      }));
    default:
      return oneSided.has(keyword) ? undefined : [];
  }
}

function negateType(types: readonly string[]): Schema[] {
  const named = types.map((type) => (type === 'integer' ? 'number' : type));
  const left = ['null', 'boolean', 'object', 'array', 'number', 'string'].filter((type) => !named.includes(type));
  return [
    ...(left.length === 0 ? [] : [{ type: left }]),
    ...(types.includes('integer') && !types.includes('number') ? [{ type: 'number', 'x-fraction': true }] : []),
  ];
}

function propertyBreaking(name: string, part: unknown): Schema {
  return { type: 'object', required: [name], properties: { [name]: negated(part as Schema) } };
}

function itemBreaking(index: number, part: Schema): Schema {
  const before = Array.from({ length: index }, () => true);
  return { type: 'array', minItems: index + 1, prefixItems: [...before, negated(part)] };
}

/** A name that the schema does not declare. */
function freshName(schema: JsonObject): string {
  const taken = new Set(entriesOf(schema.properties).map(([name]) => name));
  let name = 'other';
  while (taken.has(name)) name += '_';
  return name;
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
