import type { MediaContent, Operation, Parameter } from '../contract/contract.ts';

/** A request before it is written: values, not bytes. */
export interface Draft {
  readonly operation: Operation;
  /** In the order of the contract; what is left out is not there. */
  readonly parameters: readonly { readonly parameter: Parameter; readonly value: unknown }[];
  readonly body: { readonly content: MediaContent; readonly value: unknown } | undefined;
  /** Where its values come from: `example`, `polite`. */
  readonly label: string;
}
