import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { isMultipleOf } from './multiples.ts';
import { readPattern } from './pattern.ts';
import { isSame } from './same-value.ts';

/** A schema of JSON Schema 2020-12, or the negation of one. */
export type Schema = JsonObject | boolean;

/** Access to the JSON Schema 2020-12 schemas of a document, as they apply in one direction. */
export interface SchemaSource {
  /** The annotation of properties that are not sent in this direction. */
  readonly leavesOut: 'readOnly' | 'writeOnly';
  /** The schema that a `$ref` names. */
  readonly resolve: (reference: string) => Schema | undefined;
  /** Whether all schemas that are only the same `$ref` have one node: then it is merged once, and its schema may be of another place. */
  readonly sharesReferences?: true;
  /** Returns the schema with implied constraints added, such as those of a discriminator. */
  readonly reword?: (schema: JsonObject) => JsonObject;
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'boolean' || isObject(value);
}

export function schemasIn(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

export type JsonType = 'null' | 'boolean' | 'object' | 'array' | 'number' | 'string';

/** Schemas that all apply to one value. */
export interface SchemaNode {
  readonly schemas: readonly Schema[];
}

/** The schema of all properties that no other keyword describes. */
interface Rest {
  readonly names: Set<string>;
  readonly patterns: string[];
  readonly schema: Schema;
  /** True if another keyword describes all remaining properties: `additionalProperties` below `unevaluatedProperties`. */
  isSpent: boolean;
}

/** One branch of every choice, merged: each keyword once, at its strictest. An unsatisfiable branch has no shape. */
export interface Shape {
  /** Targets of the references that led to this shape: its own, and those of the chosen branches. */
  readonly references: Schema[];
  readonly types: Set<JsonType>;
  /** Types to which its keywords apply. */
  readonly hints: Set<JsonType>;
  isInteger: boolean;
  isFraction: boolean;
  /** Of `enum` and `const`. */
  values: readonly unknown[] | undefined;
  readonly excluded: unknown[];
  minimum: number;
  maximum: number;
  isMinimumOpen: boolean;
  isMaximumOpen: boolean;
  multipleOf: number | undefined;
  readonly notMultipleOf: number[];
  minLength: number;
  maxLength: number;
  readonly patterns: Set<string>;
  readonly notPatterns: Set<string>;
  format: string | undefined;
  content: Schema | undefined;
  isJsonText: boolean;
  minItems: number;
  maxItems: number;
  isUnique: boolean;
  readonly lists: { readonly prefix: readonly Schema[]; readonly rest: Schema | undefined }[];
  readonly contains: { readonly schema: Schema; readonly min: number; readonly max: number }[];
  readonly restItems: { upTo: number; readonly schema: Schema }[];
  minProperties: number;
  maxProperties: number;
  readonly properties: Map<string, Schema[]>;
  readonly patternProperties: { readonly pattern: string; readonly schema: Schema }[];
  readonly rests: Rest[];
  readonly required: Set<string>;
  readonly names: Schema[];
  readonly dependentRequired: Map<string, readonly string[]>;
  /** Values that the contract proposes: examples, the default, the name of a discriminator. */
  readonly examples: unknown[];
  readonly preferred: unknown[];
  isLeftOut: boolean;
  /** True for `format: binary`, or text with a media type and no schema of its content. */
  isBinary: boolean;
  xml: JsonObject | undefined;
}

const allTypes: readonly JsonType[] = ['string', 'number', 'object', 'array', 'boolean', 'null'];

/** Whether a plain value satisfies a shape. For lists and objects, only the sizes are checked. */
export function admits(shape: Shape, value: unknown): boolean {
  const type = typeOfValue(value);
  if (!shape.types.has(type) || shape.excluded.some((other) => isSame(other, value))) return false;
  if (shape.values !== undefined && !shape.values.some((other) => isSame(other, value))) return false;
  if (typeof value === 'number') return admitsNumber(shape, value);
  if (typeof value === 'string') {
    const length = [...value].length;
    if (length < shape.minLength || length > shape.maxLength) return false;
    return (
      [...shape.patterns].every((pattern) => readPattern(pattern)?.test(value) !== false) &&
      [...shape.notPatterns].every((pattern) => readPattern(pattern)?.test(value) !== true)
    );
  }
  if (Array.isArray(value)) return value.length >= shape.minItems && value.length <= shape.maxItems;
  if (!isObject(value)) return true;
  const count = Object.keys(value).length;
  return (
    count >= shape.minProperties &&
    count <= shape.maxProperties &&
    [...shape.required].every((name) => Object.hasOwn(value, name))
  );
}

function admitsNumber(shape: Shape, value: number): boolean {
  if (shape.isMinimumOpen ? value <= shape.minimum : value < shape.minimum) return false;
  if (shape.isMaximumOpen ? value >= shape.maximum : value > shape.maximum) return false;
  if (shape.isInteger && !Number.isInteger(value)) return false;
  if (shape.isFraction && Number.isInteger(value)) return false;
  if (shape.multipleOf !== undefined && !isMultipleOf(value, shape.multipleOf)) return false;
  return !shape.notMultipleOf.some((step) => isMultipleOf(value, step));
}

export function typeOfValue(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'boolean' || type === 'number' || type === 'string' ? type : 'object';
}

/** Types of a shape: first those to which its keywords apply, null last. */
export function typesOf(shape: Shape): readonly JsonType[] {
  const rank = (type: JsonType): number => (type === 'null' ? 2 : shape.hints.has(type) ? 0 : 1);
  return [...shape.types].sort((a, b) => rank(a) - rank(b));
}

/** Types that the schema names. If it names none, the types to which its keywords apply. */
export function saidTypes({ types, hints }: Shape): ReadonlySet<JsonType> {
  return types.size === allTypes.length ? hints : types;
}

export function schemasOfProperty(shape: Shape, name: string): Schema[] {
  const own = shape.properties.get(name) ?? [];
  const matching = shape.patternProperties.filter(({ pattern }) => matches(pattern, name)).map(({ schema }) => schema);
  const rests = shape.rests.filter(
    ({ names, patterns, isSpent }) =>
      !isSpent && !names.has(name) && !patterns.some((pattern) => matches(pattern, name)),
  );
  return [...own, ...matching, ...rests.map(({ schema }) => schema)];
}

export function schemasOfItem(shape: Shape, index: number): Schema[] {
  const own = shape.lists.flatMap<Schema>(({ prefix, rest }) => (index < prefix.length ? prefix[index] : rest) ?? []);
  const rests = shape.restItems.filter(({ upTo }) => index >= upTo).map(({ schema }) => schema);
  return [...own, ...rests];
}

function matches(pattern: string, name: string): boolean {
  return readPattern(pattern)?.test(name) === true;
}

export function createShape(): Shape {
  return {
    references: [],
    types: new Set(allTypes),
    hints: new Set(),
    isInteger: false,
    isFraction: false,
    values: undefined,
    excluded: [],
    minimum: -Infinity,
    maximum: Infinity,
    isMinimumOpen: false,
    isMaximumOpen: false,
    multipleOf: undefined,
    notMultipleOf: [],
    minLength: 0,
    maxLength: Infinity,
    patterns: new Set(),
    notPatterns: new Set(),
    format: undefined,
    content: undefined,
    isJsonText: false,
    minItems: 0,
    maxItems: Infinity,
    isUnique: false,
    lists: [],
    contains: [],
    restItems: [],
    minProperties: 0,
    maxProperties: Infinity,
    properties: new Map(),
    patternProperties: [],
    rests: [],
    required: new Set(),
    names: [],
    dependentRequired: new Map(),
    examples: [],
    preferred: [],
    isLeftOut: false,
    isBinary: false,
    xml: undefined,
  };
}

export function cloneShape(shape: Shape): Shape {
  return {
    ...shape,
    references: [...shape.references],
    types: new Set(shape.types),
    hints: new Set(shape.hints),
    excluded: [...shape.excluded],
    notMultipleOf: [...shape.notMultipleOf],
    patterns: new Set(shape.patterns),
    notPatterns: new Set(shape.notPatterns),
    lists: [...shape.lists],
    contains: [...shape.contains],
    restItems: shape.restItems.map((rest) => ({ ...rest })),
    properties: new Map([...shape.properties].map(([name, schemas]): [string, Schema[]] => [name, [...schemas]])),
    patternProperties: [...shape.patternProperties],
    rests: shape.rests.map((rest) => ({ ...rest, names: new Set(rest.names), patterns: [...rest.patterns] })),
    required: new Set(shape.required),
    names: [...shape.names],
    dependentRequired: new Map(shape.dependentRequired),
    examples: [...shape.examples],
    preferred: [...shape.preferred],
  };
}

/** A name that the shape does not declare. */
export function freeNameOf(shape: Shape, base = 'other'): string {
  let name = base;
  for (let index = 2; shape.properties.has(name); index += 1) name = `${base}${index}`;
  return name;
}
