// The paths that a contract declares: the methods of a path, and the template that a path belongs to.
import type { Contract } from '../contract/contract.ts';
import { plainPath } from '../resources/slots.ts';

/** The paths of a contract by their segments: `{}` for one with a parameter. */
export interface Segment {
  readonly next: Map<string, Segment>;
  readonly methods: Set<string>;
}

export function indexPaths({ operations }: Contract): Segment {
  const first: Segment = { next: new Map(), methods: new Set() };
  for (const { path, method } of operations) {
    const last = segmentsOf(path).reduce((segment, name) => {
      const next = segment.next.get(name) ?? { next: new Map(), methods: new Set() };
      segment.next.set(name, next);
      return next;
    }, first);
    last.methods.add(method.toUpperCase());
  }
  return first;
}

function segmentsOf(path: string): readonly string[] {
  return plainPath(path)
    .split('/')
    .map((segment) => (segment.includes('{}') ? '{}' : segment));
}

/** Methods of every path that a request to this one may also match: `/books/{id}` for `/books/new`. */
export function methodsAt(first: Segment, path: string): ReadonlySet<string> {
  const matching = segmentsOf(path).reduce<readonly Segment[]>(
    (segments, name) =>
      segments.flatMap(({ next }) =>
        name === '{}' ? [...next.values()] : [name, '{}'].flatMap((one) => next.get(one) ?? []),
      ),
    [first],
  );
  return new Set(matching.flatMap(({ methods }) => [...methods]));
}

/** Whether a path is one of a template. */
export function matches(template: string, path: string): boolean {
  const [own, theirs] = [plainPath(template), (path.split('?')[0] ?? '').replace(/\/$/, '')].map((text) =>
    text.split('/'),
  );
  return (
    own?.length === theirs?.length &&
    own?.every((segment, index) => segment.includes('{}') || segment === theirs?.[index]) === true
  );
}
