import type { Pointer } from '../contract/document.ts';

/** `defect`: a sentence is broken in every reading. `suspect`: it looks bad; never in the exit code unless asked. */
export type Severity = 'defect' | 'suspect';

/** What one check holds against one exchange. */
export interface Failure {
  readonly check: string;
  readonly severity: Severity;
  /** Part of the message: `response 200 body /payload/0/type`. */
  readonly place: string;
  /** The place without what varies (indexes, values): faults of one cause share it. */
  readonly pattern: string;
  /** The sentence of the contract. */
  readonly pointer: Pointer;
  /** Keyword of the schema, or name of the law. */
  readonly keyword: string;
  /** Clause of a norm, where the contract is not what is broken. */
  readonly clause?: string;
  readonly says: string;
  /** True where one cause may well show at several operations: folded over the whole document. */
  readonly isShared: boolean;
}
