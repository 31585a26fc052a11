// Links between the schemas of a document: references, discriminators, compositions.
import {
  arrayAt,
  isObject,
  type JsonObject,
  joinPointer,
  memberOf,
  normalisePointer,
  objectAt,
  type Pointer,
  placeAt,
  splitPointer,
  textAt,
} from '../contract/document.ts';

/** Base address of a document that declares none. */
const nowhere = 'https://contract.invalid/';

/** Resolves a `$ref` to a pointer; undefined if its target is missing or in another document. */
type Resolve = (reference: string, from: Pointer) => Pointer | undefined;

/**
 * Resolves references by JSON Schema 2020-12, 8.2: against the `$id` of the nearest enclosing schema, to a pointer, an `$anchor` or
 * a `$dynamicAnchor`. If a document has none of these keywords, its references are pointers, and it is not searched.
 *
 * Many documents give their schemas an `$id`, but refer to them by pointers from the document's root: these are tried last.
 */
export function createResolve(root: JsonObject): Resolve {
  let index: Index | undefined;
  const plain = (reference: string): Pointer | undefined => {
    const place = reference.startsWith('#') ? placeAt(root, reference) : undefined;
    return place?.value === undefined ? undefined : place.pointer;
  };
  return (reference, from) => {
    index ??= indexOf(root);
    if (index.resources.length <= 1 && index.anchors.size === 0) return plain(reference);
    const base = index.resources.findLast(({ pointer }) => from === pointer || from.startsWith(`${pointer}/`));
    const address = parse(reference, base?.address ?? nowhere);
    if (address === undefined) return plain(reference);
    const fragment = address.hash.slice(1);
    address.hash = '';
    const resource = index.resources.find((candidate) => candidate.address === address.href);
    const anchored = index.anchors.get(`${address.href}#${fragment}`);
    if (anchored !== undefined) return anchored;
    if (resource === undefined || (fragment !== '' && !fragment.startsWith('/'))) return plain(reference);
    const found = placeAt(root, joinPointer(resource.pointer, ...splitPointer(`#${fragment}`)));
    return found.value === undefined ? plain(reference) : found.pointer;
  };
}

/**
 * Whether the target of a `$dynamicRef` depends on the path of evaluation (8.2.3.2). If no other schema of the document has the same
 * `$dynamicAnchor`, the `$dynamicRef` is an ordinary reference.
 */
export function isDynamic(root: JsonObject, reference: string, target: Pointer): boolean {
  const name = memberOf(placeAt(root, target).value, '$dynamicAnchor');
  if (name === undefined || !reference.endsWith(`#${name}`)) return false;
  return indexOf(root).dynamicAnchors.filter((other) => other === name).length > 1;
}

interface Index {
  /** Outer before inner. */
  readonly resources: readonly { readonly address: string; readonly pointer: Pointer }[];
  readonly anchors: ReadonlyMap<string, Pointer>;
  readonly dynamicAnchors: readonly string[];
}

const indexes = new WeakMap<JsonObject, Index>();

/** Keywords whose values are data without schemas. */
const data = new Set(['enum', 'const', 'example', 'examples', 'default']);

function indexOf(root: JsonObject): Index {
  const known = indexes.get(root);
  if (known !== undefined) return known;
  const index = namesSchemas(root) ? readIndex(root) : { resources: [], anchors: new Map(), dynamicAnchors: [] };
  indexes.set(root, index);
  return index;
}

/** Whether the document has an `$id`, `$anchor` or `$dynamicAnchor`: most documents have none, and need no index. */
function namesSchemas(root: JsonObject): boolean {
  const waiting: unknown[] = [root];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (Array.isArray(part)) waiting.push(...part.filter((item) => typeof item === 'object' && item !== null));
    else if (isObject(part)) {
      for (const name in part) {
        if (name === '$id' || name === '$anchor' || name === '$dynamicAnchor') return true;
        const value = part[name];
        if (typeof value === 'object' && value !== null) waiting.push(value);
      }
    }
  }
  return false;
}

function readIndex(root: JsonObject): Index {
  const resources: { address: string; pointer: Pointer }[] = [{ address: nowhere, pointer: '#' }];
  const anchors = new Map<string, Pointer>();
  const dynamicAnchors: string[] = [];
  const waiting: {
    readonly value: unknown;
    readonly pointer: Pointer;
    readonly base: string;
    readonly isMap: boolean;
  }[] = [{ value: root, pointer: '#', base: nowhere, isMap: false }];
  for (const { value, pointer, base, isMap } of waiting) {
    if (typeof value !== 'object' || value === null) continue;
    let own = base;
    if (isObject(value) && !isMap) {
      const id = memberOf(value, '$id');
      const address = typeof id === 'string' ? parse(id, base) : undefined;
      if (address !== undefined) {
        address.hash = '';
        own = address.href;
        resources.push({ address: own, pointer });
      }
      for (const keyword of ['$anchor', '$dynamicAnchor']) {
        const name = memberOf(value, keyword);
        if (typeof name !== 'string') continue;
        anchors.set(`${own}#${name}`, pointer);
        if (keyword === '$dynamicAnchor') dynamicAnchors.push(name);
      }
    }
    for (const [name, part] of Object.entries(value)) {
      if (typeof part !== 'object' || part === null || (!isMap && data.has(name))) continue;
      // Members of these objects are names, not keywords.
      const isNext = !isMap && (name === 'properties' || name === '$defs' || name === 'patternProperties');
      waiting.push({ value: part, pointer: joinPointer(pointer, name), base: own, isMap: isNext });
    }
  }
  return { resources, anchors, dynamicAnchors };
}

function parse(reference: string, base: string): URL | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base) : undefined;
}

/** Reads discriminators (OpenAPI 3.1, 4.8.25): the schema that a name selects, and the schemas that extend another one. */
export function createDiscriminators(root: JsonObject) {
  const components = Object.entries(objectAt(objectAt(root, 'components'), 'schemas'));
  const pointerOf = (name: string): Pointer => joinPointer('#/components/schemas', name);
  const isAllOf = (schema: unknown, base: Pointer): boolean =>
    arrayAt(schema, 'allOf').some((part) => sameReference(memberOf(part, '$ref'), base));
  const discriminatorOf = (schema: JsonObject): string | undefined => textAt(schema.discriminator, 'propertyName');
  /** A mapping's value is a reference, or the name of a schema. */
  const mappingOf = (schema: JsonObject): [string, Pointer][] =>
    Object.entries(objectAt(schema.discriminator, 'mapping')).map(([name, to]) => {
      const text = String(to);
      return [name, text.includes('#') || text.includes('/') ? text : pointerOf(text)];
    });
  /** Values that the property's own schema allows; empty if it does not restrict them. */
  const fixedNames = (source: Pointer, property: string): readonly unknown[] => {
    const seen = new Set<unknown>([placeAt(root, source).value]);
    for (const schema of seen) {
      const own = objectAt(schema, 'properties')[property];
      if (isObject(own) && ('const' in own || Array.isArray(own.enum)))
        return 'const' in own ? [own.const] : arrayAt(own, 'enum');
      const parts = [schema, ...arrayAt(schema, 'allOf')].map((part) => memberOf(part, '$ref'));
      for (const part of arrayAt(schema, 'allOf')) seen.add(part);
      for (const part of parts)
        if (typeof part === 'string' && part.startsWith('#')) seen.add(placeAt(root, part).value);
    }
    return [];
  };
  return {
    discriminatorOf,
    /** The names that select a branch: its names in the mapping, otherwise the name of its schema. */
    branch: (schema: JsonObject, property: string, source: Pointer): { listed: boolean; meant: unknown[] } => {
      const mapped = mappingOf(schema).filter(([, to]) => sameReference(to, source));
      const own = mapped.length > 0 ? mapped.map(([name]) => name) : [splitPointer(source).at(-1) ?? ''];
      const fixed = fixedNames(source, property);
      const allowed = own.filter((name) => fixed.length === 0 || fixed.includes(name));
      return allowed.length > 0
        ? { listed: mapped.length > 0, meant: allowed }
        : { listed: false, meant: fixed.slice(0, 1) };
    },
    /** The schemas that extend a schema by `allOf`: its mapping lists them, or they are found in the components. */
    subtypesOf: (schema: JsonObject, pointer: Pointer): Pointer[] => {
      const mapped = mappingOf(schema).map(([, to]) => to);
      if (mapped.length > 0) return mapped.filter((to) => to.startsWith('#') && !sameReference(to, pointer));
      return components.filter(([, other]) => isAllOf(other, pointer)).map(([name]) => pointerOf(name));
    },
    /** The schemas with a discriminator that a schema extends by `allOf`. */
    basesOf: (schema: JsonObject): { base: JsonObject; property: string }[] =>
      arrayAt(schema, 'allOf').flatMap((part) => {
        const reference = memberOf(part, '$ref');
        const base =
          typeof reference === 'string' && reference.startsWith('#') ? placeAt(root, reference).value : undefined;
        const property = isObject(base) ? discriminatorOf(base) : undefined;
        return isObject(base) && property !== undefined ? [{ base, property }] : [];
      }),
  };
}

function sameReference(one: unknown, other: Pointer): boolean {
  return typeof one === 'string' && one.startsWith('#') && normalisePointer(one) === normalisePointer(other);
}

/** Keywords with a list of subschemas that apply to the same value as the enclosing schema. */
export const compositions = ['allOf', 'anyOf', 'oneOf'];

/**
 * Reads names of properties from a schema and its compositions: `required` names, and `relaxed` names. A relaxed name has the flag, so a
 * value of this direction may omit it.
 */
export function createNameReader(root: JsonObject, flag: 'readOnly' | 'writeOnly') {
  const gather = (
    keywords: readonly string[],
    own: (schema: JsonObject) => readonly string[],
  ): ((value: unknown) => readonly string[]) => {
    const known = new WeakMap<object, readonly string[]>();
    return (value) => {
      if (!isObject(value)) return [];
      // Most schemas have no compositions.
      if (!('$ref' in value) && !keywords.some((keyword) => keyword in value)) return own(value);
      const found = known.get(value);
      if (found !== undefined) return found;
      const seen = new Set<JsonObject>([value]);
      const result = new Set<string>();
      for (const schema of seen) {
        for (const name of own(schema)) result.add(name);
        const parts = [
          ...keywords.flatMap((keyword) => schema[keyword] ?? []),
          ...(typeof schema.$ref === 'string' && schema.$ref.startsWith('#') ? [placeAt(root, schema.$ref).value] : []),
        ];
        for (const part of parts) if (isObject(part)) seen.add(part);
      }
      const names = [...result];
      known.set(value, names);
      return names;
    };
  };
  const isFlagged = (start: unknown): boolean => {
    const seen = new Set<unknown>();
    for (let part = start; isObject(part) && !seen.has(part); ) {
      if (part[flag] === true) return true;
      seen.add(part);
      part = typeof part.$ref === 'string' && part.$ref.startsWith('#') ? placeAt(root, part.$ref).value : undefined;
    }
    return false;
  };
  return {
    relaxed: gather(['allOf'], (schema) =>
      Object.entries(objectAt(schema, 'properties'))
        .filter(([, property]) => isFlagged(property))
        .map(([name]) => name),
    ),
    required: gather(compositions, (schema) => arrayAt(schema, 'required').filter((name) => typeof name === 'string')),
  };
}
