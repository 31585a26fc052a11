import {
  isObject,
  type JsonObject,
  joinPointer,
  memberOf,
  type Pointer,
  placeAt,
  splitPointer,
} from '../contract/document.ts';

/** Address of a document that says none of its own. */
const nowhere = 'https://contract.invalid/';

/** Where a `$ref` leads within the document; undefined where it leads out of it or to nothing. */
export type Resolve = (reference: string, from: Pointer) => Pointer | undefined;

/**
 * Resolves references by JSON Schema 2020-12, 8.2: against the `$id` of the nearest schema around them, to a pointer, an
 * `$anchor` or a `$dynamicAnchor`. A document without any of these is never searched: its references are pointers.
 *
 * Many documents give their schemas an `$id` and refer by pointers of the whole document all the same; that is tried last.
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
 * Whether the way to a schema decides where a `$dynamicRef` to it leads (8.2.3.2). Where no other schema of the document has
 * the same `$dynamicAnchor` it is an ordinary reference.
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

/** What holds data and no schemas. */
const data = new Set(['enum', 'const', 'example', 'examples', 'default']);

function indexOf(root: JsonObject): Index {
  const known = indexes.get(root);
  if (known !== undefined) return known;
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
      // The members of these are names and no keywords.
      const isNext = !isMap && (name === 'properties' || name === '$defs' || name === 'patternProperties');
      waiting.push({ value: part, pointer: joinPointer(pointer, name), base: own, isMap: isNext });
    }
  }
  const index: Index = { resources, anchors, dynamicAnchors };
  indexes.set(root, index);
  return index;
}

function parse(reference: string, base: string): URL | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base) : undefined;
}
