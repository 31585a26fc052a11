import type { IncomingMessage } from 'node:http';
import type { Operation } from './operation.ts';

/** One request and what is known of it so far. */
export interface Exchange<Principal = unknown> {
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** Set once it is found: whatever is answered from then on is an answer of this operation. */
  operation?: Operation;
  /** Set once the credentials are judged; stays unset where nobody had to say who they are. */
  principal?: Principal;
}

/** An answer before it is written: a handler's, a refusal, or one of a layer around them. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** The one that the contract declares for the status, where it is left out; JSON where there is not one alone. */
  readonly mediaType?: string | undefined;
  /** A value for JSON, text or bytes for other types. Undefined: no content. */
  readonly body?: unknown;
}

/** What was refused in words of this layer because the contract has none for it: no check of answers looks at it. */
export interface UndeclaredAnswer extends Answer {
  readonly isUndeclared: true;
}

/** An answer as it will leave. */
export interface Outgoing {
  readonly status: number;
  /** Names as they are written, all values text. */
  readonly headers: Readonly<Record<string, string>>;
  readonly mediaType: string | undefined;
  /** Undefined: no content. */
  readonly content: string | Uint8Array | undefined;
}
