/** A bundled OpenAPI document: every `$ref` in it points into itself. */
export type ContractDocument = Readonly<Record<string, unknown>>;

export type JsonObject = Readonly<Record<string, unknown>>;

/** Chains of references in real contracts are one or two long; a longer one is a circle. */
const longestChain = 32;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads the place a JSON pointer names, in its URI fragment form (RFC 6901, section 6).
 *
 * @returns `undefined` where the pointer leads nowhere
 */
export function readPointer(document: ContractDocument, pointer: string): unknown {
  let node: unknown = document;
  for (const key of readSteps(pointer)) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return node;
}

/**
 * Follows `$ref` until a node is reached that has none. Members beside the `$ref` stay on top of what it names,
 * as OpenAPI 3.1 allows for `summary` and `description`.
 *
 * @returns an empty object for anything that is no object
 */
export function followRef(document: ContractDocument, node: unknown): JsonObject {
  let current = node;
  for (let hops = 0; hops < longestChain && isObject(current); hops += 1) {
    if (typeof current.$ref !== 'string') return current;
    const { $ref, ...beside } = current;
    const target = readPointer(document, $ref);
    current = Object.keys(beside).length === 0 || !isObject(target) ? target : { ...target, ...beside };
  }
  return {};
}

/** An object member, references followed; an empty object where it is missing. */
export function followMember(document: ContractDocument, node: JsonObject, member: string): JsonObject {
  return Object.hasOwn(node, member) ? followRef(document, node[member]) : {};
}

/** All pointers come from contracts, so that their number is bounded; decoding them anew took half of a request's time. */
const knownSteps = new Map<string, readonly string[]>();

function readSteps(pointer: string): readonly string[] {
  const known = knownSteps.get(pointer);
  if (known !== undefined) return known;
  const steps = pointer.replace(/^#/, '').split('/').slice(1).map(decodeStep);
  knownSteps.set(pointer, steps);
  return steps;
}

function decodeStep(step: string): string {
  return decodeFragment(step).replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Pointers of the operation table carry `{` as it is, those of others as `%7B`; a bare `%` stays itself. */
function decodeFragment(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
