import type { IncomingMessage } from 'node:http';
import type { Operation } from './operation.ts';
import type { Rejection } from './rejection.ts';

/** One request with the results of its checks so far. */
export interface Exchange<Principal = unknown> {
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** Set once it is found. From then on, every answer belongs to this operation. */
  operation?: Operation;
  /** Set once the credentials are checked; undefined if the operation needs none. */
  principal?: Principal;
}

/** An answer before it is written: of a handler, a rejection, or of an outer layer. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** By default the only one that the contract declares for the status; JSON if there are several or none. */
  readonly mediaType?: string | undefined;
  /** A value for JSON and XML, text or bytes for other types. Undefined: no content. */
  readonly body?: unknown;
  /** The rejection that it answers, for a journal. It is not sent: a contract may declare no place for its reason. */
  readonly rejection?: Rejection | undefined;
}

/** A rejection that the contract does not declare, with a body of this layer. The check of answers ignores it. */
export interface UndeclaredAnswer extends Answer {
  readonly isUndeclared: true;
}

/** An answer as it will be sent. */
export interface Outgoing {
  readonly status: number;
  /** Names as written, all values as text. */
  readonly headers: Readonly<Record<string, string>>;
  readonly mediaType: string | undefined;
  /** Undefined: no content. */
  readonly content: string | Uint8Array | undefined;
}
