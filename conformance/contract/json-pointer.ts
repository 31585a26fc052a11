import { memberOf } from './json.ts';

/** A JSON pointer (RFC 6901) as a fragment, `#/paths/~1devices/get`. Only `~` and `/` are escaped. */
export type Pointer = string;

export function joinPointer(pointer: Pointer, ...tokens: readonly (string | number)[]): Pointer {
  return tokens.reduce<string>((path, token) => `${path}/${escapeToken(String(token))}`, pointer);
}

export function splitPointer(pointer: string): string[] {
  const path = pointer.startsWith('#') ? decodeFragment(pointer.slice(1)) : pointer;
  if (path === '') return [];
  return path
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
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
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A reference in a document is a URI: `%7B` may stand for `{`. A broken escape stays as it is. */
function decodeFragment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
