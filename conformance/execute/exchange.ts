import { type Operation, responseFor } from '../contract/contract.ts';
import type { Pointer, Seen } from '../contract/document.ts';

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
  /** Without the codings of `Content-Encoding`, but for those of `undecoded`. */
  readonly body: Buffer;
  /** Set where they could not be taken away: `body` is as it came, and nothing is known of what it says. */
  readonly undecoded?: Undecoded;
  /** True where `body` is the beginning alone: the content may go on for ever, or the round holds too much already. */
  readonly isCut?: boolean;
  /** Until its end; of content that was broken off until its beginning. */
  readonly durationMs: number;
}

/** Why the content of an answer could not be decoded. */
export interface Undecoded {
  /** False for a coding of the registry that is not built in here: nothing is wrong with it. */
  readonly isFault: boolean;
  readonly message: string;
}

/** No complete HTTP answer came. */
export interface NoAnswer {
  readonly kind: 'none';
  /** `unsent`: the request is none of HTTP, and stayed here; `refused` and `unresolved`: nothing listens; the others break HTTP. */
  readonly reason:
    | 'unsent'
    | 'refused'
    | 'unresolved'
    | 'reset'
    | 'timeout'
    | 'unfinished'
    | 'truncated'
    | 'malformed'
    | 'too-large';
  readonly message: string;
  readonly durationMs: number;
}

/**
 * On whose behalf a request is sent: the user's own credentials, none, those of a second account, or the user's own without some
 * scopes.
 */
export type Identity = 'own' | 'anonymous' | 'second' | { readonly without: readonly string[] };

/**
 * `valid` and `invalid` hold in every reading of the contract, as a server must decode the wire; what lies between is `grey`, and
 * proves nothing but a failure of the server itself.
 */
export type Polarity = 'valid' | 'invalid' | 'grey';

/** In the order in which they are worth their requests; `phases/phase.ts` says what each sends. */
export type PhaseName = 'baseline' | 'story' | 'auth' | 'protocol' | 'negative' | 'boundary' | 'text' | 'random';

/** What a request is sent for. */
export interface Intent {
  readonly phase: PhaseName;
  /** Rung of the ladder or name of the probe, as reports show it. */
  readonly label: string;
  readonly polarity: Polarity;
  /** The sentence of the contract that an invalid request breaks, or that a valid one takes to its bound. */
  readonly place: { readonly pointer: Pointer; readonly keyword: string } | undefined;
  readonly identity: Identity;
  /** Address of the obligation that it is to settle. */
  readonly obligation: string;
  /** Name of the scenario, and the place of the request in it from 0 on. */
  readonly case: string;
  readonly step: number;
}

export interface Exchange {
  readonly operation: Operation;
  readonly intent: Intent;
  readonly request: OutgoingRequest;
  readonly outcome: Answer | NoAnswer;
  /** What links and rules can see of it. */
  readonly seen: Seen;
  /** True for an answer that was only a pause (429, a 503 that went away): the case was sent again. */
  readonly isPause: boolean;
  /** True for a request that was sent again when nothing else was under way. */
  readonly isAlone?: boolean;
  /** True where the whole run had nothing else under way. */
  readonly isUndisturbed?: boolean;
  /** A read that was accepted before, sent again to see whether the deployment is still as it was: it proves nothing else. */
  readonly isControl?: boolean;
  /** Set where such a read fails since the run changed something that is not its own. */
  readonly since?: Since | undefined;
  /** Set where the deployment stopped before it answered. */
  readonly outage?: Outage | undefined;
  /** Milliseconds from the start of the run to its end. */
  readonly atMs: number;
}

/** A deployment that had listened and then did not: it stopped. What is known of it grows while the run goes on. */
export interface Outage {
  readonly base: string;
  /** In the time of `performance.now()`. */
  readonly lostAt: number;
  /** Requests whose connection broke when it stopped: one of them may be why. */
  readonly interrupted: readonly Interrupted[];
  /** Accepted writes that may have told it to stop: those that say so by their name first, then the last one first. */
  readonly accepted: readonly AcceptedWrite[];
  /** The last request that was answered. */
  readonly last: Sent | undefined;
  /** Until something listened again; undefined: it did not come back. */
  readonly awayMs: number | undefined;
  /** For how long the run waited. */
  readonly waitedMs: number;
}

/** A request of an operation. */
export interface Sent {
  readonly operation: Operation;
  readonly request: OutgoingRequest;
}

export interface Interrupted extends Sent {
  /** What came when the same request was sent again alone: an answer, or the next outage. */
  readonly alone: 'unknown' | 'answered' | 'stopped it again';
  /** Another request of the same operation was answered afterwards. */
  readonly isAnsweredLater: boolean;
}

export interface AcceptedWrite extends Sent {
  readonly status: number;
  /** Between its answer and the moment at which the deployment was found gone. */
  readonly beforeMs: number;
  /** Its name says shutdown, stop, restart or the like. */
  readonly isStop: boolean;
}

/** What may have led to a failure. */
export interface Since {
  /** Operations whose accepted requests changed what is not the run's. */
  readonly writes: readonly string[];
  /** The read that was accepted before them, and what it is answered now: a status, or 0 for nothing. */
  readonly control: string;
  readonly status: number;
}

/** An exchange that has its place in the run. */
export interface NumberedExchange extends Exchange {
  /** 1-based, in the order of the plan, whatever the order of arrival. */
  readonly number: number;
}

/** Whether it counts against a bound on requests: what only asked for time does not, what was not let in does. */
export function isCounted({ isPause, outcome }: Exchange): boolean {
  return !isPause || (outcome.kind === 'answer' && outcome.status === 401);
}

export function headerOf({ headers }: { readonly headers: Answer['headers'] }, name: string): string | undefined {
  const values = headers.filter(([known]) => known.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

/** Headers that say what is sent or wanted, and let nobody in: their values stand in every report. */
export function isDescriptive(header: string): boolean {
  return /^(accept(-[a-z-]+)?|content-[a-z-]+|user-agent|origin|referer|prefer|x-requested-with)$/i.test(header);
}

/** The scenario's exchanges of one turn, in the order in which they were sent, with those that were sent again alone at the end. */
export type Trace = readonly NumberedExchange[];

/** What the server calls done, documented or not: no other data need be tried, and something may have been made. */
export function isSuccess(outcome: Answer | NoAnswer): boolean {
  return outcome.kind === 'answer' && outcome.status >= 200 && outcome.status < 400;
}

/**
 * Whether the server carried the request out: a 2xx, documented or not, or a 3xx that the operation lists by itself or as a range.
 * A redirect that `default` alone covers is as likely the way to a login.
 */
export function isAccepted({ operation, outcome }: Pick<Exchange, 'operation' | 'outcome'>): boolean {
  if (outcome.kind !== 'answer' || !isSuccess(outcome)) return false;
  if (outcome.status < 300) return true;
  const listed = responseFor(operation, outcome.status);
  return listed !== undefined && listed.status !== 'default';
}
