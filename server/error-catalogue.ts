import type { ReadonlyDeep } from '@lockstep/contract/handlers';
import type { components } from '@lockstep/contract/types';

type HeaderName = keyof HeaderValues;

/** Headers that an error needs beyond those of every answer, as handlers write them. */
export interface HeaderValues {
  readonly 'Retry-After': number;
  readonly 'WWW-Authenticate': string;
  readonly Allow: string;
}

interface Entry {
  readonly status: number;
  /** The member of the body with the text. */
  readonly member: 'error' | 'message';
  /** The default text. It may change, except for `not found device`. */
  readonly text: string;
  /** Required headers. */
  readonly headers?: readonly HeaderName[];
}

/** Every error of the resource API, by its stable code. A test compares codes, statuses, members and headers with the contract. */
export const errorCatalogue = {
  invalid_request: { status: 400, member: 'error', text: 'The request is not valid' },
  window_not_aligned: { status: 400, member: 'error', text: "startDate is not a whole hour on the property's clock" },
  window_in_past: { status: 400, member: 'error', text: 'startDate is in the past' },
  window_too_far: { status: 400, member: 'error', text: 'startDate is more than 367 days ahead' },
  window_length: {
    status: 400,
    member: 'error',
    text: 'The time from startDate to endDate is not one that is possible',
  },
  passage_not_supported: { status: 400, member: 'error', text: 'The device needs newer firmware for passage codes' },
  job_not_supported: { status: 400, member: 'error', text: 'The device does not support this jobType' },
  not_linked: { status: 400, member: 'error', text: 'The device is not linked to the bridge' },
  no_battery: { status: 400, member: 'error', text: 'The device has no battery' },
  cursor_invalid: { status: 400, member: 'error', text: 'cursor does not belong to this list, start again without it' },
  range_reversed: { status: 400, member: 'error', text: 'endDate is not after startDate' },
  log_unreadable: { status: 400, member: 'error', text: 'None of the items can be stored' },
  idempotency_key_reused: { status: 400, member: 'error', text: 'The Idempotency-Key belongs to another request' },
  token_missing: { status: 401, member: 'message', text: 'The access token is missing', headers: ['WWW-Authenticate'] },
  token_invalid: { status: 401, member: 'message', text: 'The access token is invalid', headers: ['WWW-Authenticate'] },
  token_expired: {
    status: 401,
    member: 'message',
    text: 'The access token has expired',
    headers: ['WWW-Authenticate'],
  },
  token_revoked: {
    status: 401,
    member: 'message',
    text: 'The access token was revoked',
    headers: ['WWW-Authenticate'],
  },
  trial_ended: { status: 402, member: 'error', text: 'The 30-day trial of the API has ended' },
  insufficient_scope: {
    status: 403,
    member: 'message',
    text: 'The token lacks a scope',
    headers: ['WWW-Authenticate'],
  },
  device_not_found: { status: 404, member: 'message', text: 'not found device' },
  property_not_found: { status: 404, member: 'message', text: 'not found property' },
  bridge_not_found: { status: 404, member: 'message', text: 'not found bridge' },
  job_not_found: { status: 404, member: 'message', text: 'not found job' },
  route_not_found: { status: 404, member: 'message', text: 'not found route' },
  method_not_allowed: { status: 405, member: 'message', text: 'The method is not allowed here', headers: ['Allow'] },
  bridge_offline: { status: 406, member: 'error', text: 'The bridge is offline' },
  no_timezone: { status: 409, member: 'message', text: "The device's property has no timezone" },
  too_large: { status: 413, member: 'message', text: 'The body is too large' },
  unsupported_media_type: { status: 415, member: 'message', text: 'Send the body as application/json' },
  algopin_not_supported: { status: 418, member: 'error', text: 'The device does not support algoPIN codes' },
  invalid_object_id: { status: 422, member: 'message', text: 'jobId is not a valid object id' },
  bridge_rate: { status: 429, member: 'error', text: 'Too many requests, try again later', headers: ['Retry-After'] },
  queue_full: {
    status: 429,
    member: 'error',
    text: 'The bridge has too many unfinished jobs',
    headers: ['Retry-After'],
  },
  account_quota: { status: 429, member: 'error', text: 'The request quota is used up', headers: ['Retry-After'] },
  internal: { status: 500, member: 'message', text: 'Internal error' },
  unavailable: { status: 503, member: 'message', text: 'Busy, try again in 1 second', headers: ['Retry-After'] },
} as const satisfies Readonly<Record<string, Entry>>;

export type ErrorCode = keyof typeof errorCatalogue;

export type FaultDetail = ReadonlyDeep<components['schemas']['FaultDetail']>;

type Row<Code extends ErrorCode> = (typeof errorCatalogue)[Code];
type HeadersOf<Code extends ErrorCode> =
  Row<Code> extends { readonly headers: readonly (infer Name extends HeaderName)[] }
    ? { readonly headers: Readonly<Pick<HeaderValues, Name>> }
    : unknown;
type DetailsOf<Code extends ErrorCode> = Row<Code>['status'] extends 400
  ? { readonly details: readonly FaultDetail[] }
  : unknown;

/** A declared response as a handler returns it; the request id is added later. */
export type RejectionAnswer<Code extends ErrorCode = ErrorCode> = Code extends ErrorCode
  ? { readonly status: Row<Code>['status'] } & HeadersOf<Code> & {
        readonly body: { readonly [Member in Row<Code>['member']]: string } & { readonly code: Code } & DetailsOf<Code>;
      }
  : never;

type Options<Code extends ErrorCode> = { readonly text?: string } & HeadersOf<Code> & Partial<DetailsOf<Code>>;

/**
 * Creates the answer to a rejected request. Status and code are literal types: an operation that doesn't declare the status can't return
 * it.
 *
 * @param options `text` replaces the catalogue's; `details` of a 400, none when omitted; `headers` if the error needs some:
 * `reject('bridge_rate', { headers: { 'Retry-After': 17 } })`
 */
export function reject<const Code extends ErrorCode>(
  code: Code,
  ...[options]: unknown extends HeadersOf<Code> ? [options?: Options<Code>] : [options: Options<Code>]
): RejectionAnswer<Code> {
  const { status, member, text }: Entry = errorCatalogue[code];
  const given: { readonly text?: string; readonly details?: readonly FaultDetail[]; readonly headers?: object } =
    options ?? {};
  const details = status === 400 ? { details: given.details ?? [] } : {};
  const headers = given.headers === undefined ? {} : { headers: given.headers };
  // Value and type follow from the same table, which TypeScript can't derive.
  return {
    status,
    ...headers,
    body: { [member]: given.text ?? text, code, ...details },
  } as unknown as RejectionAnswer<Code>;
}

/** An answer that is thrown outside of handlers: by authentication, validation and limits. */
export class RequestRejected extends Error {
  override readonly name = 'RequestRejected';
  readonly response: RejectionAnswer;

  constructor(response: RejectionAnswer, options?: ErrorOptions) {
    super(response.body.code, options);
    this.response = response;
  }
}
