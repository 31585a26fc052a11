import { readPattern } from '@lockstep/values/pattern';
import {
  arrayAt,
  isObject,
  type JsonObject,
  joinPointer,
  type Pointer,
  type ReportPart,
} from '../contract/document.ts';
import { clauseOf, is30 } from './clauses.ts';

/** A schema of the contract, or a deep part of one, as it applies in one direction. */
export interface Definition {
  /** The target of a `$ref` in another definition. */
  readonly id: string;
  readonly pointer: Pointer;
  readonly schema: JsonObject;
  /** Ids of the definitions that this one refers to. */
  readonly refersTo: ReadonlySet<string>;
}

/** A `$ref` that applies to the same value as the definition that contains it. */
export interface Edge {
  readonly holder: Record<string, unknown>;
  readonly from: Definition;
  readonly to: string;
  /** True if only `allOf` encloses the `$ref`: if it leads back to its own definition, it adds nothing. */
  readonly isConjunction: boolean;
}

/** Removes cycles: `a: {$ref: b}, b: {$ref: a}` restricts no value, but following it never returns. */
export function breakCycles(
  edges: readonly Edge[],
  byId: ReadonlyMap<string, Definition>,
  omitFrom: (schema: object) => ReportPart,
): void {
  let left = edges;
  for (;;) {
    const sources = new Set(left.map(({ from }) => from.id));
    const next = left.filter(({ to }) => sources.has(to));
    if (next.length === left.length) break;
    left = next;
  }
  const number = ({ id }: Definition): number => Number(id.slice(1));
  const leadsTo = Map.groupBy(left, ({ from }) => from.id);
  for (const edge of left) {
    const to = byId.get(edge.to);
    // Each cycle has a reference to a definition that was read no later than the one with the reference.
    if (to === undefined || number(to) > number(edge.from) || !reaches(leadsTo, edge.to, edge.from.id)) continue;
    if (edge.isConjunction) delete edge.holder.$ref;
    else
      for (const keyword of Object.keys(edge.from.schema))
        if (keyword !== '$id') delete (edge.from.schema as Record<string, unknown>)[keyword];
    const omit = omitFrom(edge.isConjunction ? edge.holder : edge.from.schema);
    omit(edge.from.pointer, 'The schema leads back to itself for the same value.', 'Remove the cycle.');
  }
}

function reaches(leadsTo: ReadonlyMap<string, readonly Edge[]>, start: string, end: string): boolean {
  const seen = new Set([start]);
  for (const id of seen) {
    if (id === end) return true;
    for (const { to } of leadsTo.get(id) ?? []) seen.add(to);
  }
  return false;
}

/** A schema with omitted parts may accept an invalid value: these changes keep that from making another value invalid. */
const weakenings: Readonly<Record<string, (schema: Record<string, unknown>) => void>> = {
  not: (schema) => {
    delete schema.not;
  },
  oneOf: (schema) => {
    schema.allOf = [...(Array.isArray(schema.allOf) ? schema.allOf : []), { anyOf: schema.oneOf }];
    delete schema.oneOf;
  },
  if: (schema) => {
    for (const keyword of ['if', 'then', 'else']) delete schema[keyword];
  },
  contains: (schema) => {
    delete schema.maxContains;
  },
};

/** Weakens each keyword that could reject a valid value because of an omitted part, and marks definitions that refer to such parts. */
export function weaken(read: readonly Definition[], unsure: Set<object>, byId: ReadonlyMap<string, Definition>): void {
  if (unsure.size === 0) return;
  const isUnsure = (part: unknown): boolean => {
    if (typeof part !== 'object' || part === null) return false;
    const target = isObject(part) && typeof part.$ref === 'string' ? byId.get(part.$ref)?.schema : undefined;
    return unsure.has(part) || (target !== undefined && unsure.has(target)) || Object.values(part).some(isUnsure);
  };
  // A definition is unsure if it refers to an unsure one.
  for (let count = -1; count !== unsure.size; ) {
    count = unsure.size;
    for (const { schema } of read) if (!unsure.has(schema) && isUnsure(schema)) unsure.add(schema);
  }
  const weakenPart = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    for (const inner of Object.values(part)) weakenPart(inner);
    if (!isObject(part) || !isUnsure(part)) return;
    const schema = part as Record<string, unknown>;
    for (const [keyword, change] of Object.entries(weakenings)) if (isUnsure(schema[keyword])) change(schema);
    // The omitted part may have evaluated the other properties or items.
    delete schema.unevaluatedProperties;
    delete schema.unevaluatedItems;
  };
  for (const { schema } of read) if (unsure.has(schema)) weakenPart(schema);
}

/** Marks a null that only leniency accepts: the contract may not allow it. */
export const lenientNull = 'x-lenient-null';

/** The branches of a `oneOf`, of which one must match. Further matches are no violation if they accept only a lenient null. */
export const oneButForNulls = 'x-one-but-for-nulls';

/** Whether `nullable` allows a null that the norm does not: an enum must list null, and OpenAPI 3.1 has no `nullable`. */
export function addsNull(version: unknown, { nullable, type, enum: members }: JsonObject): boolean {
  if (nullable !== true) return false;
  const isTyped = type !== undefined && ![type].flat().includes('null');
  return (Array.isArray(members) && !members.includes(null)) || (isTyped && !is30(version));
}

/** Replaces a `oneOf` so that a lenient null in several branches does not violate it. */
export function spareNulls(schema: Record<string, unknown>, pointers: WeakMap<object, Pointer>): void {
  const { oneOf } = schema;
  if (oneOf === undefined) return;
  delete schema.oneOf;
  const strict = { oneOf };
  pointers.set(strict, pointers.get(schema) ?? '#');
  schema.allOf = [...arrayAt(schema, 'allOf'), { anyOf: [strict, { [oneButForNulls]: oneOf }] }];
}

const types = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'];
const counts = new Set([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
]);
const numbers = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']);
const inclusive: Readonly<Record<string, string>> = { exclusiveMinimum: 'minimum', exclusiveMaximum: 'maximum' };
const unchanged = new Set([
  ...['const', 'format', 'uniqueItems', 'dependentRequired'],
  // These keywords assert nothing, but values are built from them.
  ...['default', 'examples', 'readOnly', 'writeOnly', 'contentMediaType', 'contentEncoding', 'xml'],
]);

/** Copies one keyword without subschemas, converted from OpenAPI 3.0 to 3.1; empty if the keyword has no meaning. */
export function adaptKeyword(
  version: unknown,
  schema: JsonObject,
  keyword: string,
  pointer: Pointer,
  report: ReportPart,
): JsonObject {
  const value = schema[keyword];
  const drop: Drop = (message, fix, must) => {
    report(joinPointer(pointer, keyword), message, fix, `${clauseOf(version, keyword)}: ${must}`);
    return {};
  };
  if (keyword === 'type') return adaptType(schema, value, drop);
  if (keyword === 'enum') {
    if (!Array.isArray(value) || value.length === 0) {
      const must = Array.isArray(value) ? 'it SHOULD have at least one element' : 'its value MUST be an array';
      return drop('The enum has no values.', 'List the values, or remove enum.', must);
    }
    return { enum: schema.nullable === true && !value.includes(null) ? [...value, null] : value };
  }
  if (keyword === 'pattern') {
    if (typeof value === 'string' && readPattern(value) !== undefined) return { pattern: value };
    const must =
      typeof value === 'string' ? 'it SHOULD be a regular expression of ECMA-262' : 'its value MUST be a string';
    const message = `The pattern ${JSON.stringify(value)} does not compile.`;
    return drop(message, 'Write an ECMA-262 regular expression.', must);
  }
  // OpenAPI 3.0: `minimum: 5, exclusiveMinimum: true`.
  const bound = inclusive[keyword];
  if (bound !== undefined && typeof value === 'boolean')
    return value && typeof schema[bound] === 'number' ? { [keyword]: schema[bound] } : {};
  const isCount = counts.has(keyword);
  if (isCount || numbers.has(keyword)) {
    const isFine = isCount ? Number.isInteger(value) && Number(value) >= 0 : typeof value === 'number';
    const kind = isCount ? 'non-negative integer' : 'number';
    if (!isFine)
      return drop(`${keyword} is ${JSON.stringify(value)}.`, `Give a ${kind}.`, `its value MUST be a ${kind}`);
    const isShadowed = Object.keys(inclusive).some((other) => inclusive[other] === keyword && schema[other] === true);
    return isShadowed ? {} : { [keyword]: value };
  }
  if (keyword === 'example') return { examples: [value, ...arrayAt(schema, 'examples')] };
  if (keyword === 'examples' && 'example' in schema) return {};
  return unchanged.has(keyword) ? { [keyword]: value } : {};
}

/** @param must the requirement that the keyword breaks */
type Drop = (message: string, fix: string, must: string) => JsonObject;

function adaptType(schema: JsonObject, value: unknown, drop: Drop): JsonObject {
  const named = Array.isArray(value) ? value : [value];
  if (named.length === 0 || !named.every((name) => types.includes(String(name)))) {
    return drop(
      `${JSON.stringify(value)} is not a type.`,
      `Use one of ${types.join(', ')}.`,
      'it MUST be one or several of the seven names',
    );
  }
  return { type: schema.nullable === true && !named.includes('null') ? [...named, 'null'] : value };
}
