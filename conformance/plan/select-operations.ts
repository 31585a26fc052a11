import type { Operation } from '../contract/contract.ts';

/** Selectors name an operationId, `GET /path`, a path or a tag. */
export interface Selection {
  readonly only: readonly string[];
  readonly exclude: readonly string[];
}

/** @returns the operations, and the selectors that named nothing: a misspelt one must not make a run look complete */
export function selectOperations(
  operations: readonly Operation[],
  { only, exclude }: Selection,
): { readonly selected: readonly Operation[]; readonly unknown: readonly string[] } {
  const unknown = [...only, ...exclude].filter(
    (selector) => !operations.some((operation) => isNamed(operation, selector)),
  );
  const selected = operations.filter(
    (operation) =>
      (only.length === 0 || only.some((selector) => isNamed(operation, selector))) &&
      !exclude.some((selector) => isNamed(operation, selector)),
  );
  return { selected, unknown };
}

function isNamed({ id, method, path, tags }: Operation, selector: string): boolean {
  return [id, path, `${method.toUpperCase()} ${path}`, ...tags].includes(
    selector.replace(/^(\w+) +\//, (_, name: string) => `${name.toUpperCase()} /`),
  );
}
