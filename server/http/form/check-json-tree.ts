/** What a JSON text may hold beyond its grammar. */
export interface TreeFault {
  /** JSON pointer of the place. */
  readonly at: string;
  readonly says: string;
}

/** Deeper bodies are refused: no contract nests like that, and recursive consumers fail on them. */
export const deepestJson = 32;

/**
 * Looks through a parsed JSON value for what no consumer can keep: nesting beyond the bound, and lone surrogates,
 * which no UTF-8 text can carry. Works with a list of its own, not by recursion.
 */
export function checkJsonTree(root: unknown): TreeFault | undefined {
  const open: { value: unknown; at: string; depth: number }[] = [{ value: root, at: '', depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, at, depth } = next;
    if (typeof value === 'string' && !value.isWellFormed()) return { at, says: 'text holds half of a surrogate pair' };
    if (typeof value !== 'object' || value === null) continue;
    if (depth > deepestJson) return { at: '', says: `the body is nested deeper than ${deepestJson} levels` };
    for (const [key, member] of Object.entries(value)) {
      if (!key.isWellFormed()) return { at, says: 'a member name holds half of a surrogate pair' };
      open.push({ value: member, at: `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth: depth + 1 });
    }
  }
  return undefined;
}
