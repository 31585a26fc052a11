import type { Operation } from '../contract/contract.ts';

/**
 * Rounds of operations: whoever needs an id comes after those that hand it out (links, the collection above, a read before
 * a write of the same path), deletions at the end. Within a round the order is the contract's.
 */
export function orderOperations(operations: readonly Operation[]): readonly (readonly Operation[])[] {
  const levels = new Map<Operation, number>();
  const producersOf = indexProducers(operations);
  const levelOf = (operation: Operation, path: readonly Operation[]): number => {
    const known = levels.get(operation);
    if (known !== undefined) return known;
    const before = producersOf(operation).filter((producer) => !path.includes(producer));
    const level = Math.max(-1, ...before.map((producer) => levelOf(producer, [...path, operation]))) + 1;
    levels.set(operation, level);
    return level;
  };
  for (const operation of operations) levelOf(operation, []);
  const last = Math.max(0, ...levels.values()) + 1;
  // The deeper path first: a child is deleted before its parent.
  const removals = operations.filter(({ method }) => method === 'delete');
  const depths = [...new Set(removals.map(({ path }) => depthOf(path)))].sort((a, b) => b - a);
  const rounds = Array.from({ length: last }, (_, level) =>
    operations.filter((operation) => operation.method !== 'delete' && levels.get(operation) === level),
  );
  return [...rounds, ...depths.map((depth) => removals.filter(({ path }) => depthOf(path) === depth))].filter(
    (round) => round.length > 0,
  );
}

/** Whoever may hand out what an operation needs, found by path and by link rather than by trying all pairs. */
function indexProducers(operations: readonly Operation[]): (operation: Operation) => readonly Operation[] {
  const byPath = Map.groupBy(operations, ({ path }) => withoutSlash(path));
  const byLink = new Map<string, Operation[]>();
  for (const operation of operations) {
    for (const { to } of operation.responses.flatMap(({ links }) => links)) {
      byLink.set(to, [...(byLink.get(to) ?? []), operation]);
    }
  }
  return (operation) => {
    const { path } = operation;
    const above = [...path.matchAll(/\/\{/g)].flatMap(({ index }) => byPath.get(path.slice(0, index)) ?? []);
    const same = path.includes('{') && operation.method !== 'head' ? (byPath.get(withoutSlash(path)) ?? []) : [];
    const found = new Set([
      ...(byLink.get(operation.id) ?? []),
      ...above.filter(({ method }) => method === 'get' || method === 'post'),
      ...same.filter(({ method }) => method === 'get'),
    ]);
    return [...found].filter((other) => other !== operation && other.method !== 'delete');
  };
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, '');
}

function depthOf(path: string): number {
  return path.split('/').length;
}
