import { setTimeout as sleep } from 'node:timers/promises';
import { nameSome } from '../contract/printable.ts';
import type { Connection } from '../execute/connection.ts';
import type {
  AcceptedWrite,
  Answer,
  Interrupted,
  NoAnswer,
  NumberedExchange,
  Outage,
  OutgoingRequest,
  Sent,
} from '../execute/exchange.ts';
import type { Availability } from '../execute/session.ts';
import type { Failure } from '../failures/failure.ts';
import { isSafe, stopsDeployment } from '../plan/operation-kinds.ts';

export interface Outages extends Availability {
  /** Keeps an exchange, in the order of the plan: an outage may name it later. */
  readonly onExchange: (exchange: NumberedExchange) => void;
  readonly all: () => readonly Outage[];
  /** How long the run waited for a deployment that did not come back; undefined if it did. */
  readonly goneForMs: () => number | undefined;
  /** The requests that may have stopped the deployment. */
  readonly judge: () => readonly Blame[];
}

interface Given {
  readonly connection: Pick<Connection, 'isListening'>;
  /** Longest time that a deployment may be away. */
  readonly maxWaitMs: number;
  readonly signal: AbortSignal;
  /** A time of `performance.now()`. */
  readonly deadline: number;
}

const pollMs = 100;

/** A process that exits may close its connections a moment before its listening socket. */
const endsWithinMs = 50;

/** Longest time between an accepted write and an outage that it may have caused. */
const window = { stopMs: 10_000, writeMs: 1_500 } as const;

/** Pause after a request that may stop the deployment: the deployment answers before it exits. */
const stopsWithinMs = 1_000;

/** Outcomes without an attempt to connect. */
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
 * A deployment that listened before and now refuses connections has stopped. All requests wait until it is back, so that none is
 * blamed by chance. Then each repeatable request that was in flight is sent again alone, which shows the one that stopped it.
 */
export function watchOutages({ connection, maxWaitMs, signal, deadline }: Given): Outages {
  const listening = new Set<string>();
  const gone = new Map<string, OpenOutage>();
  const outages: OpenOutage[] = [];
  const recoveries = new Map<string, { readonly outage: OpenOutage; readonly isBack: Promise<boolean> }>();
  /** Requests whose connection broke, if no later request was answered since. */
  let broken: (Flight & { readonly brokeAt: number })[] = [];
  let writes: (Flight & { readonly status: number; readonly answeredAt: number })[] = [];
  let last: Sent | undefined;
  const stops = new Map<string, Promise<void>>();
  const repeated = new Set<OutgoingRequest>();
  const byRequest = new Map<OutgoingRequest, OpenOutage>();
  const recent = rememberExchanges(() => outages);

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

  /** Begins an outage: an address where the deployment listened refuses connections. */
  const lose = (base: string): { readonly outage: OpenOutage; readonly isBack: Promise<boolean> } => {
    const known = recoveries.get(base);
    if (known !== undefined) return known;
    const lostAt = performance.now();
    const own = writes.filter(({ request }) => request.base === base);
    const accepted = own
      .map(({ operation, request, status, answeredAt }): AcceptedWrite => {
        return { operation, request, status, beforeMs: lostAt - answeredAt, isStop: stopsDeployment(operation) };
      })
      .filter(({ beforeMs, isStop }) => beforeMs <= (isStop ? window.stopMs : window.writeMs))
      .sort((a, b) => Number(b.isStop) - Number(a.isStop) || a.beforeMs - b.beforeMs);
    const outage: OpenOutage = { base, lostAt, accepted, last, interrupted: [], awayMs: undefined, waitedMs: 0 };
    outages.push(outage);
    // A write is not blamed for two outages.
    writes = writes.filter((write) => !own.includes(write));
    for (const flight of broken.filter(({ request }) => request.base === base)) interrupt(outage, flight);
    broken = broken.filter(({ request }) => request.base !== base);
    const recovery = { outage, isBack: recover(outage).finally(() => recoveries.delete(base)) };
    recoveries.set(base, recovery);
    return recovery;
  };

  /** Waits for the deployment to stop after a request to do so: a request in flight at that time may be lost. */
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
    if (status >= 200 && status < 300 && (!isSafe(operation) || stopsDeployment(operation))) {
      // Sorted by the time of their answers; there may be thousands.
      const kept = writes.findIndex(({ answeredAt }) => now - answeredAt <= window.stopMs);
      writes.splice(0, kept < 0 ? writes.length : kept);
      writes.push({ operation, request, startedAt, status, answeredAt: now });
      if (stopsDeployment(operation) && !stops.has(request.base)) {
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
    goneForMs: () => outages.find(({ awayMs, waitedMs }) => awayMs === undefined && waitedMs > 0)?.waitedMs,
    onExchange: recent.see,
    judge: () => judgeOutages(outages, recent.of),
  };
}

/** A failure with the exchanges that show it, the likeliest first. */
interface Blame {
  readonly failure: Failure;
  readonly exchanges: readonly NumberedExchange[];
}

const mostNamed = 6;

/** Most exchanges kept for a later outage. All requests of a round are sent before the first one is recorded here. */
const mostRecent = 128;

interface Remembered {
  readonly see: (exchange: NumberedExchange) => void;
  readonly of: (request: OutgoingRequest) => NumberedExchange | undefined;
}

/** Keeps the last exchanges, and permanently those that an outage names. */
export function rememberExchanges(outages: () => readonly Outage[]): Remembered {
  const kept = new Map<OutgoingRequest, NumberedExchange>();
  const recent = new Map<OutgoingRequest, NumberedExchange>();
  return {
    see: (exchange) => {
      const { request } = exchange;
      if (!recent.has(request)) recent.set(request, exchange);
      const [oldest] = recent;
      if (recent.size <= mostRecent || oldest === undefined) return;
      recent.delete(oldest[0]);
      if (outages().some((outage) => names(outage, oldest[0]))) kept.set(...oldest);
    },
    of: (request) => kept.get(request) ?? recent.get(request),
  };
}

function names({ interrupted, accepted, last }: Outage, request: OutgoingRequest): boolean {
  return [...interrupted, ...accepted, last].some((part) => part?.request === request);
}

/**
 * The requests that stopped a deployment, judged at the end of the run: a defect if one request broke it, an inconclusive finding if
 * several may have, or none is known. An outage that a request asked for is no fault: see {@link explainOutages}.
 *
 * @param exchangeOf the exchange of a request; undefined if it is no longer kept
 */
export function judgeOutages(
  outages: readonly Outage[],
  exchangeOf: (request: OutgoingRequest) => NumberedExchange | undefined,
): readonly Blame[] {
  const broken = outages.filter((outage) => !isRequested(outage));
  const sure = new Set(broken.flatMap(culpritsOf).map(({ operation }) => operation));
  const reported = new Set<OutgoingRequest>();
  return broken.flatMap((outage): Blame[] => {
    const culprits = culpritsOf(outage);
    const open = outage.interrupted.filter(({ alone }) => alone === 'unknown');
    const candidates = culprits.length > 0 ? culprits : open;
    // An operation that certainly caused another outage explains this one; a repeated request is the same finding.
    if (culprits.length === 0 && open.some(({ operation }) => sure.has(operation))) return [];
    if (culprits.length > 0 && culprits.every(({ request }) => reported.has(request))) return [];
    for (const { request } of culprits) reported.add(request);
    const [write] = outage.accepted;
    const parts = candidates.length > 0 ? candidates : [write ?? outage.last];
    const exchanges = parts.flatMap((part) => (part === undefined ? [] : (exchangeOf(part.request) ?? [])));
    const [first] = exchanges;
    if (first === undefined) return [];
    const isSure = culprits.some(({ isAnsweredLater }) => !isAnsweredLater) || isGoneWith(outage, open);
    const failure: Failure = {
      check: 'no-answer',
      severity: isSure ? 'defect' : 'suspect',
      place: 'response',
      pointer: first.operation.pointer,
      keyword: 'stopped',
      clause: 'RFC 9110 3.4',
      message: describe(outage, candidates),
      causes: [['stopped', ...parts.flatMap((part) => part?.operation.id ?? [])]],
    };
    return [{ failure, exchanges }];
  });
}

/** Outages that an accepted request asked for, one sentence each. */
export function explainOutages(outages: readonly Outage[]): readonly string[] {
  return outages.filter(isRequested).map((outage) => {
    const [first] = outage.accepted;
    const before = first === undefined ? '' : describeWrite(first);
    return `The deployment stopped after it had accepted ${before}, and ${describeReturn(outage)}.`;
  });
}

function isRequested({ accepted }: Outage): boolean {
  return accepted[0]?.isStop === true;
}

/**
 * The requests that certainly stopped the deployment: one that did so again when sent alone, or the only one in flight that was not
 * answered when sent again.
 */
function culpritsOf({ interrupted }: Outage): readonly Interrupted[] {
  const again = interrupted.filter(({ alone }) => alone === 'stopped it again');
  if (again.length > 0) return again;
  const open = interrupted.filter(({ alone }) => alone === 'unknown');
  return open.length === 1 ? open : [];
}

/** Whether the deployment did not come back: one of the open requests stopped it, but none can be sent again. */
function isGoneWith({ awayMs }: Outage, open: readonly Interrupted[]): boolean {
  return awayMs === undefined && open.length > 0;
}

function describe(outage: Outage, candidates: readonly Interrupted[]): string {
  const others = idsOf(outage.interrupted.filter((one) => !candidates.includes(one)));
  const cleared =
    others.length === 0 ? '' : `; ${nameSome(others, mostNamed)}, also in flight, was answered when sent again alone`;
  const writes = outage.accepted.map(describeWrite).slice(0, 3);
  const before = writes.length === 0 ? '' : `; accepted just before: ${writes.join(', ')}`;
  const returned = `the deployment stopped and ${describeReturn(outage)}`;
  const [only] = candidates;
  if (only === undefined) {
    const last = outage.last === undefined ? '' : `; answered last: ${outage.last.operation.id}`;
    return `${returned}, and the run found no request that caused it${before || last}${cleared}`;
  }
  if (candidates.length > 1) {
    return `${returned}; requests in flight: ${nameSome(idsOf(candidates), mostNamed)}${before}${cleared}`;
  }
  const again = only.alone === 'stopped it again' ? ', and again when it was sent alone' : '';
  const later = only.isAnsweredLater ? '; another request of this operation was answered later' : '';
  return `${returned} while ${only.operation.id} was in flight${again}${later}${before}${cleared}`;
}

function describeReturn({ awayMs, waitedMs }: Outage): string {
  return awayMs === undefined ? `did not come back within ${seconds(waitedMs)}` : `came back after ${seconds(awayMs)}`;
}

function describeWrite({ operation, status, beforeMs }: AcceptedWrite): string {
  return `${operation.id} (${status}, ${seconds(beforeMs)} before)`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function idsOf(requests: readonly Sent[]): readonly string[] {
  return [...new Set(requests.map(({ operation }) => operation.id))];
}
