import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import { type Answer, headerOf, type NoAnswer, type OutgoingRequest } from './exchange.ts';
import type { Pace } from './pace.ts';

export interface Patience {
  readonly connection: Connection;
  readonly pace: Pace;
  /** Longest single wait that a `Retry-After` may ask for; beyond it the operation is set aside. */
  readonly maxWaitMs: number;
  readonly signal: AbortSignal;
  /** When nothing may be sent any more, in the time of `performance.now()`. */
  readonly deadline: number;
}

/** Says "later", not "wrong": 429 and 503 with a wait, a gateway's 502 and 504 once more (RFC 9110, 15.6.3 to 15.6.5). */
const retries: Readonly<Record<number, { readonly times: number; readonly waitMs: number }>> = {
  429: { times: 5, waitMs: 500 },
  503: { times: 2, waitMs: 200 },
  502: { times: 1, waitMs: 100 },
  504: { times: 1, waitMs: 100 },
};

/** Until when each bucket (an operation) waits. Others go on meanwhile. */
export type Buckets = Map<string, number>;

/**
 * Sends a request and repeats it while the answer only asks for time.
 *
 * @returns every outcome in order; all but the last were pauses
 */
export async function sendPatiently(
  request: OutgoingRequest,
  bucket: string,
  buckets: Buckets,
  patience: Patience,
): Promise<readonly (Answer | NoAnswer)[]> {
  const outcomes: (Answer | NoAnswer)[] = [];
  for (;;) {
    await waitUntil(buckets.get(bucket) ?? 0, patience);
    await patience.pace();
    const outcome = await patience.connection.send(request);
    outcomes.push(outcome);
    const retry = outcome.kind === 'answer' ? retries[outcome.status] : undefined;
    if (outcome.kind === 'none' || retry === undefined || patience.signal.aborted) return outcomes;
    const same = outcomes.filter((other) => other.kind === 'answer' && other.status === outcome.status).length;
    if (same > retry.times) return outcomes;
    const wait = readRetryAfter(headerOf(outcome, 'retry-after')) ?? retry.waitMs * 2 ** (same - 1);
    const until = performance.now() + wait;
    if (wait > patience.maxWaitMs || until > patience.deadline) return outcomes;
    buckets.set(bucket, Math.max(until, buckets.get(bucket) ?? 0));
  }
}

/** Seconds or an HTTP date, in milliseconds from now; undefined for neither. */
export function readRetryAfter(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text.trim())) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

async function waitUntil(instant: number, { signal }: Patience): Promise<void> {
  const left = instant - performance.now();
  if (left > 0) await sleep(left, undefined, { signal }).catch(() => undefined);
}
