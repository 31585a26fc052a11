import { extendPointer, valueAt } from '@lockstep/json/json-pointer';
import type { Contract } from './contract/read-contract.ts';
import { isNode } from './contract/walk-document.ts';

/** One place where the contract differs from the last derivation. */
export interface ContractChange {
  readonly file: string;
  readonly line: number;
  readonly pointer: string;
  /** `maximum was 300, is 500`, `added`, `removed`. */
  readonly message: string;
}

/**
 * Finds the places of the contract that caused a drift: compares the last derived bundle with the contract, value by value.
 *
 * @param lastBundle text of contract.gen.json in the output folder, undefined if it is missing
 * @returns the deepest places that differ, in the order of the contract; empty when the contract is the same or nothing can be compared
 */
export function findContractChanges(contract: Contract, lastBundle: string | undefined): readonly ContractChange[] {
  const before = parse(lastBundle);
  if (before === undefined) return [];
  const { 'x-generated': header, ...last } = before;
  // If the header still names this contract, the bundle was edited by hand and the contract did not change.
  if (valueAt(header, ['contract']) === `sha256:${contract.hash}`) return [];
  return compare(last, contract.document, '#').map(({ pointer, message }) => {
    const { file, line } = contract.locate(pointer);
    return { file, line, pointer, message };
  });
}

function compare(before: unknown, after: unknown, pointer: string): { pointer: string; message: string }[] {
  if (Object.is(before, after)) return [];
  if (!isNode(before) || !isNode(after) || Array.isArray(before) !== Array.isArray(after)) {
    return [{ pointer, message: `was ${format(before)}, is ${format(after)}` }];
  }
  const keys = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  const differences = keys.flatMap((key) => {
    const place = extendPointer(pointer, key);
    if (!Object.hasOwn(before, key)) return [{ pointer: place, message: `added: ${format(after[key])}` }];
    if (!Object.hasOwn(after, key)) return [{ pointer: place, message: `removed: ${format(before[key])}` }];
    return compare(before[key], after[key], place);
  });
  const reordered = differences.length === 0 && Object.keys(before).join() !== Object.keys(after).join();
  return reordered ? [{ pointer, message: 'the order of the members changed' }] : differences;
}

function format(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function parse(text: string | undefined): Record<string, unknown> | undefined {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
