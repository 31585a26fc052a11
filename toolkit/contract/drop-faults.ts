import { extendPointer, formatPointer, isObject, parsePointer, valueAt } from '@lockstep/json/json-pointer';
import { readingOf } from '@lockstep/json/schema-keywords';
import type { Problem } from '../problem.ts';
import { nearestName } from './nearest-name.ts';
import { methods, type SecurityRequirement } from './openapi-document.ts';
import { ReferenceChains } from './reference-chains.ts';
import { listSchemas, walkDocument } from './walk-document.ts';

/** A fault of a document, with its place in the document as it is now. */
export interface Fault extends Pick<Problem, 'rule' | 'message'> {
  readonly pointer: string;
}

/** A security scheme that no document declares: nobody has credentials for it, so a requirement of it closes an operation. */
export const unreadableSecurity = 'unreadable-security';

/** A requirement that nobody satisfies. */
export function closedSecurity(): { readonly security: readonly SecurityRequirement[] } {
  return { security: [{ [unreadableSecurity]: [] }] };
}

type Path = readonly string[];
type Member = Record<string, unknown>;

/** The cost of a fault, for its warning. */
type Cost = string;

const leftOut = 'it is left out';
const anyValue = 'any value is valid there';
export const closed = 'nobody is let in by it';

/** Values of required members whose absence costs nothing else. A place without another required member is left out. */
const substitutes: Readonly<Record<string, unknown>> = {
  ...{ title: '', version: '', description: '', summary: '', default: '' },
  ...{ authorizationUrl: '', tokenUrl: '', openIdConnectUrl: '', deviceAuthorizationUrl: '' },
  ...{ info: { title: '', version: '' }, paths: {}, scopes: {}, flows: {} },
  responses: { default: { description: '' } },
};

/** Unsupported constructs that cost only their place. The others leave nothing to work on, or are refused for safety. */
const droppedRules: ReadonlySet<string> = new Set(
  [
    ...['network-reference', 'anchor-reference', 'reference-loop', 'member-name', 'server-url', 'empty-enum'],
    ...['no-schema', 'reference-text', 'operation-id', 'operation-without-responses', 'dynamic-reference'],
    'reference-chain',
  ].map((name) => `unsupported/${name}`),
);

export function isDropped(rule: string): boolean {
  return droppedRules.has(rule);
}

/** The warning for a removed fault: the contract works without it. */
export function warnOf(problem: Problem, cost: Cost): Problem {
  const message = problem.message.replace(/[.\s]+$/, '');
  return { ...problem, severity: 'warning', message: `${message}; ${cost}` };
}

/** Tries for one document. Each leaves less of it, and real documents need two or three. */
export const mostRounds = 25;

/**
 * Removes faults from one parsed document, so that the rest can be used. A fault costs the smallest place around it:
 *
 * - a schema keyword, a response, a parameter, an example is left out;
 * - a schema that can't be read allows any value;
 * - a required member gets an empty value if nobody depends on it;
 * - a security requirement that can't be read becomes one that nobody satisfies. It never opens an operation.
 *
 * If the same place has a fault again, the place around it is removed, at most a path or a component.
 */
export class FaultDropper {
  readonly #root: unknown;
  /** Indexes that were removed from a list, by the first pointer of the list, in ascending order. */
  readonly #removed = new Map<string, number[]>();
  readonly #seen = new Map<string, number>();
  #chains: ReferenceChains;
  readonly #toText: (pointer: string) => string;

  /**
   * @param root parsed, without cycles; it is changed
   * @param toText the pointer of a place in the text, if the document was converted
   */
  constructor(root: unknown, toText = (pointer: string): string => pointer) {
    this.#root = root;
    this.#chains = new ReferenceChains(root);
    this.#toText = toText;
  }

  /** The pointer of a place in the text. */
  originOf(pointer: string): string {
    return this.#toText(this.#before(pointer));
  }

  /** The pointer of a place before the first removal. */
  #before(pointer: string): string {
    if (this.#removed.size === 0) return pointer;
    let origin = '#';
    for (const segment of parsePointer(pointer)) {
      let index = segment;
      for (const removed of this.#removed.get(origin) ?? [])
        if (Number(index) >= removed) index = String(Number(index) + 1);
      origin = extendPointer(origin, index);
    }
    return origin;
  }

  /** @returns the cost of each fault; undefined for a fault that leaves nothing of the document */
  drop(faults: readonly Fault[]): readonly (Cost | undefined)[] {
    this.#chains = new ReferenceChains(this.#root);
    const schemas = new Set<unknown>(listSchemas(this.#root).map(({ node }) => node));
    // A list that YAML aliases share is one list: an index is removed once. Removal waits, since it moves the pointers of other faults.
    const items = new Map<unknown[], { readonly pointer: string; readonly indexes: Set<number> }>();
    const costs = faults.map((fault) => this.#dropOne(fault, schemas, items));
    for (const [list, { pointer, indexes }] of items) {
      const origin = this.#before(pointer);
      const before = this.#removed.get(origin) ?? [];
      const own = [...indexes].map((index) =>
        before.reduce((place, removed) => (place >= removed ? place + 1 : place), index),
      );
      this.#removed.set(
        origin,
        [...before, ...own].sort((a, b) => a - b),
      );
      for (const index of [...indexes].sort((a, b) => b - a)) list.splice(index, 1);
    }
    return costs;
  }

  #dropOne(
    { pointer, rule, message }: Fault,
    schemas: ReadonlySet<unknown>,
    items: Map<unknown[], { readonly pointer: string; readonly indexes: Set<number> }>,
  ): Cost | undefined {
    const path = parsePointer(pointer);
    if (isOfPathItem(path, message)) {
      const item = valueAt(this.#root, path.slice(0, 2));
      if (!isObject(item)) return undefined;
      delete (item as Member)[path[2] ?? ''];
      for (const method of methods) {
        const operation = item[method];
        if (isObject(operation) && !operation.security) Object.assign(operation, closedSecurity());
      }
      return closed;
    }
    const security = securityAround(path, message);
    if (security !== undefined) {
      const owner = valueAt(this.#root, security.slice(0, -1));
      if (!isObject(owner)) return undefined;
      Object.assign(owner, closedSecurity());
      if (path.at(-1) !== 'security' && path.length === security.length) delete (owner as Member)[path.at(-1) ?? ''];
      return closed;
    }
    const key = `${this.#before(pointer)} ${rule} ${message}`;
    const tries = this.#seen.get(key) ?? 0;
    this.#seen.set(key, tries + 1);
    if (tries === 0) {
      const cost = this.#substitute(path, rule, message, schemas);
      if (cost !== undefined) return cost;
    }
    // A server is nothing without its address.
    const place = rule === 'unsupported/server-url' ? path.slice(0, -1) : path;
    return this.#remove(place.slice(0, place.length - Math.max(0, tries - 1)), items);
  }

  /** Replaces a value where a removal would cost more. */
  #substitute(path: Path, rule: string, message: string, schemas: ReadonlySet<unknown>): Cost | undefined {
    const node = valueAt(this.#root, path);
    const around = valueAt(this.#root, path.slice(0, -1));
    const name = path.at(-1) ?? '';
    if (rule === 'unsupported/reference-chain' && isObject(around)) {
      const { end } = this.#chains.follow(String(node));
      (around as Member)[name] = end;
      return `it is read as ${JSON.stringify(end)}`;
    }
    const required = /^The field `(.+)` must be present/.exec(message)?.[1];
    if (required !== undefined && isObject(node) && Object.hasOwn(substitutes, required)) {
      (node as Member)[required] = structuredClone(substitutes[required]);
      return 'it is read as empty';
    }
    const choice = /^Must contain at least one of the following fields: (.+)\.$/.exec(message)?.[1]?.split(', ');
    if (choice !== undefined && isObject(node)) {
      const member = ['schema', 'paths'].find((one) => choice.includes(one));
      if (member !== undefined) {
        (node as Member)[member] = {};
        return member === 'schema' ? anyValue : 'it is read as empty';
      }
    }
    const wanted = /^Expected type `(.+)` but got `(.+)`/.exec(message);
    if (isObject(around) && wanted !== null) {
      const text = readAs(node, wanted[1] ?? '');
      if (text !== undefined) {
        (around as Member)[name] = text;
        return `it is read as ${JSON.stringify(text)}`;
      }
    }
    if (rule === 'no-unresolved-refs' && schemas.has(node)) {
      delete (node as Member).$ref;
      return anyValue;
    }
    if (rule === 'no-unresolved-refs' && path.at(-2) === 'responses' && isObject(around)) {
      (around as Member)[name] = { description: '' };
      return 'its answer has no described content';
    }
    if (isObject(around) && !isObject(node) && isMapOfSchemas(path)) {
      (around as Member)[name] = {};
      return anyValue;
    }
    if (rule === 'unsupported/operation-without-responses' && isObject(node)) {
      (node as Member).responses = structuredClone(substitutes.responses);
      return 'any answer is valid';
    }
    return undefined;
  }

  #remove(
    path: Path,
    items: Map<unknown[], { readonly pointer: string; readonly indexes: Set<number> }>,
  ): Cost | undefined {
    const name = path.at(-1);
    const around = valueAt(this.#root, path.slice(0, -1));
    // `info`, `openapi` and the document itself.
    if (name === undefined || (path.length === 1 && name === 'openapi')) return undefined;
    if (Array.isArray(around)) {
      const known = items.get(around) ?? { pointer: formatPointer(path.slice(0, -1)), indexes: new Set<number>() };
      known.indexes.add(Number(name));
      items.set(around, known);
    } else if (isObject(around)) delete (around as Member)[name];
    return path.length === 3 && path[1] === 'securitySchemes' ? closed : leftOut;
  }
}

/** Whether a fault is a `security` of a path item, also a misspelt one: a path item has none, but the author meant its operations. */
function isOfPathItem([first, , name = '', ...rest]: Path, message: string): boolean {
  const isMisspelt = / is not expected here\.$/.test(message) && nearestName(name, ['security']) !== undefined;
  return first === 'paths' && (name === 'security' || (rest.length === 0 && isMisspelt));
}

/**
 * The path of the `security` that a fault is in, of the root or an operation. A misspelt one counts too: without it, the operation would be open.
 */
function securityAround(path: Path, message: string): Path | undefined {
  const index = path.findIndex(
    (name, at) => name === 'security' && (at === 0 || (methods as readonly string[]).includes(path[at - 1] ?? '')),
  );
  if (index >= 0) return path.slice(0, index + 1);
  const name = path.at(-1) ?? '';
  const isOwners = path.length === 1 || (methods as readonly string[]).includes(path.at(-2) ?? '');
  const isMisspelt =
    / is not expected here\.$/.test(message) && isOwners && nearestName(name, ['security']) !== undefined;
  return isMisspelt ? [...path.slice(0, -1), 'security'] : undefined;
}

/** Pointers of every null that is not data, outermost first. */
export function findStructuralNulls(root: unknown): readonly string[] {
  return walkDocument(root).flatMap(({ at, node }) =>
    Object.entries(node).flatMap(([name, value]) =>
      value === null && !name.startsWith('x-') && readingOf('keywords', name) !== 'data'
        ? [formatPointer([...at, name])]
        : [],
    ),
  );
}

function isMapOfSchemas(path: Path): boolean {
  return ['properties', 'patternProperties', 'schemas', '$defs'].includes(path.at(-2) ?? '');
}

/** A scalar in another type: `version: 1.0` is meant as text, `required: 'true'` as a boolean. */
function readAs(value: unknown, type: string): unknown {
  if (type === 'string') return ['number', 'boolean'].includes(typeof value) ? String(value) : undefined;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : undefined;
  const isNumber = (type === 'number' || type === 'integer') && typeof value === 'string' && value.trim() !== '';
  return isNumber && Number.isFinite(Number(value)) ? Number(value) : undefined;
}
