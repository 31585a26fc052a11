import { setImmediate } from 'node:timers/promises';

/** A running program that a signal can stop. */
export interface Stoppable {
  /** Number of pending requests; omitted if other processes answer them. */
  readonly underWay?: () => number;
  /** Stops it gracefully. @returns how many connections had to be cut */
  readonly close: () => Promise<{ readonly cut: number }>;
}

export interface Running extends Stoppable {
  readonly underWay: () => number;
}

/** The log for its end. */
export interface StopLog {
  readonly info: (fields: object, message: string) => void;
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/** The reason why a start is cancelled. */
class Stopped extends Error {
  override readonly name = 'Stopped';
}

/**
 * Starts a program and stops it gracefully at SIGINT or SIGTERM. If the signal comes during the start, `start` throws the error of
 * `throwIfStopping` and leaves nothing open. A second signal of the same kind kills the process at once.
 *
 * Logs `stopping` with the number of pending requests, and `stopped` at the end.
 *
 * @throws errors of `start` and of closing
 */
export async function runUntilStopped(
  logger: StopLog,
  start: (stopping: AbortSignal) => Promise<Stoppable>,
): Promise<void> {
  const stopping = new AbortController();
  const asked = Promise.withResolvers<void>();
  let running: Stoppable | undefined;
  let askedAt = 0;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping.signal.aborted) return;
    askedAt = performance.now();
    logger.info({ signal, requests: running === undefined ? 0 : running.underWay?.() }, 'stopping');
    stopping.abort(new Stopped(`${signal} came while it started`));
    asked.resolve();
  };
  for (const signal of signals) process.once(signal, stop);
  let cut = 0;
  try {
    running = await start(stopping.signal);
    await asked.promise;
    cut = (await running.close()).cut;
  } catch (error) {
    if (!(stopping.signal.aborted && isOf(stopping.signal, error))) {
      // Nothing is running that a signal could stop gracefully.
      for (const signal of signals) process.removeListener(signal, stop);
      throw error;
    }
  }
  logger.info({ ms: Math.round(performance.now() - askedAt), connectionsCut: cut }, 'stopped');
}

/** Functions of Node throw an AbortError for an abort signal. */
function isOf(stopping: AbortSignal, error: unknown): boolean {
  return error === stopping.reason || (error instanceof Error && error.name === 'AbortError');
}

/**
 * A point at which a start can be cancelled. A signal during long synchronous work, such as a database check, is handled only between
 * two turns of the event loop.
 *
 * @throws the reason of `stopping`
 */
export async function throwIfStopping(stopping: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  await setImmediate();
  stopping?.throwIfAborted();
}
