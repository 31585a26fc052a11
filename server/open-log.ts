import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { type Logger, type LoggerOptions, pino } from 'pino';
import { createWindowCounter } from './limits/window-counter.ts';
import { StoreUnavailable } from './store/store.ts';

export interface Log {
  readonly logger: Logger;
  /** Tries for at most a second to write the waiting lines, before the process exits. */
  readonly end: () => Promise<void>;
}

/** Limit of waiting lines while nothing can be written: some 5,000 lines, seconds of a busy service. */
const limitBytes = 1024 * 1024;
/** A slow reader empties a pipe of 64 KiB between two attempts; a hanging one costs five attempts a second. */
const retryMs = { first: 5, last: 200 } as const;
const endMs = 1000;

/** A gap in the log: consecutive dropped lines. */
export interface Gap {
  readonly lines: number;
  /** Time of the first dropped line. */
  readonly since: Date;
  /** The error code of the last write, as `ENOSPC`; `EAGAIN`: the reader hangs. */
  readonly reason: string;
}

/**
 * Opens the log of a process: JSON lines on stdout (1) or stderr (2). A full disk or a reader that hangs or is gone never blocks the process.
 * Lines then wait, up to 1 MiB; further ones are dropped, and their number is logged as a warning at any level, as soon as the log can be
 * written again.
 *
 * A fault of the store is logged once a minute; see `createFaultFilter`.
 *
 * pino's own destination retries a full disk in a busy loop (also at exit), and blocks on a reader that hangs.
 */
export function openLog(level: string, fd: 1 | 2): Log {
  const target = openUnblocked(fd);
  const destination = createLogDestination(
    (bytes) => writeSync(target, bytes),
    (gap) => alarm.warn(gap, 'log lines were lost'),
  );
  const mayLog = createFaultFilter();
  const logMethod: NonNullable<LoggerOptions['hooks']>['logMethod'] = function (args, method) {
    if (mayLog(args[0], args[1])) method.apply(this, args);
  };
  const logger = pino({ level, hooks: { logMethod } }, destination);
  const alarm = logger.child({}, { level: 'warn' });
  // One attempt without waiting, for a process that exits without `end`.
  process.once('exit', destination.flush);
  return { logger, end: destination.end };
}

/** At most five reasons times the number of places that log them. */
const mostFaults = { limit: 1, windowMs: 60_000 } as const;

/**
 * Decides about the lines of a log: while the database is away every request fails, and each would log the same fault with its stack. A fault
 * of the store is logged once a minute for each text and reason. The line of each request has its status in any case.
 *
 * @param now a monotonic clock in milliseconds
 */
export function createFaultFilter(
  now: () => number = () => performance.now(),
): (fields: unknown, text?: unknown) => boolean {
  const logged = createWindowCounter(mostFaults);
  return (fields, text) => {
    const fault = findFault((fields as { readonly err?: unknown } | undefined)?.err);
    return fault === undefined || logged.take(`${fault.reason} ${text}`, now()).accepted;
  };
}

function findFault(error: unknown): StoreUnavailable | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof StoreUnavailable) return cause;
  return undefined;
}

/**
 * Opens a descriptor whose writes fail instead of waiting. A file or a device like `/dev/null` never waits, and a reopened one would start
 * at its beginning. A pipe or a terminal is reopened, so that other writers keep its flags. A socket (`ENXIO`) or another user's terminal
 * (`EACCES`) can't be reopened: then Node's own stream makes it non-blocking, except for a terminal, which may wait.
 */
function openUnblocked(fd: 1 | 2): number {
  const isTerminal = isatty(fd);
  const kind = fstatSync(fd);
  if (!isTerminal && !kind.isFIFO() && !kind.isSocket()) return fd;
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    if (!isTerminal) (fd === 1 ? process.stdout : process.stderr).on('error', () => undefined);
    return fd;
  }
}

/**
 * Creates the queue in front of a log. Each line is written before `write` returns, if possible.
 *
 * @param write returns the number of written bytes, or throws; never waits
 * @param report called about a gap after all lines before it are written. It may `write` a line
 */
export function createLogDestination(
  write: (bytes: Buffer) => number,
  report: (gap: Gap) => void,
  now: () => Date = () => new Date(),
) {
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let gap: Gap | undefined;
  let reason = '';
  let pauseMs: number = retryMs.first;
  let timer: NodeJS.Timeout | undefined;
  return {
    write: (line: string): void => {
      const bytes = Buffer.from(line);
      // After a lost line all following ones are dropped until the queue is empty: one gap, reported once.
      if (gap !== undefined || (waitingBytes > 0 && waitingBytes + bytes.length > limitBytes)) {
        gap = { since: now(), ...gap, lines: (gap?.lines ?? 0) + 1, reason };
        return;
      }
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (timer === undefined) flush();
    },
    flush,
    end: async (): Promise<void> => {
      const lastTry = performance.now() + endMs;
      for (flush(); waitingBytes > 0 && performance.now() < lastTry; flush()) await delay(retryMs.first);
    },
  };

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (!writeWaiting()) {
      timer = setTimeout(flush, pauseMs).unref();
      pauseMs = Math.min(pauseMs * 2, retryMs.last);
    } else if (gap !== undefined) {
      const reported = gap;
      gap = undefined;
      report(reported);
    }
  }

  /** @returns whether all lines were written. The rest of a partly written line comes first the next time. */
  function writeWaiting(): boolean {
    let whole = 0;
    try {
      for (const bytes of waiting) {
        for (let rest = bytes; rest.length > 0; ) {
          const written = write(rest);
          pauseMs = retryMs.first;
          waitingBytes -= written;
          rest = rest.subarray(written);
          waiting[whole] = rest;
        }
        whole++;
      }
      return true;
    } catch (error) {
      reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      return false;
    } finally {
      waiting.splice(0, whole);
    }
  }
}
