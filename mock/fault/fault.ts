import type { Detail } from '@lockstep/runtime/form/detail';

export interface FaultOptions {
  /** Statuses to answer with: the first that the operation declares, else the first of all. */
  readonly statuses: readonly number[];
  /** One sentence for a human: the field, what was sent, what would do. */
  readonly says: string;
  /** Words that name this fault; the documented example whose name or code holds one is the pattern of the answer. */
  readonly hints?: readonly string[];
  readonly details?: readonly Detail[];
  /** Sent whatever the contract's examples say: what is true of this request alone. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `WWW-Authenticate`, unless the contract declares an example of it. */
  readonly challenge?: string;
}

/** A request the mock refuses. Thrown by any step, answered in one place, in the declared shape. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly statuses: readonly number[];
  readonly hints: readonly string[];
  readonly details: readonly Detail[];
  readonly headers: Readonly<Record<string, string>>;
  readonly challenge: string | undefined;

  constructor({ statuses, says, hints = [], details = [], headers = {}, challenge }: FaultOptions) {
    super(says);
    this.statuses = statuses;
    this.hints = hints;
    this.details = details;
    this.headers = headers;
    this.challenge = challenge;
  }
}

/**
 * Statuses of each kind of fault, best first. The later ones serve contracts that do not declare the first:
 * an OAuth token endpoint (RFC 6749, 5.2) answers all of them with 400.
 */
export const faultStatuses = {
  form: [400, 422],
  tooLarge: [413, 400, 422],
  mediaType: [415, 400, 422],
  unauthorized: [401, 403],
  forbidden: [403, 401],
  internal: [500],
} as const satisfies Record<string, readonly number[]>;

/** Words by which contracts name a request that breaks its schema. */
export const formHints = ['invalid_request', 'bad_request', 'validation', 'invalid'] as const;
