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

/** A schema of the contract, or a deep part of one, as it holds in one direction. */
export interface Definition {
  /** What a `$ref` of another definition names. */
  readonly id: string;
  readonly pointer: Pointer;
  readonly schema: JsonObject;
  /** Ids of the definitions that it refers to. */
  readonly refersTo: ReadonlySet<string>;
}

/** A `$ref` that judges the same value as the definition it stands in. */
export interface Edge {
  readonly holder: Record<string, unknown>;
  readonly from: Definition;
  readonly to: string;
  /** Nothing but `allOf` stands around it, so that it adds nothing where it leads back. */
  readonly isConjunction: boolean;
}

/** `a: {$ref: b}, b: {$ref: a}` restricts no value, but following it never returns. */
export function breakCircles(
  edges: readonly Edge[],
  byId: ReadonlyMap<string, Definition>,
  leaveOut: (schema: object) => ReportPart,
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
    // Every circle has a reference to something that was read no later than itself.
    if (to === undefined || number(to) > number(edge.from) || !reaches(leadsTo, edge.to, edge.from.id)) continue;
    if (edge.isConjunction) delete edge.holder.$ref;
    else
      for (const keyword of Object.keys(edge.from.schema))
        if (keyword !== '$id') delete (edge.from.schema as Record<string, unknown>)[keyword];
    const told = leaveOut(edge.isConjunction ? edge.holder : edge.from.schema);
    told(edge.from.pointer, 'The schema leads back to itself for the same value.', 'Remove the cycle.');
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

/** What a schema that lost something takes may still be wrong: no keyword may hold that against a value. */
const turning: Readonly<Record<string, (schema: Record<string, unknown>) => void>> = {
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

/** Takes back every keyword by which a part that lost something could make a value wrong, and marks what refers to such a part. */
export function weaken(read: readonly Definition[], unsure: Set<object>, byId: ReadonlyMap<string, Definition>): void {
  if (unsure.size === 0) return;
  const isUnsure = (part: unknown): boolean => {
    if (typeof part !== 'object' || part === null) return false;
    const target = isObject(part) && typeof part.$ref === 'string' ? byId.get(part.$ref)?.schema : undefined;
    return unsure.has(part) || (target !== undefined && unsure.has(target)) || Object.values(part).some(isUnsure);
  };
  // A definition is unsure when one that it refers to is.
  for (let count = -1; count !== unsure.size; ) {
    count = unsure.size;
    for (const { schema } of read) if (!unsure.has(schema) && isUnsure(schema)) unsure.add(schema);
  }
  const weakenPart = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    for (const inner of Object.values(part)) weakenPart(inner);
    if (!isObject(part) || !isUnsure(part)) return;
    const schema = part as Record<string, unknown>;
    for (const [keyword, turn] of Object.entries(turning)) if (isUnsure(schema[keyword])) turn(schema);
    // It may have seen what is left over.
    delete schema.unevaluatedProperties;
    delete schema.unevaluatedItems;
  };
  for (const { schema } of read) if (unsure.has(schema)) weakenPart(schema);
}

/** Marks a null that is accepted out of leniency: the contract may not mean it. */
export const lenientNull = 'x-lenient-null';

/** The branches of a `oneOf`, one of which holds: more of them are no fault where only such a null makes them more. */
export const oneButForNulls = 'x-one-but-for-nulls';

/** Whether `nullable` lets null in which the norm leaves out: an enum has to list it, and OpenAPI 3.1 knows no such keyword. */
export function addsNull(version: unknown, { nullable, type, enum: members }: JsonObject): boolean {
  if (nullable !== true) return false;
  const isTyped = type !== undefined && ![type].flat().includes('null');
  return (Array.isArray(members) && !members.includes(null)) || (isTyped && !is30(version));
}

/** Makes of a `oneOf` one that a null does not break which only leniency lets in. */
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
const asTheyAre = new Set([
  ...['const', 'format', 'uniqueItems', 'dependentRequired'],
  // They judge nothing; values are built by them.
  ...['default', 'examples', 'readOnly', 'writeOnly', 'contentMediaType', 'contentEncoding', 'xml'],
]);

/** One keyword without subschemas, with OpenAPI 3.0's spelling of it turned into 3.1's; nothing where it has no meaning. */
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
      return drop('An enum needs values.', 'List them, or drop enum.', must);
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
    const kind = isCount ? 'whole number from 0 on' : 'number';
    if (!isFine)
      return drop(`${keyword} is ${JSON.stringify(value)}.`, `Give a ${kind}.`, `its value MUST be a ${kind}`);
    const isShadowed = Object.keys(inclusive).some((other) => inclusive[other] === keyword && schema[other] === true);
    return isShadowed ? {} : { [keyword]: value };
  }
  if (keyword === 'example') return { examples: [value, ...arrayAt(schema, 'examples')] };
  if (keyword === 'examples' && 'example' in schema) return {};
  return asTheyAre.has(keyword) ? { [keyword]: value } : {};
}

/** @param must the sentence that is broken */
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
