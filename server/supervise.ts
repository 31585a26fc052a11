import { setTimeout as delay } from 'node:timers/promises';
import type { StopLog } from '@lockstep/runtime/run-until-stopped';
import { WrongUse } from '@lockstep/shell/wrong-use';

/** The end of a process, as Node reports it. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Connections that it had to cut. */
  readonly cut: number;
}

/** `close`: all processes stop. `retire`: another one has replaced it on its port, so that its clients must not notice. */
export type Manner = 'close' | 'retire';

/** One of several processes that serve. */
export interface ServingProcess {
  readonly pid: number;
  /** The origin, once it answers requests. Rejects with the reason when it exits before. */
  readonly ready: Promise<string>;
  readonly exited: Promise<Exit>;
  /** Finishes its requests and exits. It obeys `close` also while it retires. */
  readonly stop: (manner: Manner) => void;
  readonly kill: () => void;
}

export interface SuperviseOptions {
  readonly count: number;
  /** @param origin that of the processes which serve already; undefined for the first one */
  readonly start: (origin: string | undefined) => ServingProcess;
  readonly logger: StopLog & { readonly error: StopLog['info'] };
  readonly stopping: AbortSignal;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  /** Resolves after the time, and rejects when `stopping` is aborted. */
  readonly pause?: (ms: number, stopping: AbortSignal) => Promise<unknown>;
  /** Aborted after the time. */
  readonly limit?: (ms: number) => AbortSignal;
}

export interface Supervised {
  readonly origin: string;
  /** Replaces all processes, one after another. During a replacement, a further call is served by one more round after it. */
  readonly replaceAll: () => Promise<void>;
  /** Stops all processes. @returns how many connections they had to cut */
  readonly close: () => Promise<{ readonly cut: number }>;
}

/** A process that exits sooner died young. */
const matureMs = 60_000;
const longestPauseMs = 30_000;
/** Longer than a start takes on a busy machine, with its wait for the database: a process that is not ready by then hangs. */
const startPatienceMs = 120_000;
/** Longer than a process takes to cut its last connection (`drainMs`, `retireMs`), its last jobs and lines of the log: then it hangs. */
const patienceMs: Readonly<Record<Manner, number>> = { close: 13_000, retire: 70_000 };

/** A process starts again at once, and after further early deaths in a row with a growing pause. */
export function findPauseMs(earlyDeaths: number): number {
  return earlyDeaths <= 1 ? 0 : Math.min(1000 * 2 ** (earlyDeaths - 2), longestPauseMs);
}

/**
 * Starts processes and watches them: a process that exits is started again. The first one starts alone, so that a wrong configuration is
 * reported once. One that is not ready in two minutes is killed.
 *
 * @throws the reason why the first process does not start, or that of `stopping`. No process is left running
 */
export async function supervise({
  count,
  start,
  logger,
  stopping,
  now = () => performance.now(),
  pause = (ms, signal) => delay(ms, undefined, { signal }),
  limit = (ms) => AbortSignal.timeout(ms),
}: SuperviseOptions): Promise<Supervised> {
  const running = new Set<ServingProcess>();
  let isStopping = false;
  let cut = 0;
  stopping.addEventListener('abort', () => void stopAll());

  const begin = (origin?: string): ServingProcess => {
    const begun = killWhenLate(tryStart(start, origin), limit(startPatienceMs));
    running.add(begun);
    begun.ready.catch(() => undefined); // who needs the reason waits for it too
    void begun.exited.then((exit) => {
      running.delete(begun);
      cut += exit.cut;
    });
    return begun;
  };
  const first = begin();
  const origin = await first.ready.catch(async (error) => {
    await first.exited;
    stopping.throwIfAborted();
    throw error;
  });
  await stopIfAsked();
  const places = Array.from({ length: count }, (_, index): Place => {
    const place = { current: undefined, since: 0, earlyDeaths: 0 };
    occupy(place, index === 0 ? first : begin(origin));
    return place;
  });
  await Promise.allSettled(places.map(({ current }) => current?.ready));
  await stopIfAsked();

  let replacing: Promise<void> | undefined;
  let isAskedAgain = false;
  return { origin, replaceAll, close: stopAll };

  function occupy(place: Place, next: ServingProcess): void {
    place.current = next;
    place.since = now();
    void watch(place, next);
  }

  /** Starts another process when this one exits, unless it was replaced: its successor is watched while it still retires. */
  async function watch(place: Place, watched: ServingProcess): Promise<void> {
    const { code, signal } = await watched.exited;
    if (isStopping || place.current !== watched) return;
    place.current = undefined;
    place.earlyDeaths = now() - place.since < matureMs ? place.earlyDeaths + 1 : 1;
    const pauseMs = findPauseMs(place.earlyDeaths);
    logger.error({ process: watched.pid, code, signal, pauseMs, ...(await readFault(watched)) }, 'a process exited');
    if (pauseMs > 0) await pause(pauseMs, stopping).catch(() => undefined);
    // A replacement may have taken the place meanwhile.
    if (!isStopping && place.current === undefined) occupy(place, begin(origin));
  }

  function replaceAll(): Promise<void> {
    isAskedAgain = replacing !== undefined;
    replacing ??= replaceEach().finally(() => {
      replacing = undefined;
    });
    return replacing;
  }

  async function replaceEach(): Promise<void> {
    do {
      isAskedAgain = false;
      for (const place of places) if (!isStopping && !(await replace(place))) break;
    } while (isAskedAgain && !isStopping);
  }

  /** @returns whether the new process serves; otherwise the old one goes on */
  async function replace(place: Place): Promise<boolean> {
    const next = begin(origin);
    try {
      await next.ready;
    } catch {
      const { code, signal } = await next.exited;
      const fault = { process: next.pid, code, signal, ...(await readFault(next)) };
      if (!isStopping) logger.error(fault, 'a new process did not start, and the others go on');
      return false;
    }
    if (isStopping) return false;
    const old = place.current;
    occupy(place, next);
    logger.info({ process: next.pid, replaces: old?.pid }, 'a process was replaced');
    if (old !== undefined) await stop(old, 'retire');
    return true;
  }

  async function stopIfAsked(): Promise<void> {
    if (stopping.aborted) await stopAll();
    stopping.throwIfAborted();
  }

  async function stopAll(): Promise<{ readonly cut: number }> {
    isStopping = true;
    await Promise.all([...running].map((one) => stop(one, 'close')));
    return { cut };
  }
}

/** One of the processes that should run, and the time of its start. Empty during a pause. */
interface Place {
  current: ServingProcess | undefined;
  since: number;
  /** In a row. */
  earlyDeaths: number;
}

/** For some faults, as ENOMEM, Node throws when it starts a process. Like any early exit, they must not stop the other processes. */
function tryStart(start: SuperviseOptions['start'], origin: string | undefined): ServingProcess {
  try {
    return start(origin);
  } catch (error) {
    const exited = Promise.resolve({ code: null, signal: null, cut: 0 });
    return { pid: 0, ready: Promise.reject(error), exited, stop: () => undefined, kill: () => undefined };
  }
}

/** A process that never becomes ready would hold up a replacement, or leave its place empty, without an end. */
function killWhenLate(begun: ServingProcess, late: AbortSignal): ServingProcess {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => {
    reject(new WrongUse(`The process was not ready after ${startPatienceMs / 1000} seconds.`));
    begun.kill();
  };
  late.addEventListener('abort', giveUp);
  const ready = Promise.race([begun.ready, promise]).finally(() => late.removeEventListener('abort', giveUp));
  return {
    pid: begun.pid,
    ready,
    exited: begun.exited,
    stop: (manner) => begun.stop(manner),
    kill: () => begun.kill(),
  };
}

async function stop(one: ServingProcess, manner: Manner): Promise<void> {
  one.stop(manner);
  const killing = setTimeout(one.kill, patienceMs[manner]);
  await one.exited;
  clearTimeout(killing);
}

async function readFault(exited: ServingProcess): Promise<{ readonly reason?: string }> {
  return exited.ready.then(
    () => ({}),
    (error: Error) => ({ reason: error.message }),
  );
}
