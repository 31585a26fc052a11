import { createHash } from 'node:crypto';
import type { Instant } from '@lockstep/values/instant';
import { type Contract, isJson, type Operation } from '../contract/contract.ts';
import type { Seen } from '../contract/document.ts';
import type { DataTools } from '../data/value-candidates.ts';
import type { Leaving, RecordWrites } from '../ledger/record-writes.ts';
import { scopesOfValues } from '../plan/permissions.ts';
import { accepted, addressOf } from '../plan/plan.ts';
import type { CanonicalForm } from '../schema/canonical.ts';
import type { Judge } from '../schema/create-judge.ts';
import { type Accounts, authorize } from './authorize.ts';
import type { Clock } from './clock.ts';
import type { Connection } from './connection.ts';
import { createHolder, readJson } from './content.ts';
import type { CurrentTags } from './current-tags.ts';
import {
  type Answer,
  type Authorization,
  type Draft,
  type Exchange,
  headerOf,
  type Intent,
  isSuccess,
  type NoAnswer,
  type Outage,
  type OutgoingRequest,
  type PhaseName,
  type Sent,
} from './exchange.ts';
import { limitInFlight, type Pace, pauseAfter } from './limits.ts';
import { seenOf, writeRequest } from './write-request.ts';

/** Purpose of a request: by default, to show that the server accepts a valid request. */
export type Aim = Partial<Pick<Intent, 'polarity' | 'place' | 'obligation' | 'probe'>>;

/** Sends the requests of one scenario. */
export interface Session {
  /**
   * Sends one case with credentials, and repeats it while the answer is a temporary status.
   *
   * @returns every exchange in order, all but the last of them pauses; none if the run was aborted, or if the identity of the draft is
   *   not available: no second account, no narrower token
   */
  readonly send: (draft: Draft, aim?: Aim) => Promise<readonly Exchange[]>;
}

export interface Engine {
  /** Releases the answers of earlier rounds. */
  readonly beginRound: () => void;
  readonly open: (scenario: { readonly id: string; readonly phase: PhaseName }) => Session;
  /**
   * Repeats a request while nothing else is under way. The caller checks that it may be repeated.
   *
   * @returns undefined if the run was aborted
   */
  readonly again: (exchange: Exchange) => Promise<Exchange | undefined>;
  /** The outage in which a request of this run was interrupted. */
  readonly outageOf: (request: OutgoingRequest) => Outage | undefined;
}

type Outcome = Answer | NoAnswer | undefined;

/** Observes whether the deployment is available. */
export interface Availability {
  /** Resolves when the deployment is presumed available. */
  readonly whenUp: () => Promise<void>;
  /** Runs one send. `later`: the deployment was away, did not receive the request, and is back. */
  readonly follow: (part: Sent, send: () => Promise<Outcome>) => Promise<Outcome | 'later'>;
  /** Called before a request is repeated alone. */
  readonly sendsAgain: (request: OutgoingRequest) => void;
  /** The outage that interrupted a request, or that prevented it from being sent. */
  readonly of: (request: OutgoingRequest) => Outage | undefined;
}

/** Detects credentials that are no longer accepted: a token has expired, or a request has reset it. */
export interface CredentialWatch {
  /** Replaces expired credentials of a request by their successors. */
  readonly current: (request: OutgoingRequest) => OutgoingRequest;
  /** Records an outcome. @param secrets the credentials of the request */
  readonly observe: (
    operation: Operation,
    request: OutgoingRequest,
    secrets: readonly string[],
    outcome: Outcome,
  ) => void;
  /**
   * Called after a 401: repeats requests that were accepted with these secrets before.
   *
   * @param sent the request that `current` returned
   * @returns `kept` if the secrets still hold or never did, `renewed` if an accepted write has issued valid successors
   */
  readonly check: (secrets: readonly string[], sent: OutgoingRequest) => Promise<'kept' | 'renewed' | 'lost'>;
}

interface Wiring {
  readonly accounts: Accounts;
  /** Runs each send; records a write before its request leaves. */
  readonly record: RecordWrites;
  readonly connection: Connection;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly tags: CurrentTags;
  /** Longest wait for a `Retry-After`, or for a deployment to come back. */
  readonly maxWaitMs: number;
  readonly signal: AbortSignal;
  /** Time after which nothing is sent, by `performance.now()`. */
  readonly deadline: number;
  readonly baseFor: (operation: Operation) => string;
  /** The contract's request schemas, which describe how bodies other than JSON are written. */
  readonly form: CanonicalForm;
  /** Start of the run, by `performance.now()`. */
  readonly startedAt: number;
  readonly availability: Availability;
  /** @param send sends one request as soon as its operation may send */
  readonly watchCredentials: (
    send: (operation: Operation, request: OutgoingRequest) => Promise<Outcome>,
  ) => CredentialWatch;
  /** Initial limit of requests in flight. */
  readonly workers: number;
}

const nothingSeen: Seen = { path: {}, query: {}, requestHeaders: {}, requestBody: undefined };
const anonymous: Authorization = { headers: [], query: [], cookies: [], scopes: undefined };

export function createEngine(wiring: Wiring): Engine {
  const { connection, clock, pace, maxWaitMs, signal, deadline, startedAt, availability } = wiring;
  const inFlight = limitInFlight(wiring.workers);
  /** Time until which each operation waits; others continue meanwhile. */
  const waits = new Map<string, number>();

  const held = createHolder();
  /** Sends one request as soon as its operation may send; after an outage, it sends what the deployment did not receive. */
  const exchange = async (leaving: Leaving): Promise<Outcome> => {
    const { operation, request } = leaving;
    for (;;) {
      await waitUntil(waits.get(operation.id) ?? 0);
      await availability.whenUp();
      await pace();
      const outcome = await availability.follow({ operation, request }, () =>
        inFlight.run(request.base, () => wiring.record(leaving, () => connection.send(request))),
      );
      if (outcome !== 'later') return outcome?.kind === 'answer' ? held.hold(outcome) : outcome;
    }
  };

  const watch = wiring.watchCredentials((operation, request) =>
    exchange({ operation, request, identity: 'own', seen: nothingSeen }),
  );

  /** @returns every outcome in order; all but the last are pauses */
  const exchangePatiently = async (leaving: Leaving, isOnce: boolean) => {
    const { operation, request } = leaving;
    const outcomes: (Answer | NoAnswer)[] = [];
    for (;;) {
      const outcome = await exchange(leaving);
      if (outcome === undefined) return outcomes;
      outcomes.push(outcome);
      const wait = signal.aborted || isOnce ? undefined : pauseAfter(operation, request, outcomes, maxWaitMs);
      if (wait === undefined || performance.now() + wait > deadline) return outcomes;
      waits.set(operation.id, Math.max(clock.now() + wait, waits.get(operation.id) ?? 0));
    }
  };

  const waitUntil = async (instant: number): Promise<void> => {
    const left = instant - clock.now();
    if (left > 0) await clock.wait(left, signal);
  };

  return {
    beginRound: () => {
      held.release();
      wiring.tags.beginRound();
    },
    open: ({ id, phase }) => {
      let step = 0;
      const tags = wiring.tags.open();
      return {
        send: async (
          given,
          { polarity = 'valid', place, probe, obligation = addressOf(given.operation.id, phase, accepted) } = {},
        ) => {
          const draft = tags.update(given);
          const { operation, identity = 'own' } = draft;
          const seen = seenOf(draft);
          const extraScopes = scopesOfValues(operation, seen);
          const rejected = new Set<string>();
          if (draft.timing?.afterMs !== undefined) await clock.wait(draft.timing.afterMs, signal);
          const attempt = async () => {
            const authorization = await authorize(wiring.accounts, operation, extraScopes, identity, rejected);
            // With another identity, the request would prove something else.
            if (authorization === undefined && identity !== 'own') return undefined;
            const shown = authorization ?? anonymous;
            const added = { ...shown, headers: [...wiring.accounts.plainHeaders, ...shown.headers] };
            const whole = writeRequest(draft, wiring.baseFor(operation), added, wiring.form);
            const request = identity === 'own' ? watch.current(whole) : whole;
            const outcomes = await exchangePatiently(
              { operation, request, identity, seen },
              draft.timing?.isOnce === true,
            );
            const secrets = identity === 'own' ? secretsOf(shown) : [];
            watch.observe(operation, whole, secrets, outcomes.at(-1));
            const label = authorization === undefined ? `${draft.label}, without credentials` : draft.label;
            const exchanges = outcomes.map((outcome, index): Exchange => {
              const intent: Intent = { phase, label, polarity, place, identity, probe, obligation, case: id, step };
              step += 1;
              const atMs = performance.now() - startedAt;
              const isPause = index < outcomes.length - 1;
              return { operation, intent, draft, request, outcome, seen: completeSeen(seen, outcome), isPause, atMs };
            });
            for (const one of exchanges) tags.observe(one);
            return { exchanges, authorization, secrets, request };
          };
          const isUnauthorized = (exchanges: readonly Exchange[]): boolean => {
            const last = exchanges.at(-1)?.outcome;
            return last?.kind === 'answer' && last.status === 401;
          };
          const pauses = (exchanges: readonly Exchange[]) => exchanges.map((one) => ({ ...one, isPause: true }));
          const before: Exchange[] = [];
          let first = await attempt();
          // The scheme of a bare token is unknown: after a 401, the next scheme is tried.
          for (let guess = first?.authorization?.guess; first !== undefined && guess !== undefined; ) {
            const last = first.exchanges.at(-1)?.outcome;
            const isIn = last !== undefined && isSuccess(last);
            const isOut = isUnauthorized(first.exchanges);
            if (isIn || isOut) wiring.accounts.own.trials.record(guess.name, isIn);
            if (!isOut || guess.othersLeft === 0) break;
            before.push(...pauses(first.exchanges));
            rejected.add(guess.name);
            first = await attempt();
            guess = first?.authorization?.guess;
          }
          if (first === undefined) return before;
          // A 401 to other credentials is an answer of its own.
          if (identity !== 'own' || !isUnauthorized(first.exchanges)) return [...before, ...first.exchanges];
          // A token may expire during the run: a new one is fetched once, and only the next answer counts.
          const isRenewed = first.authorization?.renew?.() === true;
          const holds = isRenewed ? 'renewed' : await watch.check(first.secrets, first.request);
          if (holds === 'kept') return [...before, ...first.exchanges];
          const again = holds === 'renewed' ? await attempt() : undefined;
          return [...before, ...pauses(first.exchanges), ...(again?.exchanges ?? [])];
        },
      };
    },
    outageOf: availability.of,
    again: async (before) => {
      availability.sendsAgain(before.request);
      const outcome = await exchange({ ...before, identity: before.intent.identity });
      if (outcome === undefined) return undefined;
      const intent = { ...before.intent, label: `${before.intent.label}, again alone`, step: before.intent.step + 1 };
      const seen = completeSeen(before.seen, outcome);
      return { ...before, intent, outcome, seen, atMs: performance.now() - startedAt };
    },
  };
}

/** The credentials of a request, without the scheme of `Authorization`. */
function secretsOf({ headers, query, cookies }: Authorization): string[] {
  const values = [...headers, ...query, ...cookies].map(([, value]) => value.replace(/^[A-Za-z]+ +/, ''));
  return values.filter((value) => value !== '');
}

/** Adds the answer to the values that links and rules can read. */
export function completeSeen(seen: Seen, outcome: Answer | NoAnswer): Seen {
  if (outcome.kind === 'none') return seen;
  const read = isJson(headerOf(outcome, 'content-type') ?? '') ? readJson(outcome.body) : undefined;
  return {
    ...seen,
    status: outcome.status,
    responseHeaders: Object.fromEntries(outcome.headers),
    responseBody: read !== undefined && 'value' in read ? read.value : undefined,
  };
}

interface DataContext {
  readonly contract: Contract;
  readonly judge: Judge;
  readonly now: Instant;
  readonly tag: string;
  readonly seed: number;
}

/** Tools for the data of one case, with a random stream that no other case affects. */
export function toolsFor(context: DataContext, operation: Operation, phase: PhaseName, index: number): DataTools {
  const { contract, judge, now, tag } = context;
  const digest = createHash('sha256')
    .update(JSON.stringify([context.seed, operation.id, phase, index]))
    .digest();
  return { contract, judge, now, tag, seed: digest.readUInt32BE(0) >>> 1 };
}
