import type { Detail } from './validation/detail.ts';

interface RejectionKind {
  /** Usual statuses in contracts, best first: an OAuth token endpoint answers most kinds with 400 (RFC 6749, 5.2). */
  readonly statuses: readonly number[];
  /** Usual words in contracts: an example whose name or code contains one of them is about this kind. */
  readonly words: readonly string[];
}

const formWords = ['invalid_request', 'bad_request', 'validation', 'invalid'] as const;

/** Kinds of faults in a request, in the terms of HTTP. */
export const rejectionKinds = {
  route_unknown: { statuses: [404], words: ['route'] },
  method_not_allowed: { statuses: [405], words: ['method'] },
  credentials_missing: {
    statuses: [401, 403],
    words: ['token_missing', 'missing', 'invalid_client', 'unauthorized'],
  },
  credentials_invalid: {
    statuses: [401, 403],
    words: ['token_invalid', 'invalid', 'malformed', 'unauthorized'],
  },
  credentials_expired: { statuses: [401, 403], words: ['expired', 'invalid', 'unauthorized'] },
  credentials_revoked: { statuses: [401, 403], words: ['revoked', 'invalid', 'unauthorized'] },
  payment_required: { statuses: [402, 403], words: ['payment', 'trial', 'subscription'] },
  scope_missing: { statuses: [403, 401], words: ['insufficient_scope', 'scope', 'forbidden'] },
  too_many_requests: { statuses: [429, 403], words: ['quota', 'rate', 'too_many'] },
  body_too_large: { statuses: [413, 400, 422], words: ['too_large', 'large', ...formWords] },
  body_type: { statuses: [415, 400, 422], words: ['media_type', 'content_type', ...formWords] },
  form: { statuses: [400, 422], words: formWords },
  not_found: { statuses: [404, 410, 400, 422], words: ['not_found', 'notfound', 'unknown', 'missing'] },
  conflict: { statuses: [409, 422, 400], words: ['conflict', 'exists', 'duplicate', 'taken'] },
  unimplemented: { statuses: [501], words: ['not_implemented', 'unimplemented', 'implemented'] },
  unavailable: { statuses: [503], words: ['unavailable', 'busy'] },
  internal: { statuses: [500], words: ['internal'] },
} as const satisfies Readonly<Record<string, RejectionKind>>;

export type RejectionName = keyof typeof rejectionKinds;

export interface RejectionOptions {
  /** One sentence for people: the location, the value that was sent, an accepted value. */
  readonly text: string;
  readonly details?: readonly Detail[];
  /** Specific to this request, so they replace those of examples: `Allow`, `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `WWW-Authenticate`, if the contract has no example of it. */
  readonly challenge?: string;
  /** The contract's own status for this fault (`x-invalid-status`). */
  readonly status?: number | undefined;
}

/** Shared by all copies of this module: the project of the handlers and the serving command each have one. */
const mark = Symbol.for('@lockstep/runtime/rejection');

/**
 * The rejection of a request, thrown by any step. It has neither code nor body: the server adds them, from its own catalogue or from
 * the contract.
 */
export class Rejection extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && mark in value;
  }

  readonly [mark] = true;
  override readonly name = 'Rejection';
  readonly kind: RejectionName;
  readonly details: readonly Detail[];
  readonly headers: Readonly<Record<string, string>>;
  readonly challenge: string | undefined;
  readonly status: number | undefined;

  constructor(kind: RejectionName, { text, details = [], headers = {}, challenge, status }: RejectionOptions) {
    super(text);
    this.kind = kind;
    this.details = details;
    this.headers = headers;
    this.challenge = challenge;
    this.status = status;
  }
}

/**
 * Rejects a request for an operation that is not implemented yet: 501. Use it as the handler of an operation, which its message then
 * names, or call it in a handler.
 *
 * ```ts
 * handlers: { listThings: notImplemented, readThing: ({ path }) => (path.id === 'x' ? first : notImplemented()) }
 * ```
 *
 * @throws Rejection always
 */
export function notImplemented(
  _request?: unknown,
  exchange?: { readonly operation?: { readonly operationId: string } },
): never {
  const operationId = exchange?.operation?.operationId;
  throw new Rejection('unimplemented', {
    text: `not implemented yet${operationId === undefined ? '' : `: ${operationId}`}`,
  });
}
