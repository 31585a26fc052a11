export { canonical, isSame } from '@lockstep/values/same-value';

export interface JsonObject {
  readonly [member: string]: unknown;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member if it is an object, otherwise an empty object: for optional maps such as `properties` or `headers`. */
export function objectAt(value: unknown, member: string): JsonObject {
  const found = memberOf(value, member);
  return isObject(found) ? found : {};
}

export function arrayAt(value: unknown, member: string): readonly unknown[] {
  const found = memberOf(value, member);
  return Array.isArray(found) ? found : [];
}

export function textAt(value: unknown, member: string): string | undefined {
  const found = memberOf(value, member);
  return typeof found === 'string' ? found : undefined;
}

/** Reads own members only: a body may have a member called `constructor`. */
export function memberOf(value: unknown, member: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, member)
    ? (value as Record<string, unknown>)[member]
    : undefined;
}

/** The value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A JSON pointer (RFC 6901) as a fragment, `#/paths/~1devices/get`. Only `~` and `/` are escaped. */
export type Pointer = string;

export function joinPointer(pointer: Pointer, ...tokens: readonly (string | number)[]): Pointer {
  let path = pointer;
  for (const token of tokens) path += `/${escapeToken(String(token))}`;
  return path;
}

export function splitPointer(pointer: string): string[] {
  const path = pointer.startsWith('#') ? decodeFragment(pointer.slice(1)) : pointer;
  if (path === '') return [];
  return path
    .slice(1)
    .split('/')
    .map((token) => (token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token));
}

/** The value that a pointer names, with or without `#`; undefined if there is none. */
export function readPointer(root: unknown, pointer: string): unknown {
  return splitPointer(pointer).reduce<unknown>((value, token) => memberOf(value, token), root);
}

/** Normalises a pointer, so that two references to one place compare equal. */
export function normalisePointer(pointer: string): Pointer {
  const isNormal = pointer.startsWith('#') && !/%|~(?![01])/.test(pointer);
  return isNormal ? pointer : joinPointer('#', ...splitPointer(pointer));
}

function escapeToken(token: string): string {
  return !token.includes('~') && !token.includes('/') ? token : token.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A reference in a document is a URI, in which `%7B` encodes `{`. A broken escape stays as it is. */
function decodeFragment(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A value of the document with its location. */
export interface Place {
  readonly value: unknown;
  readonly pointer: Pointer;
}

/** The requirement that a dangling reference breaks. */
export const dangling = 'OpenAPI, Reference Object; RFC 6901 7: the value that a pointer names MUST exist';

/** @param breaks the MUST of OpenAPI or JSON Schema that the problem breaks, if any */
export type ReportPart = (pointer: Pointer, message: string, fix: string, breaks?: string) => void;

/** Places by their pointer as written: the same few thousand are looked up repeatedly. */
const places = new WeakMap<JsonObject, Map<string, Place>>();

export function placeAt(root: JsonObject, pointer: string): Place {
  const known = places.get(root) ?? new Map<string, Place>();
  places.set(root, known);
  const place = known.get(pointer) ?? { value: readPointer(root, pointer), pointer: normalisePointer(pointer) };
  known.set(pointer, place);
  return place;
}

export function childOf(place: Place, ...tokens: readonly (string | number)[]): Place {
  return {
    value: tokens.reduce<unknown>((value, token) => memberOf(value, String(token)), place.value),
    pointer: joinPointer(place.pointer, ...tokens),
  };
}

/**
 * Follows `$ref` to a value that is not a reference.
 *
 * @returns undefined for a reference that is dangling, circular or leads to another file; `report` receives the reason
 */
export function follow(root: JsonObject, start: Place, report?: ReportPart): Place | undefined {
  let place = start;
  for (let hops = 0; hops < 32; hops += 1) {
    const reference = isObject(place.value) ? place.value.$ref : undefined;
    if (typeof reference !== 'string') return place.value === undefined ? undefined : place;
    if (!reference.startsWith('#')) {
      report?.(
        place.pointer,
        `$ref ${reference} leads to another document, which does not exist or may not be read.`,
        'Name a file below the folder of the contract, or bundle both documents into one.',
      );
      return undefined;
    }
    const target = placeAt(root, reference);
    if (target.value === undefined) {
      const fix = 'Correct the reference, or add its target.';
      report?.(place.pointer, `$ref ${reference} has no target.`, fix, dangling);
      return undefined;
    }
    place = target;
  }
  report?.(start.pointer, 'The $ref leads back to itself.', 'Remove the cycle.');
  return undefined;
}

/** The members of a map that are objects, with their names; references are followed. */
export function objectsIn(root: JsonObject, map: Place, report: ReportPart) {
  return Object.keys(isObject(map.value) ? map.value : {}).flatMap((name) => {
    const { value, pointer } = follow(root, childOf(map, name), report) ?? {};
    return isObject(value) && pointer !== undefined ? [{ name, value, pointer }] : [];
  });
}

/** The values that a runtime expression can read (OpenAPI 3.1, 4.8.20.3): those of a request and of its answer, if one came. */
export interface Seen {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Names in lower case. */
  readonly requestHeaders: Readonly<Record<string, unknown>>;
  readonly requestBody: unknown;
  readonly status?: number;
  readonly responseHeaders?: Readonly<Record<string, unknown>>;
  readonly responseBody?: unknown;
}

/** Evaluates an expression, a text with `{expressions}` or a constant; undefined if there is no value. */
export function evaluate(expression: unknown, seen: Seen): unknown {
  if (typeof expression !== 'string') return expression;
  if (expression.startsWith('$')) return read(expression, seen);
  let missing = false;
  const text = expression.replaceAll(/\{(\$[^}]+)\}/g, (_, inner: string) => {
    const value = read(inner, seen);
    missing ||= value === undefined;
    return String(value);
  });
  return missing ? undefined : text;
}

function read(expression: string, seen: Seen): unknown {
  const match = /^\$(request|response)\.(path|query|header|body)(?:\.([^#]+)|#(.*))?$/s.exec(expression);
  if (match === null) return expression === '$statusCode' ? seen.status : undefined;
  const [, side, part, name = '', pointer = ''] = match;
  if (part === 'body') return readPointer(side === 'request' ? seen.requestBody : seen.responseBody, pointer);
  if (part === 'header') {
    return memberOf(side === 'request' ? seen.requestHeaders : seen.responseHeaders, name.toLowerCase());
  }
  return side === 'request' ? memberOf(part === 'path' ? seen.path : seen.query, name) : undefined;
}
