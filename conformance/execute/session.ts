import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Instant } from '@lockstep/values/instant';
import { type Contract, isJson, type Operation } from '../contract/contract.ts';
import type { Seen } from '../contract/document.ts';
import type { DataTools } from '../data/value-candidates.ts';
import { scopesOfValues } from '../plan/permissions.ts';
import { accepted, addressOf } from '../plan/plan.ts';
import type { CanonicalForm } from '../schema/canonical.ts';
import type { Judge } from '../schema/create-judge.ts';
import { type Accounts, type Authorization, authorize } from './authorize.ts';
import type { Connection } from './connection.ts';
import { createHolder, readJson } from './content.ts';
import {
  type Answer,
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
import { type Draft, seenOf, writeRequest } from './write-request.ts';

/** What a request is to establish. Left out: that a valid one is accepted. */
export type Aim = Partial<Pick<Intent, 'polarity' | 'place' | 'obligation'>>;

/** How one scenario sends. */
export interface Session {
  /**
   * Sends one case, with credentials, and again as long as the answer only asks for time.
   *
   * @returns every exchange in order, all but the last of them pauses; none where the run ended meanwhile, or where the identity of
   *   the draft cannot be had: no second account, no narrower token
   */
  readonly send: (draft: Draft, aim?: Aim) => Promise<readonly Exchange[]>;
}

export interface Engine {
  /** Answers of earlier rounds are kept no more. */
  readonly beginRound: () => void;
  readonly open: (scenario: { readonly id: string; readonly phase: PhaseName }) => Session;
  /**
   * The same request once more, when nothing else is under way. Whoever asks for it sees to it that it may be repeated.
   *
   * @returns undefined where the run ended
   */
  readonly again: (exchange: Exchange) => Promise<Exchange | undefined>;
  /** The outage in which a request of this run was interrupted. */
  readonly outageOf: (request: OutgoingRequest) => Outage | undefined;
}

type Outcome = Answer | NoAnswer | undefined;

/** Whether the deployment is there. */
export interface Availability {
  /** Resolves when the deployment is there, as far as is known. */
  readonly whenUp: () => Promise<void>;
  /** Runs one send. `later`: it never reached the deployment, which was away and is back. */
  readonly follow: (part: Sent, send: () => Promise<Outcome>) => Promise<Outcome | 'later'>;
  /** The same request goes out again, alone. */
  readonly sendsAgain: (request: OutgoingRequest) => void;
  /** The outage in which a request was interrupted, or which kept it from being sent for good. */
  readonly of: (request: OutgoingRequest) => Outage | undefined;
}

/** Notices when what lets the run in is not accepted any more: a token has ended, or a request has reset it. */
export interface CredentialWatch {
  /** The request with what came in the place of credentials that ended. */
  readonly current: (request: OutgoingRequest) => OutgoingRequest;
  /** Takes an answer into account. @param secrets what was shown to be let in */
  readonly observe: (
    operation: Operation,
    request: OutgoingRequest,
    secrets: readonly string[],
    outcome: Outcome,
  ) => void;
  /**
   * After a 401 to a request that showed these secrets: asks again for what was answered with them before.
   *
   * @param sent the request as `current` gave it
   * @returns `kept` where they still hold or never did, `renewed` where an accepted write has handed out others that do
   */
  readonly check: (secrets: readonly string[], sent: OutgoingRequest) => Promise<'kept' | 'renewed' | 'lost'>;
}

interface Wiring {
  readonly accounts: Accounts;
  readonly connection: Connection;
  readonly pace: Pace;
  /** Longest single wait that a `Retry-After` may ask for, or that a deployment may be away. */
  readonly maxWaitMs: number;
  readonly signal: AbortSignal;
  /** When nothing may be sent any more, in the time of `performance.now()`. */
  readonly deadline: number;
  readonly baseFor: (operation: Operation) => string;
  /** The contract's schemas as requests have them: they say how bodies that are no JSON are written. */
  readonly form: CanonicalForm;
  /** Of the run, in the time of `performance.now()`. */
  readonly startedAt: number;
  readonly availability: Availability;
  /** @param send one request, when its operation may send */
  readonly watchCredentials: (
    send: (operation: Operation, request: OutgoingRequest) => Promise<Outcome>,
  ) => CredentialWatch;
  /** Requests in flight at first. */
  readonly workers: number;
}

const anonymous: Authorization = { headers: [], query: [], cookies: [], scopes: undefined };

export function createEngine(wiring: Wiring): Engine {
  const { connection, pace, maxWaitMs, signal, deadline, startedAt, availability } = wiring;
  const inFlight = limitInFlight(wiring.workers);
  /** Until when each operation waits. Others go on meanwhile. */
  const waits = new Map<string, number>();

  const held = createHolder();
  /** One request, when its operation may send again; what never reached the deployment goes out once it is back. */
  const exchange = async (operation: Operation, request: OutgoingRequest): Promise<Answer | NoAnswer | undefined> => {
    for (;;) {
      await waitUntil(waits.get(operation.id) ?? 0);
      await availability.whenUp();
      await pace();
      const outcome = await availability.follow({ operation, request }, () =>
        inFlight.run(request.base, () => connection.send(request)),
      );
      if (outcome !== 'later') return outcome?.kind === 'answer' ? held.hold(outcome) : outcome;
    }
  };

  const watch = wiring.watchCredentials(exchange);

  /** Every outcome in order; all but the last were pauses. */
  const exchangePatiently = async (operation: Operation, request: OutgoingRequest) => {
    const outcomes: (Answer | NoAnswer)[] = [];
    for (;;) {
      const outcome = await exchange(operation, request);
      if (outcome === undefined) return outcomes;
      outcomes.push(outcome);
      const wait = signal.aborted ? undefined : pauseAfter(operation, request, outcomes, maxWaitMs);
      const until = performance.now() + (wait ?? 0);
      if (wait === undefined || until > deadline) return outcomes;
      waits.set(operation.id, Math.max(until, waits.get(operation.id) ?? 0));
    }
  };

  const waitUntil = async (instant: number): Promise<void> => {
    const left = instant - performance.now();
    if (left > 0) await sleep(left, undefined, { signal }).catch(() => undefined);
  };

  return {
    beginRound: held.release,
    open: ({ id, phase }) => {
      let step = 0;
      return {
        send: async (
          draft,
          { polarity = 'valid', place, obligation = addressOf(draft.operation.id, phase, accepted) } = {},
        ) => {
          const { operation, identity = 'own' } = draft;
          const seen = seenOf(draft);
          const extraScopes = scopesOfValues(operation, seen);
          const refused = new Set<string>();
          const attempt = async () => {
            const authorization = await authorize(wiring.accounts, operation, extraScopes, identity, refused);
            // Sent as somebody else, a request would prove something else.
            if (authorization === undefined && identity !== 'own') return undefined;
            const shown = authorization ?? anonymous;
            const added = { ...shown, headers: [...wiring.accounts.plainHeaders, ...shown.headers] };
            const whole = writeRequest(draft, wiring.baseFor(operation), added, wiring.form);
            const request = identity === 'own' ? watch.current(whole) : whole;
            const outcomes = await exchangePatiently(operation, request);
            const secrets = identity === 'own' ? secretsOf(shown) : [];
            watch.observe(operation, whole, secrets, outcomes.at(-1));
            const label = authorization === undefined ? `${draft.label}, without credentials` : draft.label;
            const exchanges = outcomes.map((outcome, index): Exchange => {
              const intent: Intent = { phase, label, polarity, place, identity, obligation, case: id, step };
              step += 1;
              const atMs = performance.now() - startedAt;
              const isPause = index < outcomes.length - 1;
              return { operation, intent, request, outcome, seen: completeSeen(seen, outcome), isPause, atMs };
            });
            return { exchanges, authorization, secrets, request };
          };
          const isRefused = (exchanges: readonly Exchange[]): boolean => {
            const last = exchanges.at(-1)?.outcome;
            return last?.kind === 'answer' && last.status === 401;
          };
          const pauses = (exchanges: readonly Exchange[]) => exchanges.map((one) => ({ ...one, isPause: true }));
          const before: Exchange[] = [];
          let first = await attempt();
          // Nothing says which of several schemes a bare token is for: a 401 asks for the next.
          for (let guess = first?.authorization?.guess; first !== undefined && guess !== undefined; ) {
            const last = first.exchanges.at(-1)?.outcome;
            const isIn = last !== undefined && isSuccess(last);
            const isOut = isRefused(first.exchanges);
            if (isIn || isOut) wiring.accounts.own.trials.tell(guess.name, isIn);
            if (!isOut || guess.othersLeft === 0) break;
            before.push(...pauses(first.exchanges));
            refused.add(guess.name);
            first = await attempt();
            guess = first?.authorization?.guess;
          }
          if (first === undefined) return before;
          if (!isRefused(first.exchanges)) return [...before, ...first.exchanges];
          // A token may end in mid-run: a new one is fetched once, and only what comes then counts.
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
      const outcome = await exchange(before.operation, before.request);
      if (outcome === undefined) return undefined;
      const intent = { ...before.intent, label: `${before.intent.label}, again alone`, step: before.intent.step + 1 };
      const seen = completeSeen(before.seen, outcome);
      return { ...before, intent, outcome, seen, atMs: performance.now() - startedAt };
    },
  };
}

/** What was shown to be let in, without the scheme of `Authorization`. */
function secretsOf({ headers, query, cookies }: Authorization): string[] {
  const values = [...headers, ...query, ...cookies].map(([, value]) => value.replace(/^[A-Za-z]+ +/, ''));
  return values.filter((value) => value !== '');
}

/** Adds the answer to what links and rules can see. */
function completeSeen(seen: Seen, outcome: Answer | NoAnswer): Seen {
  if (outcome.kind === 'none') return seen;
  const read = isJson(headerOf(outcome, 'content-type') ?? '') ? readJson(outcome.body) : undefined;
  return {
    ...seen,
    status: outcome.status,
    responseHeaders: Object.fromEntries(outcome.headers),
    responseBody: read !== undefined && 'value' in read ? read.value : undefined,
  };
}

interface Chance {
  readonly contract: Contract;
  readonly judge: Judge;
  readonly now: Instant;
  readonly tag: string;
  readonly seed: number;
}

/** Tools for the data of one case, with a stream of chance of its own: no other case changes it. */
export function toolsFor(chance: Chance, operation: Operation, phase: PhaseName, index: number): DataTools {
  const { contract, judge, now, tag } = chance;
  const digest = createHash('sha256')
    .update(JSON.stringify([chance.seed, operation.id, phase, index]))
    .digest();
  return { contract, judge, now, tag, seed: digest.readUInt32BE(0) >>> 1 };
}
