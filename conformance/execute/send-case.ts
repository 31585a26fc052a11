import { createHash } from 'node:crypto';
import type { Contract, Operation } from '../contract/contract.ts';
import type { Draft } from '../data/draft.ts';
import type { Instant } from '../data/time.ts';
import type { DataTools } from '../data/value-ladder.ts';
import { type Permissions, scopesOfValues } from '../plan/may-send.ts';
import type { PhaseName } from '../plan/phases.ts';
import type { Judge } from '../schema/create-judge.ts';
import { type Accounts, type Authorization, authorize } from './authorize.ts';
import { completeSeen } from './complete-seen.ts';
import type { Exchange } from './exchange.ts';
import { type Buckets, type Patience, sendPatiently } from './send-patiently.ts';
import { seenOf, writeRequest } from './write-request.ts';

/** Everything that a scenario needs to build and send its cases. */
export interface SendCase {
  readonly contract: Contract;
  readonly judge: Judge;
  readonly permissions: Permissions;
  readonly now: Instant;
  readonly seed: number;
  readonly tag: string;
  /** Sends one case, with credentials, and again as long as the answer only asks for time. */
  readonly sendCase: (draft: Draft, phase: PhaseName) => Promise<readonly Exchange[]>;
}

interface Wiring extends Omit<SendCase, 'sendCase'> {
  readonly accounts: Accounts;
  readonly patience: Patience;
  readonly baseFor: (operation: Operation) => string;
  /** Of the run, in the time of `performance.now()`. */
  readonly startedAt: number;
}

const anonymous: Authorization = { headers: [], query: [], cookies: [], scopes: undefined };

export function createSendCase(wiring: Wiring): SendCase {
  const buckets: Buckets = new Map();
  return {
    ...wiring,
    sendCase: async (draft, phase) => {
      const { operation } = draft;
      const seen = seenOf(draft);
      const extraScopes = scopesOfValues(operation, seen);
      const attempt = async (): Promise<{ exchanges: Exchange[]; authorization: Authorization | undefined }> => {
        const authorization = await authorize(wiring.accounts, operation, extraScopes);
        const written = writeRequest(draft, wiring.baseFor(operation), authorization ?? anonymous);
        const request = { ...written, headers: [...written.headers, ...wiring.accounts.plainHeaders] };
        const outcomes = await sendPatiently(request, operation.id, buckets, wiring.patience);
        const label = authorization === undefined ? `${draft.label}, without credentials` : draft.label;
        const exchanges = outcomes.map((outcome, index): Exchange => {
          const isPause = index < outcomes.length - 1;
          const atMs = performance.now() - wiring.startedAt;
          return { operation, phase, label, request, outcome, seen: completeSeen(seen, outcome), isPause, atMs };
        });
        return { exchanges, authorization };
      };
      const first = await attempt();
      const last = first.exchanges.at(-1)?.outcome;
      // A token may end in mid-run: a new one is fetched once, and only what comes then counts.
      if (last?.kind !== 'answer' || last.status !== 401) return first.exchanges;
      if (first.authorization?.renew?.() !== true) return first.exchanges;
      const again = await attempt();
      return [...first.exchanges.map((exchange) => ({ ...exchange, isPause: true })), ...again.exchanges];
    },
  };
}

/** Tools for the data of one case, with a stream of chance of its own: no other case changes it. */
export function toolsFor(context: SendCase, operation: Operation, phase: PhaseName, index: number): DataTools {
  const { contract, judge, now, tag } = context;
  const digest = createHash('sha256')
    .update(JSON.stringify([context.seed, operation.id, phase, index]))
    .digest();
  return { contract, judge, now, tag, seed: digest.readUInt32BE(0) >>> 1 };
}
