import type { MediaContent, Operation, Parameter } from '../contract/contract.ts';
import type { Identity } from '../execute/exchange.ts';

/** A request before it is written: typed values, what is changed on the wire, and who sends it. */
export interface Draft {
  readonly operation: Operation;
  /** In the order of the contract; what is left out is not there. */
  readonly parameters: readonly { readonly parameter: Parameter; readonly value: unknown }[];
  readonly body: { readonly content: MediaContent; readonly value: unknown } | undefined;
  /** Where its values come from: `example`, `polite`. */
  readonly label: string;
  /** Left out: `own`. */
  readonly identity?: Identity;
  readonly edits?: WireEdits;
}

/** Changes that no value can make: what is sent is no longer what the contract's styles and media types would write. */
export interface WireEdits {
  /** Another method, in capitals. */
  readonly method?: string;
  /** Instead of the body's own media type. */
  readonly contentType?: string;
  /** Instead of the encoded body: malformed JSON, two equal keys. */
  readonly body?: Buffer;
  /** Replaces headers of the same name; undefined takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Appended to the query as it stands, `a=1&a=2`. */
  readonly query?: string;
}
