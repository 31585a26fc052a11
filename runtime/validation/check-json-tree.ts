import { escapeSegment } from '@lockstep/json/json-pointer';

/** What a JSON text may hold beyond its grammar. */
interface TreeFault {
  /** JSON pointer of the place. */
  readonly at: string;
  readonly says: string;
}

/** Deeper bodies are refused: no contract nests like that, and recursive consumers fail on them. */
export const deepestJson = 32;

const tooDeep: TreeFault = { at: '', says: `the body is nested deeper than ${deepestJson} levels` };

/**
 * Looks through a parsed JSON value for what no consumer can keep: nesting beyond the bound, and lone surrogates,
 * which no UTF-8 text can carry. It goes no deeper than the bound, and makes the pointer of a fault on the way back alone: one for each of
 * 80,000 items took longer than all else that is done with them.
 */
export function checkJsonTree(root: unknown): TreeFault | undefined {
  return checkValue(root, 1);
}

function checkValue(value: unknown, depth: number): TreeFault | undefined {
  if (typeof value === 'string')
    return value.isWellFormed() ? undefined : { at: '', says: 'text holds half of a surrogate pair' };
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > deepestJson) return tooDeep;
  return Array.isArray(value) ? checkItems(value, depth) : checkMembers(value, depth);
}

function checkItems(items: readonly unknown[], depth: number): TreeFault | undefined {
  for (let index = 0; index < items.length; index += 1) {
    const fault = checkValue(items[index], depth + 1);
    if (fault !== undefined) return below(fault, String(index));
  }
  return undefined;
}

function checkMembers(members: object, depth: number): TreeFault | undefined {
  for (const [name, member] of Object.entries(members)) {
    if (!name.isWellFormed()) return { at: '', says: 'a member name holds half of a surrogate pair' };
    const fault = checkValue(member, depth + 1);
    if (fault !== undefined) return below(fault, escapeSegment(name));
  }
  return undefined;
}

function below(fault: TreeFault, step: string): TreeFault {
  return fault === tooDeep ? tooDeep : { ...fault, at: `/${step}${fault.at}` };
}
