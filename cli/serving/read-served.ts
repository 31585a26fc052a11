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
  /** Where a place of the document stands in the text that it was read from. */
  readonly locate: (pointer: string) => { readonly file: string; readonly line: number; readonly column: number };
}

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
    locate: contract.locate,
  };
}
