import { type MediaContent, type Operation, type Parameter, responseFor } from '../contract/contract.ts';
import type { Pointer, Seen } from '../contract/document.ts';

/** A request before encoding: typed values and an identity. */
export interface Draft {
  readonly operation: Operation;
  /** In the order of the contract, without omitted parameters. */
  readonly parameters: readonly { readonly parameter: Parameter; readonly value: unknown }[];
  readonly body: { readonly content: MediaContent; readonly value: unknown } | undefined;
  /** The source of its values: `example`, `polite`. */
  readonly label: string;
  /** `own` by default. */
  readonly identity?: Identity;
  readonly edits?: WireEdits;
  readonly timing?: Timing;
}

/** When a request is sent. A replay keeps it. */
export interface Timing {
  /** Milliseconds that the run waits before it. */
  readonly afterMs?: number;
  /** Whether a temporary status is its answer: otherwise the request is repeated after a pause. */
  readonly isOnce?: true;
  /** Whether it is in flight at the same time as the request before it. */
  readonly isWithLast?: true;
}

/** Changes to a request after encoding: the contract has no values for them. */
export interface WireEdits {
  /** In capitals. */
  readonly method?: string;
  /** By name in lower case; undefined removes the header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Replaces the encoded body, without a change of `Content-Type`. */
  readonly body?: (encoded: Buffer | undefined) => Buffer | undefined;
  /** Replaces path and query beneath the base. */
  readonly path?: string;
}

/** A request as sent, with everything that the log, the reports and a curl line need. */
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
  /** In the order received; names in lower case, repeated fields separate. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Content after decoding, unless `undecoded` is set. */
  readonly body: Buffer;
  /** Set if decoding failed: `body` is as received. */
  readonly undecoded?: Undecoded;
  /** True if `body` is only the beginning: the content may never end, or the round holds too much already. */
  readonly isCut?: boolean;
  /** Names of headers whose values a recording hides. */
  readonly hidden?: readonly string[];
  /** Time to the end of the content; to its beginning if the content was cut. */
  readonly durationMs: number;
}

/** Why the content of an answer could not be decoded. */
export interface Undecoded {
  /** False for a registered coding without a built-in decoder: the server is not at fault. */
  readonly isFault: boolean;
  readonly message: string;
}

/** No complete HTTP answer came. */
export interface NoAnswer {
  readonly kind: 'none';
  /** `unsent`: the request is not valid HTTP and was not sent; `refused` and `unresolved`: nothing listens; the others break HTTP. */
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

/** Parts that authorize a request. */
export interface Authorization {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly cookies: readonly (readonly [name: string, value: string])[];
  /** Requested scopes of the token; undefined if none were requested. */
  readonly scopes: readonly string[] | undefined;
  /** After a 401: treats these credentials as expired. @returns whether others can replace them */
  readonly renew?: () => boolean;
  /** The alternative of `security` that a token of unknown purpose is tried for, if there are several. */
  readonly guess?: { readonly name: string; readonly othersLeft: number } | undefined;
}

/** The credentials of a request. */
export type Identity =
  /** The user's own. */
  | 'own'
  /** None. */
  | 'anonymous'
  /** Those of the second account. */
  | 'second'
  /** The user's own, by a token with every scope but these. */
  | { readonly without: readonly string[] }
  /** The user's own, by a token with these scopes and no other. */
  | { readonly exactly: readonly string[] }
  /** The user's own, but for the credential of one security scheme. */
  | { readonly lacking: string }
  /** The user's own, by this alternative of `security`: the names of its schemes. */
  | { readonly by: readonly string[] }
  /** The user's own, but for one changed credential: that of the security scheme `of`. */
  | { readonly changed: CredentialChange; readonly of: string };

/** `own`, `second`, `without items:read`, `changed nonsense of Bearer`. */
export function nameIdentity(identity: Identity): string {
  if (typeof identity === 'string') return identity;
  return Object.entries(identity)
    .map(([name, value]) => `${name} ${[value].flat().join(' ')}`)
    .join(' ');
}

/** Every change makes a credential invalid, except that of the case of a scheme's name (RFC 9110, 11.1). */
export type CredentialChange =
  | 'empty'
  | 'nonsense'
  | 'other scheme'
  | 'as Basic'
  | 'as Token'
  | 'longer'
  | 'other case'
  | 'all in other case'
  | 'empty secret'
  | 'altered secret'
  | 'scheme in lower case'
  | 'altered end'
  | 'altered payload'
  | 'alg none'
  | 'expired';

/**
 * `valid` and `invalid` hold in every reading of the contract, as a server must decode the wire. Any other request is `grey`: it only
 * proves failures of the server itself.
 */
export type Polarity = 'valid' | 'invalid' | 'grey';

/** Phases in the order of their value per request; `phases/phase.ts` describes what each sends. */
export type PhaseName = 'baseline' | 'story' | 'auth' | 'protocol' | 'negative' | 'boundary' | 'text' | 'random';

/** The purpose of a request. */
export interface Intent {
  readonly phase: PhaseName;
  /** Name of the candidate or probe, as reports show it. */
  readonly label: string;
  readonly polarity: Polarity;
  /** The constraint of the contract that an invalid request breaks, or whose bound a valid one reaches. */
  readonly place: { readonly pointer: Pointer; readonly keyword: string } | undefined;
  readonly identity: Identity;
  /** Set for a request of a probe. */
  readonly probe?: PartOfProbe | undefined;
  /** Address of the obligation that the request is sent for. */
  readonly obligation: string;
  /** Name of the scenario, and 0-based index of the request in it. */
  readonly case: string;
  readonly step: number;
}

/** An accepted request with parts of its answer. */
export interface AcceptedRequest {
  readonly draft: Draft;
  readonly headers: Answer['headers'];
  /** The members of the answer that the request did not have. */
  readonly filledIn: ReadonlySet<string>;
}

/** The part of a request in a probe, which asks the deployment one question. */
export interface PartOfProbe {
  /** The checks that judge it. */
  readonly checks: readonly string[];
  /** The question: `no credentials`. */
  readonly name: string;
  /** The operation that it is about. */
  readonly operation: string;
  /** `case`: the request that differs from an accepted one; any other role names a request that it is compared with. */
  readonly role: string;
  /** Names that it shares with other probes of the operation: failures of one name have one cause. */
  readonly groups?: readonly string[];
  /** The boundaries that the values of a valid request reach. */
  readonly boundaries?: readonly Boundary[];
}

/** A valid value that a keyword of the contract names. */
export interface Boundary {
  /** The place of its obligation: `query limit, maximum`. */
  readonly place: string;
  /** `query limit`, `body /name`. */
  readonly part: string;
  readonly pointer: Pointer;
  readonly keyword: string;
  /** `limit=300 (maximum)`. */
  readonly text: string;
  /** The value in the request that it is compared with: `without it`. */
  readonly against: string;
  /** Whether the contract names this very value; of a format or pattern, it names no single text. */
  readonly isNamed: boolean;
}

/** The role of a request that deletes what an earlier request of the probe has created. */
export const undoRole = 'undo';

export interface Exchange {
  readonly operation: Operation;
  readonly intent: Intent;
  /** Set unless the request repeats another one. */
  readonly draft?: Draft | undefined;
  readonly request: OutgoingRequest;
  readonly outcome: Answer | NoAnswer;
  /** The values that links and rules can read. */
  readonly seen: Seen;
  /** True for an answer that only delayed the case (429, a temporary 503): the request was repeated. */
  readonly isPause: boolean;
  /** True for a failure that a smaller request of its turn shows too: checks of failures judge that one. */
  readonly isSuperseded?: boolean;
  /** True for a repeat while nothing else was under way. */
  readonly isAlone?: boolean;
  /** True if the whole run had nothing else under way. */
  readonly isUndisturbed?: boolean;
  /** True for a repeat of an accepted read that only detects whether the run has changed the deployment. */
  readonly isControl?: boolean;
  /** Set if such a read fails after the run changed something that it did not create. */
  readonly since?: Since | undefined;
  /** Set if the deployment stopped before it answered. */
  readonly outage?: Outage | undefined;
  /** Milliseconds from the start of the run to the end of the exchange. */
  readonly atMs: number;
}

/** A deployment that listened before, and then stopped. Its facts grow during the run. */
export interface Outage {
  readonly base: string;
  /** Time of the loss, by `performance.now()`. */
  readonly lostAt: number;
  /** Requests whose connection broke when the deployment stopped: one of them may be the cause. */
  readonly interrupted: readonly Interrupted[];
  /** Accepted writes that may have stopped it: those with a name such as shutdown first, then the latest first. */
  readonly accepted: readonly AcceptedWrite[];
  /** The last request that was answered. */
  readonly last: Sent | undefined;
  /** Time until something listened again; undefined if it never did. */
  readonly awayMs: number | undefined;
  /** Time that the run waited. */
  readonly waitedMs: number;
}

/** A request of an operation. */
export interface Sent {
  readonly operation: Operation;
  readonly request: OutgoingRequest;
}

export interface Interrupted extends Sent {
  /** Outcome of the same request repeated alone: an answer, or the next outage. */
  readonly alone: 'unknown' | 'answered' | 'stopped it again';
  /** Another request of the same operation was answered afterwards. */
  readonly isAnsweredLater: boolean;
}

export interface AcceptedWrite extends Sent {
  readonly status: number;
  /** Time between its answer and the detection of the outage. */
  readonly beforeMs: number;
  /** Whether its name contains shutdown, stop, restart or the like. */
  readonly isStop: boolean;
}

/** State contamination that may have caused a failure. */
export interface Since {
  /** Operations whose accepted requests changed something that the run did not create. */
  readonly writes: readonly string[];
  /** A read that was accepted before those writes, and its status now; 0 if no answer comes. */
  readonly control: string;
  readonly status: number;
}

/** An exchange with its number in the run. */
export interface NumberedExchange extends Exchange {
  /** 1-based, in the order of the plan, independent of the order of arrival. */
  readonly number: number;
}

/** Whether a request is valid, has the user's own credentials and belongs to no probe. */
export function isOrdinary({ intent }: Pick<Exchange, 'intent'>): boolean {
  return intent.polarity === 'valid' && intent.identity === 'own' && intent.probe === undefined;
}

/** Statuses with which a server rejects a valid request because of the state of its objects. */
const ofState: ReadonlySet<number> = new Set([404, 409, 410, 412, 423]);

export function isRejectedByState({ outcome }: Pick<Exchange, 'outcome'>): boolean {
  return outcome.kind === 'answer' && ofState.has(outcome.status);
}

/** Whether an exchange counts against the budget of requests: pauses do not, except for a 401. */
export function isCounted({ isPause, outcome }: Exchange): boolean {
  return !isPause || (outcome.kind === 'answer' && outcome.status === 401);
}

export function headerOf({ headers }: { readonly headers: Answer['headers'] }, name: string): string | undefined {
  const values = headers.filter(([known]) => known.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

/** Whether a header describes content or preferences and carries no credential: reports show its value. */
export function isDescriptive(header: string): boolean {
  return /^(accept(-[a-z-]+)?|content-[a-z-]+|user-agent|origin|referer|prefer|x-requested-with)$/i.test(header);
}

/** The exchanges of one turn of a scenario in the order sent, followed by the repeats that were sent alone. */
export type Trace = readonly NumberedExchange[];

/** Whether the server reports success, documented or not: further candidates are unnecessary, and a resource may exist. */
export function isSuccess(outcome: Answer | NoAnswer): boolean {
  return outcome.kind === 'answer' && outcome.status >= 200 && outcome.status < 400;
}

/**
 * Whether the server executed the request: a 2xx, documented or not, or a 3xx that the operation lists as a status or range. A redirect
 * covered only by `default` is as likely to lead to a login.
 */
export function isAccepted({ operation, outcome }: Pick<Exchange, 'operation' | 'outcome'>): boolean {
  if (outcome.kind !== 'answer' || !isSuccess(outcome)) return false;
  if (outcome.status < 300) return true;
  const listed = responseFor(operation, outcome.status);
  return listed !== undefined && listed.status !== 'default';
}
