import type { JsonObject } from '@lockstep/json/json-pointer';
import type { Target } from './show-page.ts';

/** A validated request. */
export interface StateRequest extends Target {
  readonly path: JsonObject;
  readonly query: JsonObject;
  /** Names in lower case. */
  readonly headers: JsonObject;
  readonly body?: unknown;
  readonly mediaType?: string | undefined;
  /** Its account, compared as JSON; undefined if the operation needs no credentials. */
  readonly caller?: unknown;
}

export type StateAnswer =
  /** Headers in addition to the documented ones. Without a body, the answer has no content. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly mediaType?: string;
      readonly body?: unknown;
    }
  /** The first of these statuses that the operation documents. */
  | { readonly kind: 'rejected'; readonly statuses: readonly number[]; readonly text: string }
  /** The store has no room. */
  | { readonly kind: 'full'; readonly text: string };
