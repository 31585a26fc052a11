import { setTimeout as sleep } from 'node:timers/promises';
import { isSafe, tellsToStop } from '../plan/operation-kinds.ts';
import type { Connection } from './connection.ts';
import type { AcceptedWrite, Answer, Interrupted, NoAnswer, Outage, OutgoingRequest, Sent } from './exchange.ts';

export interface Outages {
  /** Resolves when the deployment is there, as far as is known. */
  readonly whenUp: () => Promise<void>;
  /** Runs one send. `later`: it never reached the deployment, which was away and is back. */
  readonly follow: (
    part: Sent,
    send: () => Promise<Answer | NoAnswer | undefined>,
  ) => Promise<Answer | NoAnswer | 'later' | undefined>;
  /** The same request goes out again, alone. */
  readonly sendsAgain: (request: OutgoingRequest) => void;
  /** The outage in which a request was interrupted, or which kept it from being sent for good. */
  readonly of: (request: OutgoingRequest) => Outage | undefined;
  /** In the order of their coming. */
  readonly all: () => readonly Outage[];
}

interface Given {
  readonly connection: Pick<Connection, 'isListening'>;
  /** Longest time that a deployment may be away. */
  readonly maxWaitMs: number;
  readonly signal: AbortSignal;
  /** In the time of `performance.now()`. */
  readonly deadline: number;
}

const pollMs = 100;

/** A process that ends may close what it serves a moment before it stops to listen. */
const endsWithinMs = 50;

/** Between the answer to an accepted write and the end that it may have asked for. */
const window = { stopMs: 10_000, writeMs: 1_500 } as const;

/** How long nobody is sent after a request that told it to stop: it answers first, and ends then. */
const stopsWithinMs = 1_000;

/** No connection was tried. */
const neverThere = new Set<NoAnswer['reason']>(['unsent', 'unresolved']);

type Open<Type> = { -readonly [Key in keyof Type]: Type[Key] };

interface OpenOutage extends Outage {
  readonly interrupted: Open<Interrupted>[];
  awayMs: number | undefined;
  waitedMs: number;
}

interface Flight extends Sent {
  readonly startedAt: number;
}

/**
 * A deployment that has listened and then refuses connections has stopped: all wait until it is back, so that nobody who merely
 * came by is blamed. Which of those that were under way has stopped it, shows when each is sent again alone, where it may be.
 */
export function watchOutages({ connection, maxWaitMs, signal, deadline }: Given): Outages {
  const listening = new Set<string>();
  const gone = new Map<string, OpenOutage>();
  const outages: OpenOutage[] = [];
  const recoveries = new Map<string, { readonly outage: OpenOutage; readonly isBack: Promise<boolean> }>();
  /** Connections that broke, and no later request was answered since. */
  let broken: (Flight & { readonly brokeAt: number })[] = [];
  let writes: (Flight & { readonly status: number; readonly answeredAt: number })[] = [];
  let last: Sent | undefined;
  const stops = new Map<string, Promise<void>>();
  const repeated = new Set<OutgoingRequest>();
  const byRequest = new Map<OutgoingRequest, OpenOutage>();

  const recover = async (outage: OpenOutage): Promise<boolean> => {
    const until = Math.min(outage.lostAt + maxWaitMs, deadline);
    while (performance.now() < until && !signal.aborted) {
      if (await connection.isListening(outage.base)) {
        outage.awayMs = performance.now() - outage.lostAt;
        return true;
      }
      await sleep(pollMs, undefined, { signal }).catch(() => undefined);
    }
    outage.waitedMs = performance.now() - outage.lostAt;
    if (!signal.aborted) gone.set(outage.base, outage);
    return false;
  };

  const interrupt = (outage: OpenOutage, { operation, request }: Sent): void => {
    byRequest.set(request, outage);
    const isAgain = repeated.has(request);
    outage.interrupted.push({
      operation,
      request,
      alone: isAgain ? 'stopped it again' : 'unknown',
      isAnsweredLater: false,
    });
    if (!isAgain) return;
    for (const before of outages.flatMap(({ interrupted }) => interrupted)) {
      if (before.request === request) before.alone = 'stopped it again';
    }
  };

  /** Nothing listens at an address where something did. */
  const lose = (base: string): { readonly outage: OpenOutage; readonly isBack: Promise<boolean> } => {
    const known = recoveries.get(base);
    if (known !== undefined) return known;
    const lostAt = performance.now();
    const own = writes.filter(({ request }) => request.base === base);
    const accepted = own
      .map(({ operation, request, status, answeredAt }): AcceptedWrite => {
        return { operation, request, status, beforeMs: lostAt - answeredAt, isStop: tellsToStop(operation) };
      })
      .filter(({ beforeMs, isStop }) => beforeMs <= (isStop ? window.stopMs : window.writeMs))
      .sort((a, b) => Number(b.isStop) - Number(a.isStop) || a.beforeMs - b.beforeMs);
    const outage: OpenOutage = { base, lostAt, accepted, last, interrupted: [], awayMs: undefined, waitedMs: 0 };
    outages.push(outage);
    // What has told it to stop once is not to blame for the next time.
    writes = writes.filter((write) => !own.includes(write));
    for (const flight of broken.filter(({ request }) => request.base === base)) interrupt(outage, flight);
    broken = broken.filter(({ request }) => request.base !== base);
    const recovery = { outage, isBack: recover(outage).finally(() => recoveries.delete(base)) };
    recoveries.set(base, recovery);
    return recovery;
  };

  /** All wait whether it stops as it was told to: what is under way at its end may be lost. */
  const awaitStop = async (base: string): Promise<void> => {
    const until = Math.min(performance.now() + stopsWithinMs, deadline);
    while (performance.now() < until && !signal.aborted) {
      if (!(await connection.isListening(base))) {
        await lose(base).isBack;
        return;
      }
      await sleep(pollMs, undefined, { signal }).catch(() => undefined);
    }
  };

  const answered = ({ operation, request, startedAt }: Flight, { status }: Answer): void => {
    const now = performance.now();
    last = { operation, request };
    broken = broken.filter(({ brokeAt }) => brokeAt > startedAt);
    if (status >= 200 && status < 300 && (!isSafe(operation) || tellsToStop(operation))) {
      writes = writes.filter(({ answeredAt }) => now - answeredAt <= window.stopMs);
      writes.push({ operation, request, startedAt, status, answeredAt: now });
      if (tellsToStop(operation) && !stops.has(request.base)) {
        stops.set(
          request.base,
          awaitStop(request.base).finally(() => stops.delete(request.base)),
        );
      }
    }
    for (const { interrupted, lostAt } of outages) {
      for (const one of interrupted) {
        if (one.request === request) one.alone = 'answered';
        else if (one.operation === operation && startedAt > lostAt) one.isAnsweredLater = true;
      }
    }
  };

  const isStillThere = async (base: string): Promise<boolean> => {
    if (!(await connection.isListening(base))) return false;
    await sleep(endsWithinMs, undefined, { signal }).catch(() => undefined);
    return await connection.isListening(base);
  };

  return {
    whenUp: async () => {
      await Promise.all([...stops.values(), ...[...recoveries.values()].map(({ isBack }) => isBack)]);
    },
    follow: async (part, send) => {
      const { request } = part;
      const { base } = request;
      const flight: Flight = { ...part, startedAt: performance.now() };
      const outcome = await send();
      if (outcome === undefined || (outcome.kind === 'none' && neverThere.has(outcome.reason))) return outcome;
      if (outcome.kind === 'answer') {
        listening.add(base);
        answered(flight, outcome);
        return outcome;
      }
      if (outcome.reason === 'refused') {
        if (!listening.has(base)) return outcome;
        const { outage, isBack } = gone.has(base) ? { outage: gone.get(base), isBack: undefined } : lose(base);
        if (await isBack) return 'later';
        if (signal.aborted) return undefined;
        if (outage !== undefined && !byRequest.has(request)) byRequest.set(request, outage);
        return outcome;
      }
      listening.add(base);
      if (outcome.reason !== 'reset' && outcome.reason !== 'truncated') return outcome;
      const during = outages.findLast((outage) => outage.base === base && flight.startedAt < outage.lostAt);
      if (during !== undefined) interrupt(during, part);
      else {
        broken.push({ ...flight, brokeAt: performance.now() });
        if (!(await isStillThere(base)) && !byRequest.has(request) && !signal.aborted) lose(base);
      }
      return outcome;
    },
    sendsAgain: (request) => {
      repeated.add(request);
    },
    of: (request) => byRequest.get(request),
    all: () => outages,
  };
}
