/** RFC 6901 JSON pointers in URI fragment form without percent-encoding: `#/paths/~1devices/get`; the whole document is `#`. */

/** `['paths', '/devices']` → `#/paths/~1devices`. */
export function formatPointer(segments: readonly (string | number)[]): string {
  return `#${segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}`;
}

/** `('#/paths', 'a/b')` → `#/paths/a~1b`. */
export function extendPointer(pointer: string, ...segments: readonly (string | number)[]): string {
  return formatPointer([...parsePointer(pointer), ...segments]);
}

/** `#/paths/~1devices` → `['paths', '/devices']`; takes the fragment with or without its `#`. */
export function parsePointer(pointer: string): readonly string[] {
  const path = pointer.replace(/^#?\/?/, '');
  return path === '' ? [] : path.split('/').map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The same for the text of a `$ref`, whose fragment may be percent-encoded (RFC 6901, 6). Text that decodes to nothing is taken as it is. */
export function parseReference(reference: string): readonly string[] {
  return parsePointer(reference).map((segment) => {
    try {
      return decodeURIComponent(segment);
    } catch {
      return segment;
    }
  });
}

/** The value at a pointer, or undefined where nothing stands there. */
export function valueAt(root: unknown, segments: readonly string[]): unknown {
  let value = root;
  for (const segment of segments) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Record<string, unknown>)[segment];
  }
  return value;
}
