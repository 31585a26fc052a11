import type { Pointer } from '../contract/document.ts';

/** One keyword that a value breaks. */
export interface Violation {
  /** Place in the value, `/payload/0/type`; `''` for the whole. */
  readonly at: string;
  /** Place of the keyword in the contract. */
  readonly pointer: Pointer;
  readonly keyword: string;
  /** `must be integer`. */
  readonly says: string;
  /** The property, type or value that the keyword is about: tells two faults of one keyword apart. */
  readonly detail: string;
}
