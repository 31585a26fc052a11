import { type Operation, responseFor } from '../contract/contract.ts';
import type { Seen } from '../contract/runtime-expression.ts';
import type { PhaseName } from '../plan/phases.ts';

/** A request as it leaves: everything that the log, the reports and a curl line need. */
export interface OutgoingRequest {
  readonly method: string;
  /** Address that the user gave for this target, without a trailing slash. */
  readonly base: string;
  /** Raw path and query beneath the base; never normalised. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | undefined;
}

export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  /** As they came, names in lower case, repeated ones apart. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly durationMs: number;
}

/** No complete HTTP answer came. */
export interface NoAnswer {
  readonly kind: 'none';
  /** `refused` and `unresolved`: nothing listens; the others break HTTP. */
  readonly reason: 'refused' | 'unresolved' | 'reset' | 'timeout' | 'truncated' | 'malformed' | 'too-large';
  readonly says: string;
  readonly durationMs: number;
}

export interface Exchange {
  readonly operation: Operation;
  readonly phase: PhaseName;
  /** Rung of the ladder or name of the probe, as reports show it. */
  readonly label: string;
  readonly request: OutgoingRequest;
  readonly outcome: Answer | NoAnswer;
  /** What links and rules can see of it. */
  readonly seen: Seen;
  /** True for an answer that was only a pause (429, a 503 that went away): the case was sent again. */
  readonly isPause: boolean;
  /** Milliseconds from the start of the run to its end. */
  readonly atMs: number;
}

/** An exchange that has its place in the run. */
export interface NumberedExchange extends Exchange {
  /** 1-based, in the order of the plan, whatever the order of arrival. */
  readonly number: number;
}

export function headerOf({ headers }: { readonly headers: Answer['headers'] }, name: string): string | undefined {
  const values = headers.filter(([known]) => known.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

/** What the server calls done, documented or not: no other data need be tried, and something may have been made. */
export function isSuccess(outcome: Answer | NoAnswer): boolean {
  return outcome.kind === 'answer' && outcome.status >= 200 && outcome.status < 400;
}

/** A success that the operation lists, by itself, as a range or as `default`: a redirect that nobody documents accepts nothing. */
export function isAccepted({ operation, outcome }: Pick<Exchange, 'operation' | 'outcome'>): boolean {
  return outcome.kind === 'answer' && isSuccess(outcome) && responseFor(operation, outcome.status) !== undefined;
}
