// Limits the number, rate, concurrency and repetition of requests.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../contract/contract.ts';
import { mayRepeat } from '../plan/permissions.ts';
import { type Answer, headerOf, type NoAnswer, type OutgoingRequest } from './exchange.ts';

/** The limits of a run. If both are undefined, it finishes after its deterministic part. */
export interface Budget {
  readonly requests: number | undefined;
  readonly milliseconds: number | undefined;
}

/**
 * Reads `300req`, `30s`, `2m`, or both separated by a comma or space.
 *
 * @throws RangeError for anything else
 */
export function readBudget(text: string): Budget {
  const parts = text.trim().split(/[\s,]+/);
  const found = parts.map((part) => /^(\d+)\s*(req|ms|s|m)$/.exec(part));
  if (found.includes(null)) throw new RangeError(`"${text}" is not a budget: write 300req, 30s, or 300req,30s.`);
  const read = (units: Readonly<Record<string, number>>): number | undefined => {
    const match = found.find((part) => Object.hasOwn(units, part?.[2] ?? ''));
    return match === undefined ? undefined : Number(match?.[1]) * (units[match?.[2] ?? ''] ?? 1);
  };
  return { requests: read({ req: 1 }), milliseconds: read({ ms: 1, s: 1_000, m: 60_000 }) };
}

/** Reads `5/s`, `300/m`: requests per second. @throws RangeError for anything else */
export function readRate(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\/(s|m|h)$/.exec(text.trim());
  const rate = match === null ? 0 : Number(match[1]) / { s: 1, m: 60, h: 3600 }[match[2] as 's' | 'm' | 'h'];
  if (rate <= 0) throw new RangeError(`"${text}" is not a rate: write 5/s or 300/m.`);
  return rate;
}

/** Bounds the requests in flight to each origin. */
export interface InFlight {
  readonly run: <Outcome extends Answer | NoAnswer | undefined>(
    base: string,
    send: () => Promise<Outcome>,
  ) => Promise<Outcome>;
}

/**
 * Allows as many requests as workers, and halves their number, down to one, when an origin is overloaded without a `Retry-After`.
 * Answers to requests in flight during a halving cause no further one. A server with one SQLite file answered 503 on some 60
 * operations to sixteen requests at once, and on none to one at a time.
 */
export function limitInFlight(workers: number): InFlight {
  interface Origin {
    most: number;
    now: number;
    halvedAt: number;
    readonly waiting: (() => void)[];
  }
  const origins = new Map<string, Origin>();
  const originOf = (base: string): Origin => {
    const known = origins.get(base);
    if (known !== undefined) return known;
    const { origin: name } = new URL(base);
    const origin = origins.get(name) ?? { most: workers, now: 0, halvedAt: 0, waiting: [] };
    origins.set(name, origin).set(base, origin);
    return origin;
  };
  return {
    run: async (base, send) => {
      const origin = originOf(base);
      if (origin.now >= origin.most) await new Promise<void>((resolve) => origin.waiting.push(resolve));
      else origin.now += 1;
      const startedAt = performance.now();
      try {
        const outcome = await send();
        const isOver = outcome?.kind === 'answer' && isOverloaded(outcome) && !asksAgain(outcome);
        if (isOver && startedAt >= origin.halvedAt) {
          origin.most = Math.max(1, Math.floor(origin.most / 2));
          origin.halvedAt = performance.now();
        }
        return outcome;
      } finally {
        // The next queued request starts, unless the limit has fallen.
        const next = origin.now <= origin.most ? origin.waiting.shift() : undefined;
        if (next === undefined) origin.now -= 1;
        else next();
      }
    },
  };
}

/** Delays each request to keep a rate; without a rate there is no delay. */
export type Pace = () => Promise<void> | undefined;

export function createPace(perSecond: number | undefined, signal: AbortSignal): Pace {
  if (perSecond === undefined) return () => undefined;
  let next = 0;
  return async () => {
    const now = performance.now();
    const at = Math.max(now, next);
    next = at + 1000 / perSecond;
    if (at > now) await sleep(at - now, undefined, { signal }).catch(() => undefined);
  };
}

/** Temporary statuses: 429 and 503 are repeated with a wait, 408, 502 and 504 once (RFC 9110, 15.5.9 and 15.6.3 to 15.6.5). */
const retries: Readonly<
  Record<number, { readonly times: number; readonly waitMs: number; readonly isSent?: 'unknown' }>
> = {
  408: { times: 1, waitMs: 100 },
  429: { times: 5, waitMs: 500 },
  503: { times: 2, waitMs: 200, isSent: 'unknown' },
  502: { times: 1, waitMs: 100, isSent: 'unknown' },
  504: { times: 1, waitMs: 100, isSent: 'unknown' },
};

/** Whether a deployment answers that it is too busy, or that the resource is locked: the request had no effect. */
export function isOverloaded({ status, body }: Answer): boolean {
  if (status === 503 || status === 423) return true;
  return (
    status >= 500 &&
    /\b(is|are|was) locked\b|\block(ed)? (wait )?timeout|deadlock/i.test(body.subarray(0, 2_000).toString())
  );
}

/** Whether the answer states when to repeat the request (RFC 9110, 10.2.3). */
export function asksAgain(answer: Answer): boolean {
  return readRetryAfter(headerOf(answer, 'retry-after')) !== undefined;
}

/** Milliseconds before the request is repeated; undefined if the last outcome counts. */
export function pauseAfter(
  operation: Operation,
  { method }: OutgoingRequest,
  outcomes: readonly (Answer | NoAnswer)[],
  maxWaitMs: number,
): number | undefined {
  const last = outcomes.at(-1);
  const retry = last?.kind === 'answer' ? retries[last.status] : undefined;
  if (last?.kind !== 'answer' || retry === undefined) return undefined;
  // A gateway may have forwarded the request. A 503 with `Retry-After` means that it had no effect yet.
  const isAsked = last.status === 503 && asksAgain(last);
  // A 503 without `Retry-After` may come from concurrent requests: the queue repeats the request alone.
  if (last.status === 503 && !isAsked) return undefined;
  if (retry.isSent === 'unknown' && !isAsked && !mayRepeat(operation, method)) return undefined;
  const same = outcomes.filter((other) => other.kind === 'answer' && other.status === last.status).length;
  if (same > retry.times) return undefined;
  const wait = readRetryAfter(headerOf(last, 'retry-after')) ?? retry.waitMs * 2 ** (same - 1);
  return wait > maxWaitMs ? undefined : wait;
}

/** Seconds or an HTTP date, in milliseconds from now; undefined for neither. */
export function readRetryAfter(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text.trim())) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
