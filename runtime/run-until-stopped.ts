import { setImmediate } from 'node:timers/promises';

/** What a signal ends. */
export interface Running {
  /** Requests that are being answered. */
  readonly underWay: () => number;
  /** Ends it in order. @returns how many connections had to be cut for that */
  readonly close: () => Promise<{ readonly cut: number }>;
}

/** Where the end is told of. */
export interface StopLog {
  readonly info: (fields: object, message: string) => void;
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/** Why a start is given up. */
class Stopped extends Error {
  override readonly name = 'Stopped';
}

/**
 * Starts something and ends it in order once SIGINT or SIGTERM comes, be that while it starts: then `start` throws what `throwIfStopping`
 * throws, with all closed again. The same signal a second time ends the process at once.
 *
 * Logs `stopping` with what is under way, and `stopped` at the end.
 *
 * @throws what `start` throws of its own, and what closing throws
 */
export async function runUntilStopped(
  logger: StopLog,
  start: (stopping: AbortSignal) => Promise<Running>,
): Promise<void> {
  const stopping = new AbortController();
  const asked = Promise.withResolvers<void>();
  let running: Running | undefined;
  let askedAt = 0;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping.signal.aborted) return;
    askedAt = performance.now();
    logger.info({ signal, requests: running?.underWay() ?? 0 }, 'stopping');
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
      // Nothing runs that a signal would end in order.
      for (const signal of signals) process.removeListener(signal, stop);
      throw error;
    }
  }
  logger.info({ ms: Math.round(performance.now() - askedAt), connectionsCut: cut }, 'stopped');
}

/** Node's own functions that take a signal throw an AbortError for it. */
function isOf(stopping: AbortSignal, error: unknown): boolean {
  return error === stopping.reason || (error instanceof Error && error.name === 'AbortError');
}

/**
 * A place at which a start can be given up. A signal that came during long synchronous work, as checking a database is, is heard
 * only when the event loop has looked for it, which it does between two turns.
 *
 * @throws the reason of `stopping`
 */
export async function throwIfStopping(stopping: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  await setImmediate();
  stopping?.throwIfAborted();
}
