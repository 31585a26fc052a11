import type { Contract, Operation, ResponseObject } from '../../contract/contract.ts';
import type { Answer, OutgoingRequest } from '../../execute/exchange.ts';

export interface LawCase {
  readonly contract: Contract;
  readonly operation: Operation;
  readonly request: OutgoingRequest;
  readonly answer: Answer;
  /** What the contract says about the status. */
  readonly response: ResponseObject | undefined;
}

export interface Law {
  readonly name: string;
  readonly clause: string;
  /** The response header that it is about. */
  readonly header?: string;
  /** @returns how it is broken; undefined when it holds or does not apply */
  readonly judge: (given: LawCase) => string | undefined;
}

/** A table of laws by name. */
export function lawsOf(table: Readonly<Record<string, Omit<Law, 'name'>>>): readonly Law[] {
  return Object.entries(table).map(([name, law]) => ({ name, ...law }));
}

/** The contract lists this very status: it may have its own meaning there. */
export function isOwnMeaning({ operation, answer }: LawCase): boolean {
  return operation.responses.some(({ status }) => status === String(answer.status));
}
