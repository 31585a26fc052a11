import type { ContractDocument } from '@lockstep/json/json-pointer';
import type { OperationTable } from '@lockstep/runtime/operation';
import { readContract } from '@lockstep/toolkit/contract/read-contract';
import { describeOperations } from '@lockstep/toolkit/emit/operations';
import type { Notice } from '../commands/command.ts';

/** A contract as it is served, without anything generated. */
export interface Served {
  readonly title: string;
  readonly version: string;
  readonly document: ContractDocument;
  readonly operations: OperationTable;
  readonly notices: readonly Notice[];
  /** Whether to find a line in its text takes seconds, which no start is worth. */
  readonly isLong: boolean;
  /** Where a place of the document stands in the text that it was read from. */
  readonly locate: (pointer: string) => { readonly file: string; readonly line: number; readonly column: number };
}

/** The parser that knows positions took 7.7 s for 5.7 MB. */
const longBytes = 1_000_000;

/** @throws ContractError with all that keeps it from being read */
export async function readServed(source: string): Promise<Served> {
  const contract = await readContract(source);
  const { document } = contract;
  return {
    title: document.info?.title ?? source,
    version: document.info?.version ?? '',
    document: document as unknown as ContractDocument,
    operations: describeOperations(document),
    notices: contract.notices,
    isLong: JSON.stringify(document).length > longBytes,
    locate: contract.locate,
  };
}
