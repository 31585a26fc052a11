/** A request target, split; both parts still percent-encoded. */
export interface Target {
  readonly path: string;
  /** Without the question mark; empty where there is none. */
  readonly queryText: string;
}

/**
 * Splits the target of a request line (RFC 9112, 3.2). Takes `http://host/path` too, as a proxy sends it; a fragment
 * has no place there and is dropped. Nothing is normalised: `//` and `/../` stay what they are, and match no route.
 */
export function readTarget(target: string): Target {
  const [withoutFragment = ''] = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split('#', 1);
  const mark = withoutFragment.indexOf('?');
  const path = mark === -1 ? withoutFragment : withoutFragment.slice(0, mark);
  return { path: path === '' ? '/' : path, queryText: mark === -1 ? '' : withoutFragment.slice(mark + 1) };
}
