import { childOf, follow, isObject, type JsonObject, type Place, type Pointer } from '../contract/document.ts';

/** A schema with everything that it is composed of, as one list of keywords. */
export interface FlatSchema {
  readonly pointer: Pointer;
  readonly types: readonly string[] | undefined;
  readonly keywords: JsonObject;
  readonly properties: ReadonlyMap<string, Place>;
  readonly required: ReadonlySet<string>;
  readonly items: Place | undefined;
  /** More than one where `allOf` adds another. */
  readonly patterns: readonly string[];
}

interface Draft {
  types: readonly string[] | undefined;
  keywords: Record<string, unknown>;
  properties: Map<string, Place>;
  required: Set<string>;
  items: Place | undefined;
  patterns: string[];
}

/**
 * Merges `$ref`, `allOf` and one branch of each `anyOf` and `oneOf`.
 *
 * @param variant which branch: 0 is the first, and so on around
 */
export function flattenSchema(root: JsonObject, place: Place, variant: number): FlatSchema {
  const draft: Draft = {
    types: undefined,
    keywords: {},
    properties: new Map(),
    required: new Set(),
    items: undefined,
    patterns: [],
  };
  collect(root, place, variant, draft, new Set());
  return { pointer: place.pointer, ...draft };
}

function collect(root: JsonObject, place: Place, variant: number, draft: Draft, met: Set<JsonObject>): void {
  const schema = place.value;
  if (!isObject(schema) || met.has(schema)) return;
  met.add(schema);
  if (typeof schema.$ref === 'string') {
    const target = follow(root, place);
    if (target !== undefined) collect(root, target, variant, draft, met);
  }
  const add = (...tokens: (string | number)[]): void => collect(root, childOf(place, ...tokens), variant, draft, met);
  for (const index of Array.isArray(schema.allOf) ? schema.allOf.keys() : []) add('allOf', index);
  for (const keyword of ['oneOf', 'anyOf']) {
    const branches = schema[keyword];
    if (Array.isArray(branches) && branches.length > 0) add(keyword, variant % branches.length);
  }
  // A condition is taken as met in odd variants; the judge says which of them was right.
  if (schema.if !== undefined) add(variant % 2 === 1 ? 'then' : 'else');
  for (const name of Object.keys(isObject(schema.properties) ? schema.properties : {})) {
    const property = childOf(place, 'properties', name);
    // An empty schema or true only allows the name: another part says what it is.
    const isOpen = property.value === true || (isObject(property.value) && Object.keys(property.value).length === 0);
    if (!isOpen || !draft.properties.has(name)) draft.properties.set(name, property);
  }
  for (const name of Array.isArray(schema.required) ? schema.required : []) draft.required.add(String(name));
  if (isObject(schema.items)) draft.items = childOf(place, 'items');
  if (typeof schema.pattern === 'string') draft.patterns.push(schema.pattern);
  mergeKeywords(draft, schema);
}

function mergeKeywords(draft: Draft, schema: JsonObject): void {
  const types = schema.type === undefined ? undefined : [schema.type].flat().map(String);
  if (types !== undefined) {
    draft.types = draft.types === undefined ? types : types.filter((type) => draft.types?.includes(type));
  }
  for (const [keyword, value] of Object.entries(schema)) {
    const before = draft.keywords[keyword];
    const isBound = typeof value === 'number' && typeof before === 'number';
    if (keyword === 'enum' && Array.isArray(before) && Array.isArray(value)) {
      draft.keywords.enum = value.filter((member) => before.includes(member));
    } else if (isBound && /^(min|exclusiveMin)/.test(keyword)) draft.keywords[keyword] = Math.max(before, value);
    else if (isBound && /^(max|exclusiveMax)/.test(keyword)) draft.keywords[keyword] = Math.min(before, value);
    else draft.keywords[keyword] = value;
  }
}
