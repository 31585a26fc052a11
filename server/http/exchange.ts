import type { IncomingMessage } from 'node:http';
import type { Operation } from '@lockstep/contract/operations';
import type { Principal } from '../principal.ts';
import type { Quota } from './account-quota.ts';

/** One request and what is known of it so far. What is set here also goes into its log line. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly requestId: string;
  operation?: Operation;
  principal?: Principal;
  /** Of its account and client, once the request has been counted. */
  quota?: Quota | undefined;
  /** What answers where no operation does: `auth`, `docs`. */
  mount?: string;
  /** `code` of the error that was answered. */
  code?: string;
}

/** An answer before it is written: a handler's, a refusal, or one of this layer. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  readonly mediaType?: string | undefined;
  /** Undefined: no content. */
  readonly body?: unknown;
}
