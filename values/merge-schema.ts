import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { commonMultiple } from './multiples.ts';
import { isNever, negated, negations } from './negate.ts';
import { canonical } from './same-value.ts';
import { isSchema, type JsonType, type Schema, type SchemaSource, type Shape, schemasIn } from './shape.ts';

/** Alternatives of a schema: each branch is a list of schemas that all apply. */
export interface Choice {
  readonly branches: readonly (readonly Schema[])[];
  /** True for the branches of a `not`, which are interchangeable. */
  readonly isNegation: boolean;
  readonly scopes: Scopes;
}

/** Indexes of the rests of `unevaluated…` around a schema: these rests exclude the properties and items that it evaluates. */
export interface Scopes {
  readonly names: readonly number[];
  readonly items: readonly number[];
}

/** For a `oneOf` with more branches, only the judge checks that exactly one of them is valid. */
const mostExclusive = 12;

export const noScopes: Scopes = { names: [], items: [] };

export type Read = (schema: Schema, scopes: Scopes) => void;

/** Records the target of a schema's `$ref`, so that recursion is recognized further down. */
export function noteReference({ resolve }: SchemaSource, { references }: Shape, schema: Schema): void {
  const target = isObject(schema) && typeof schema.$ref === 'string' ? resolve(schema.$ref) : undefined;
  if (target !== undefined) references.push(target);
}

/** Merges schemas into a shape. Keywords with branches are added to `choices`. */
export function createReader(source: SchemaSource, shape: Shape, choices: Choice[], seen: Set<Schema>): Read {
  const met = new Map<Schema, { readonly own: Scopes; readonly seenBy: Scopes }>();
  const read: Read = (written, around) => {
    if (written === true) return;
    if (written === false) {
      shape.types.clear();
      return;
    }
    // A schema that leads back to itself is read again only for an `unevaluated…` that has not seen it.
    const known = met.get(written);
    const seenBy = joinScopes(known?.seenBy ?? noScopes, around);
    if (known !== undefined && sizeOf(seenBy) === sizeOf(known.seenBy)) return;
    seen.add(written);
    const schema = source.reword?.(written) ?? written;
    const own = known?.own ?? openScopes(shape, schema);
    met.set(written, { own, seenBy });
    const scopes = joinScopes(around, own);
    const target = typeof schema.$ref === 'string' ? source.resolve(schema.$ref) : undefined;
    if (target !== undefined) read(target, scopes);
    for (const part of schemasIn(schema.allOf)) read(part, scopes);
    readChoices(source, schema, scopes, choices, seen);
    readScalars(shape, schema, source);
    readItems(shape, schema, scopes);
    readProperties(shape, schema, scopes);
  };
  return read;
}

function joinScopes(some: Scopes, others: Scopes): Scopes {
  if (sizeOf(some) === 0 || sizeOf(others) === 0) return sizeOf(some) === 0 ? others : some;
  return {
    names: [...new Set([...some.names, ...others.names])],
    items: [...new Set([...some.items, ...others.items])],
  };
}

function sizeOf({ names, items }: Scopes): number {
  return names.length + items.length;
}

function openScopes(shape: Shape, schema: JsonObject): Scopes {
  const { unevaluatedProperties, unevaluatedItems } = schema;
  const rest = { names: new Set<string>(), patterns: [], isSpent: false };
  return {
    names: isSchema(unevaluatedProperties) ? [shape.rests.push({ ...rest, schema: unevaluatedProperties }) - 1] : [],
    items: isSchema(unevaluatedItems) ? [shape.restItems.push({ upTo: 0, schema: unevaluatedItems }) - 1] : [],
  };
}

function readChoices(
  source: SchemaSource,
  schema: JsonObject,
  scopes: Scopes,
  choices: Choice[],
  seen: ReadonlySet<Schema>,
): void {
  const add = (branches: readonly (readonly Schema[])[], isNegation = false): void => {
    choices.push({ branches, isNegation, scopes: isNegation ? noScopes : scopes });
  };
  const anyOf = possible(schemasIn(schema.anyOf));
  if (anyOf.length > 0) add(anyOf.map((branch) => [branch]));
  const oneOf = possible(schemasIn(schema.oneOf));
  if (oneOf.length > 0) {
    add(
      oneOf.map((branch) => {
        const others = oneOf.length > mostExclusive ? [] : oneOf.filter((other) => other !== branch);
        return [branch, ...others.map(negated)];
      }),
    );
  }
  if (isSchema(schema.not)) {
    const branches = negations(source, schema.not);
    if (branches !== undefined)
      add(
        branches.map((branch) => [branch]),
        true,
      );
  }
  if (isSchema(schema.if)) {
    const [yes, no] = [schema.then, schema.else].map((part) => (isSchema(part) ? part : true));
    if (isSchema(schema.then) || isSchema(schema.else))
      add([
        [negated(schema.if), no ?? true],
        [schema.if, yes ?? true],
      ]);
  }
  for (const [name, part] of Object.entries(mapAt(schema, 'dependentSchemas')))
    if (isSchema(part)) add([[without(name)], [part]]);
  // A schema with subtypes is built as one of them, unless one of them led here.
  const subtypes = schemasIn(schema['x-subtypes']).flatMap<Schema>((part) => {
    const id = isObject(part) ? part.$ref : undefined;
    return typeof id === 'string' ? (source.resolve(id) ?? []) : [];
  });
  if (subtypes.length > 0 && !subtypes.some((part) => seen.has(part))) add(subtypes.map((part) => [part]));
}

/** Removes unsatisfiable branches; keeps one if none is satisfiable. */
function possible(branches: readonly Schema[]): readonly Schema[] {
  const left = branches.filter((branch) => !isNever(branch));
  return left.length > 0 ? left : branches.slice(0, 1);
}

const absences = new Map<string, JsonObject>();

/** A schema that is valid for objects without this property. */
function without(name: string): Schema {
  const known = absences.get(name) ?? { properties: { [name]: false } };
  absences.set(name, known);
  return known;
}

function readScalars(shape: Shape, schema: JsonObject, { leavesOut }: SchemaSource): void {
  if (schema.type !== undefined) {
    const types = [schema.type].flat().map(String);
    const allowed = new Set(types.map((type) => (type === 'integer' ? 'number' : type)));
    for (const type of shape.types) if (!allowed.has(type)) shape.types.delete(type);
    if (types.includes('integer') && !types.includes('number')) shape.isInteger = true;
    // The order of the schema: its first type is preferred.
    const order = [...allowed].filter((type): type is JsonType => shape.types.has(type as JsonType));
    for (const type of order) {
      shape.types.delete(type);
      shape.types.add(type);
    }
  }
  const lists = [schema.enum, 'const' in schema ? [schema.const] : undefined].filter((list) => Array.isArray(list));
  for (const list of lists) {
    const keys = new Set(list.map(canonical));
    shape.values = shape.values === undefined ? list : shape.values.filter((value) => keys.has(canonical(value)));
  }
  if (Array.isArray(schema['x-except'])) shape.excluded.push(...schema['x-except']);
  raise(shape, 'minimum', schema.minimum, false);
  raise(shape, 'minimum', schema.exclusiveMinimum, true);
  raise(shape, 'maximum', schema.maximum, false);
  raise(shape, 'maximum', schema.exclusiveMaximum, true);
  if (typeof schema.multipleOf === 'number' && schema.multipleOf > 0)
    shape.multipleOf =
      shape.multipleOf === undefined ? schema.multipleOf : commonMultiple(shape.multipleOf, schema.multipleOf);
  if (typeof schema['x-not-multiple-of'] === 'number') shape.notMultipleOf.push(schema['x-not-multiple-of']);
  if (schema['x-fraction'] === true) shape.isFraction = true;
  for (const keyword of ['minLength', 'minItems', 'minProperties'] as const)
    shape[keyword] = Math.max(shape[keyword], numberOr(schema[keyword], 0));
  for (const keyword of ['maxLength', 'maxItems', 'maxProperties'] as const)
    shape[keyword] = Math.min(shape[keyword], numberOr(schema[keyword], Infinity));
  if (typeof schema.pattern === 'string') shape.patterns.add(schema.pattern);
  if (typeof schema['x-not-pattern'] === 'string') shape.notPatterns.add(schema['x-not-pattern']);
  if (typeof schema.format === 'string') shape.format ??= schema.format;
  if (isSchema(schema.contentSchema)) shape.content ??= schema.contentSchema;
  if (schema.contentMediaType === 'application/json') shape.isJsonText = true;
  if (schema.uniqueItems === true) shape.isUnique = true;
  if (schema[leavesOut] === true) shape.isLeftOut = true;
  const isEncoded = typeof schema.contentMediaType === 'string' && schema.contentSchema === undefined;
  if (schema.format === 'binary' || isEncoded) shape.isBinary = true;
  if (isObject(schema.xml)) shape.xml ??= schema.xml;
  if ('example' in schema) shape.examples.push(schema.example);
  if (Array.isArray(schema.examples)) shape.examples.push(...schema.examples);
  if ('default' in schema) shape.examples.push(schema.default);
  if (Array.isArray(schema['x-preferred'])) shape.preferred.push(...schema['x-preferred']);
  for (const keyword in schema) {
    const type = hints.get(keyword);
    if (type !== undefined) shape.hints.add(type);
  }
}

/** Types with the keywords that apply to them. */
const keywordsOf: Readonly<Partial<Record<JsonType, readonly string[]>>> = {
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'minProperties',
    'propertyNames',
    'dependentRequired',
    'dependentSchemas',
    'unevaluatedProperties',
  ],
  array: ['items', 'prefixItems', 'contains', 'minItems', 'uniqueItems', 'unevaluatedItems'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  string: ['pattern', 'minLength', 'format', 'contentSchema'],
};
const hints = new Map(
  Object.entries(keywordsOf).flatMap(([type, keywords]) => keywords.map((keyword) => [keyword, type as JsonType])),
);

function raise(shape: Shape, side: 'minimum' | 'maximum', bound: unknown, isOpen: boolean): void {
  if (typeof bound !== 'number') return;
  const flag = side === 'minimum' ? 'isMinimumOpen' : 'isMaximumOpen';
  const isStricter = side === 'minimum' ? bound > shape[side] : bound < shape[side];
  if (isStricter) {
    shape[side] = bound;
    shape[flag] = isOpen;
  } else if (bound === shape[side]) shape[flag] ||= isOpen;
}

function readItems(shape: Shape, schema: JsonObject, scopes: Scopes): void {
  const prefix = schemasIn(schema.prefixItems);
  const rest = isSchema(schema.items) ? schema.items : undefined;
  if (prefix.length > 0 || rest !== undefined) shape.lists.push({ prefix, rest });
  for (const index of scopes.items) {
    const scope = shape.restItems[index];
    if (scope !== undefined) scope.upTo = Math.max(scope.upTo, rest === undefined ? prefix.length : Infinity);
  }
  if (isSchema(schema.contains)) {
    const [min, max] = [numberOr(schema.minContains, 1), numberOr(schema.maxContains, Infinity)];
    shape.contains.push({ schema: schema.contains, min, max });
    if (min > max) shape.types.delete('array');
  }
}

function readProperties(shape: Shape, schema: JsonObject, scopes: Scopes): void {
  const properties = Object.entries(mapAt(schema, 'properties'));
  const patterns = Object.entries(mapAt(schema, 'patternProperties'));
  for (const [name, part] of properties) {
    if (!isSchema(part)) continue;
    const known = shape.properties.get(name) ?? [];
    known.push(part);
    shape.properties.set(name, known);
  }
  for (const [pattern, part] of patterns) if (isSchema(part)) shape.patternProperties.push({ pattern, schema: part });
  for (const index of scopes.names) {
    const scope = shape.rests[index];
    for (const [name] of properties) scope?.names.add(name);
    for (const [pattern] of patterns) scope?.patterns.push(pattern);
    if (scope !== undefined && isSchema(schema.additionalProperties)) scope.isSpent = true;
  }
  if (isSchema(schema.additionalProperties)) {
    const names = new Set(properties.map(([name]) => name));
    shape.rests.push({
      names,
      patterns: patterns.map(([pattern]) => pattern),
      schema: schema.additionalProperties,
      isSpent: false,
    });
  }
  if (Array.isArray(schema.required)) for (const name of schema.required) shape.required.add(String(name));
  if (isSchema(schema.propertyNames)) shape.names.push(schema.propertyNames);
  for (const [name, needed] of Object.entries(mapAt(schema, 'dependentRequired'))) {
    const before = shape.dependentRequired.get(name) ?? [];
    if (Array.isArray(needed)) shape.dependentRequired.set(name, [...before, ...needed.map(String)]);
  }
}

function mapAt(schema: JsonObject, keyword: string): JsonObject {
  const map = schema[keyword];
  return isObject(map) ? map : {};
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
