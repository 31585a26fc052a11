import { escapeSegment, type JsonObject } from '@lockstep/json/json-pointer';

/** A fault in a syntactically valid JSON text. */
interface TreeFault {
  /** JSON pointer of the fault. */
  readonly at: string;
  readonly says: string;
}

/** Deeper bodies are rejected: no contract nests like that, and recursive consumers fail on them. */
export const deepestJson = 32;

export const tooDeep: TreeFault = { at: '', says: `the body is nested deeper than ${deepestJson} levels` };

/**
 * Searches a parsed JSON value for nesting beyond the bound, and for lone surrogates, which UTF-8 can't encode. The search stops at the bound, and
 * builds the pointer only for a fault, on the way back: a pointer for each of 80,000 items took longer than all other work on them.
 */
export function checkJsonTree(root: unknown): TreeFault | undefined {
  return checkValue(root, 1);
}

function checkValue(value: unknown, depth: number): TreeFault | undefined {
  if (typeof value === 'string')
    return value.isWellFormed() ? undefined : { at: '', says: 'text holds half of a surrogate pair' };
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > deepestJson) return tooDeep;
  return Array.isArray(value) ? checkItems(value, depth) : checkMembers(value as JsonObject, depth);
}

function checkItems(items: readonly unknown[], depth: number): TreeFault | undefined {
  for (let index = 0; index < items.length; index += 1) {
    const fault = checkValue(items[index], depth + 1);
    if (fault !== undefined) return below(fault, String(index));
  }
  return undefined;
}

function checkMembers(members: JsonObject, depth: number): TreeFault | undefined {
  for (const name in members) {
    if (!name.isWellFormed()) return { at: '', says: 'a member name holds half of a surrogate pair' };
    const fault = checkValue(members[name], depth + 1);
    if (fault !== undefined) return below(fault, escapeSegment(name));
  }
  return undefined;
}

function below(fault: TreeFault, step: string): TreeFault {
  return fault === tooDeep ? tooDeep : { ...fault, at: `/${step}${fault.at}` };
}
