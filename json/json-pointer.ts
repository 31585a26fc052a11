/** A bundled OpenAPI document: every `$ref` in it points into itself. */
export type ContractDocument = Readonly<Record<string, unknown>>;

export type JsonObject = Readonly<Record<string, unknown>>;

/** Chains of references in real contracts are one or two long; a longer one is a cycle. */
const longestChain = 32;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `['paths', '/devices']` → `#/paths/~1devices`: RFC 6901 in its fragment form, without percent-encoding. */
export function formatPointer(segments: readonly (string | number)[]): string {
  return `#${segments.map((segment) => `/${escapeSegment(String(segment))}`).join('')}`;
}

/** `('#/paths', 'a/b')` → `#/paths/a~1b`. */
export function extendPointer(pointer: string, ...segments: readonly (string | number)[]): string {
  const path = pointer.replace(/^#?\/?/, '');
  return `#${path === '' ? '' : `/${path}`}${formatPointer(segments).slice(1)}`;
}

/**
 * `#/paths/~1devices` → `['paths', '/devices']`; accepts the pointer with or without its `#`.
 *
 * @returns an empty list for `#/` too: Redocly writes it for the whole document, and no contract has a member with an empty name at its root
 */
export function parsePointer(pointer: string): readonly string[] {
  return splitPointer(pointer).map(unescapeSegment);
}

/**
 * Splits the text of a `$ref`, whose fragment may be percent-encoded and is decoded first (RFC 6901, 6). A `%` that encodes
 * nothing stays. Pointers of the operation table contain `{` unencoded, others `%7B`.
 */
export function parseReference(reference: string): readonly string[] {
  return splitPointer(reference).map((segment) => unescapeSegment(decodeFragment(segment)));
}

function splitPointer(pointer: string): readonly string[] {
  const path = pointer.replace(/^#?\/?/, '');
  return path === '' ? [] : path.split('/');
}

/** `a/b` → `a~1b`: one segment of a pointer (RFC 6901, 3). */
export function escapeSegment(segment: string): string {
  // Most segments have neither, and a large document has a million.
  if (!segment.includes('/') && !segment.includes('~')) return segment;
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescapeSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

function decodeFragment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The value at these segments, or undefined if there is none. */
export function valueAt(root: unknown, segments: readonly string[]): unknown {
  let value = root;
  for (const segment of segments) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Record<string, unknown>)[segment];
  }
  return value;
}

/** A cache: all references come from contracts, so their number is bounded. Without it, decoding took half of a request's time. */
const knownReferences = new Map<string, readonly string[]>();

/** The target of a reference of the contract, or undefined if there is none. */
export function readPointer(document: ContractDocument, reference: string): unknown {
  const known = knownReferences.get(reference);
  const segments = known ?? parseReference(reference);
  if (known === undefined) knownReferences.set(reference, segments);
  return valueAt(document, segments);
}

/**
 * Follows `$ref` until a node has none. Members next to the `$ref` override those of its target,
 * as OpenAPI 3.1 allows for `summary` and `description`.
 *
 * @returns an empty object for any other value than an object
 */
export function followRef(document: ContractDocument, node: unknown): JsonObject {
  let current = node;
  for (let hops = 0; hops < longestChain && isObject(current); hops += 1) {
    if (typeof current.$ref !== 'string') return current;
    const { $ref, ...siblings } = current;
    const target = readPointer(document, $ref);
    current = Object.keys(siblings).length === 0 || !isObject(target) ? target : { ...target, ...siblings };
  }
  return {};
}

/** An object member with its references resolved. An empty object if it is missing. */
export function followMember(document: ContractDocument, node: JsonObject, member: string): JsonObject {
  return Object.hasOwn(node, member) ? followRef(document, node[member]) : {};
}
