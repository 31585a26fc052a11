import type { Operation } from '../contract/contract.ts';

/**
 * Rounds of operations: whoever needs an id comes after those that hand it out (links, the collection above, a read before
 * a write of the same path), deletions at the end. Within a round the order is the contract's.
 */
export function orderOperations(operations: readonly Operation[]): readonly (readonly Operation[])[] {
  const levels = new Map<Operation, number>();
  const levelOf = (operation: Operation, path: readonly Operation[]): number => {
    const known = levels.get(operation);
    if (known !== undefined) return known;
    const before = producersOf(operation, operations).filter((producer) => !path.includes(producer));
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

function producersOf(operation: Operation, operations: readonly Operation[]): Operation[] {
  return operations.filter((other) => {
    if (other === operation || other.method === 'delete') return false;
    if (other.responses.some(({ links }) => links.some(({ to }) => to === operation.id))) return true;
    const isAbove = operation.path.startsWith(`${other.path.replace(/\/$/, '')}/{`);
    if (isAbove && (other.method === 'get' || other.method === 'post')) return true;
    return (
      other.path === operation.path &&
      other.method === 'get' &&
      operation.method !== 'head' &&
      operation.path.includes('{')
    );
  });
}

function depthOf(path: string): number {
  return path.split('/').length;
}
