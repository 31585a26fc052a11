import { isObject, type JsonObject, memberOf } from './json.ts';

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

/** The value that a pointer names, with or without `#`; undefined where there is none. */
export function readPointer(root: unknown, pointer: string): unknown {
  return splitPointer(pointer).reduce<unknown>((value, token) => memberOf(value, token), root);
}

/** The same pointer in one spelling, so that two references to one place compare equal. */
export function normalisePointer(pointer: string): Pointer {
  return joinPointer('#', ...splitPointer(pointer));
}

function escapeToken(token: string): string {
  return !token.includes('~') && !token.includes('/') ? token : token.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A reference in a document is a URI: `%7B` may stand for `{`. A broken escape stays as it is. */
function decodeFragment(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A value of the document together with where it stands. */
export interface Place {
  readonly value: unknown;
  readonly pointer: Pointer;
}

/** @param breaks the sentence of OpenAPI or JSON Schema, where one says MUST */
export type ReportPart = (pointer: Pointer, says: string, cure: string, breaks?: string) => void;

export function placeAt(root: JsonObject, pointer: string): Place {
  return { value: readPointer(root, pointer), pointer: normalisePointer(pointer) };
}

export function childOf(place: Place, ...tokens: readonly (string | number)[]): Place {
  return {
    value: tokens.reduce<unknown>((value, token) => memberOf(value, String(token)), place.value),
    pointer: joinPointer(place.pointer, ...tokens),
  };
}

/**
 * Follows `$ref` until something else stands there.
 *
 * @returns undefined for a reference to nothing, to another file, or in a circle; `report` is told why
 */
export function follow(root: JsonObject, start: Place, report?: ReportPart): Place | undefined {
  let place = start;
  for (let hops = 0; hops < 32; hops += 1) {
    const reference = isObject(place.value) ? place.value.$ref : undefined;
    if (typeof reference !== 'string') return place.value === undefined ? undefined : place;
    if (!reference.startsWith('#')) {
      report?.(
        place.pointer,
        `$ref ${reference} leads to another document.`,
        'Bundle the contract into one file first.',
      );
      return undefined;
    }
    const target = placeAt(root, reference);
    if (target.value === undefined) {
      report?.(place.pointer, `$ref ${reference} leads nowhere.`, 'Correct the reference or add what it names.');
      return undefined;
    }
    place = target;
  }
  report?.(start.pointer, 'The $ref leads back to itself.', 'Break the circle.');
  return undefined;
}
