import { type ContractDocument, followRef, isObject, type JsonObject } from './json-pointer.ts';

/** The kind of a keyword's value, and the target of its schemas: the value itself, or a part such as a member, an item or a name. */
export interface Keyword {
  /** One schema, a list of schemas, a map with arbitrary names, or data, whose members are never keywords. */
  readonly holds: 'schema' | 'schemas' | 'map' | 'data';
  /** Undefined for data, and for schemas that apply only where a `$ref` refers to them. */
  readonly judges?: 'value' | 'part';
}

interface Row extends Keyword {
  readonly names: readonly string[];
}

/** JSON Schema 2020-12. Keywords that are not listed hold neither a schema nor any JSON value: `type`, `required`, `maximum`. */
const ofSchemas: readonly Row[] = [
  // Core, 10.2
  { names: ['allOf', 'anyOf', 'oneOf'], holds: 'schemas', judges: 'value' },
  { names: ['if', 'then', 'else', 'not'], holds: 'schema', judges: 'value' },
  { names: ['dependentSchemas'], holds: 'map', judges: 'value' },
  // Core, 10.3 and 11
  { names: ['prefixItems'], holds: 'schemas', judges: 'part' },
  { names: ['items', 'contains', 'unevaluatedItems'], holds: 'schema', judges: 'part' },
  { names: ['properties', 'patternProperties'], holds: 'map', judges: 'part' },
  { names: ['additionalProperties', 'unevaluatedProperties', 'propertyNames'], holds: 'schema', judges: 'part' },
  // Validation, 8.5: for the decoded text
  { names: ['contentSchema'], holds: 'schema' },
  // Core, 8.2.4; the second is its name in earlier drafts
  { names: ['$defs', 'definitions'], holds: 'map' },
  // Validation, 6.1 and 9
  { names: ['const', 'enum', 'default', 'examples'], holds: 'data' },
];

/** OpenAPI 3.1: keywords around schemas, and `example`, which is also valid in a schema. */
const ofOpenApi: readonly Row[] = [
  { names: ['schema'], holds: 'schema' },
  // Names of components, and of paths, statuses, media types, variables. `parameters` is a map in components and links, else a list.
  { names: ['callbacks', 'headers', 'links', 'parameters', 'pathItems'], holds: 'map' },
  { names: ['requestBodies', 'responses', 'schemas', 'securitySchemes'], holds: 'map' },
  { names: ['content', 'encoding', 'mapping', 'paths', 'scopes', 'variables', 'webhooks'], holds: 'map' },
  { names: ['example', 'value'], holds: 'data' },
];

/** Keywords by name. A Map, since a contract may have a member called `constructor`. */
export const schemaKeywords = byName(ofSchemas);
const keywords = byName([...ofSchemas, ...ofOpenApi]);

function byName(rows: readonly Row[]): ReadonlyMap<string, Keyword> {
  return new Map(rows.flatMap(({ names, ...keyword }) => names.map((name) => [name, keyword])));
}

/** @returns undefined for other names, such as `type` or `x-rule` */
export function keywordOf(name: string): Keyword | undefined {
  return keywords.get(name);
}

/** How to read the members of an object of a document: as keywords, or as names, one of which may be `default`. */
export type Reading = 'keywords' | 'names';

/**
 * How to read the value of a member, by the reading of the object around it. Objects in a list are read as keywords.
 *
 * @returns `data` for values that contain no schema
 */
export function readingOf(around: Reading, name: string): Reading | 'data' {
  if (around === 'names') return 'keywords';
  const holds = keywords.get(name)?.holds;
  return holds === 'data' ? 'data' : holds === 'map' ? 'names' : 'keywords';
}

/** The schemas directly inside this one that apply to the value, or to its parts. References are not resolved. */
export function schemasIn(schema: JsonObject, judged: 'value' | 'part'): readonly unknown[] {
  const found: unknown[] = [];
  for (const [name, holds] of holding[judged]) {
    const value = schema[name];
    if (value === undefined) continue;
    if (holds === 'schema') found.push(value);
    else if (holds === 'schemas') found.push(...(Array.isArray(value) ? value : []));
    else if (isObject(value)) found.push(...Object.values(value));
  }
  return found;
}

const holdersOf = (judged: Keyword['judges']): readonly (readonly [string, Keyword['holds']])[] =>
  [...schemaKeywords].flatMap(([name, { holds, judges }]) => (judges === judged ? [[name, holds] as const] : []));

const holding = { value: holdersOf('value'), part: holdersOf('part') };

/** Depth to which compositions are searched, so that recursive schemas terminate. */
const deepestComposition = 8;

/** Keywords with a list of schemas of which a valid value matches one or all. */
const composing = [...schemaKeywords].flatMap(([name, { holds, judges }]) =>
  holds === 'schemas' && judges === 'value' ? [name] : [],
);

/** The schema and its parts by `allOf`, `anyOf` and `oneOf`, outermost first, each once, with references resolved. */
export function listParts(document: ContractDocument, schema: unknown): readonly JsonObject[] {
  const parts: JsonObject[] = [];
  addParts(document, schema, 0, parts, new Set());
  return parts;
}

function addParts(
  document: ContractDocument,
  schema: unknown,
  depth: number,
  parts: JsonObject[],
  seen: Set<unknown>,
): void {
  const part = followRef(document, schema);
  // Without it, forty branches that refer back to their own schema would give eight million parts.
  if (seen.has(schema) || seen.has(part)) return;
  seen.add(schema).add(part);
  parts.push(part);
  if (depth === deepestComposition) return;
  for (const keyword of composing) {
    const branches = part[keyword];
    if (Array.isArray(branches)) for (const branch of branches) addParts(document, branch, depth + 1, parts, seen);
  }
}
