import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { type Logger, pino } from 'pino';

export interface Log {
  readonly logger: Logger;
  /** Tries for a second at most to write what is kept back. Before the process ends. */
  readonly end: () => Promise<void>;
}

/** What is kept back while nothing can be written: some 5,000 lines, seconds of a busy service. */
const limitBytes = 1024 * 1024;
/** A reader that is merely slow empties a pipe of 64 KiB between two tries; one that hangs costs five tries a second. */
const retryMs = { first: 5, last: 200 } as const;
const endMs = 1000;

/** Lines that were dropped, one after the other. */
export interface Gap {
  readonly lines: number;
  /** When the first of them was dropped. */
  readonly since: Date;
  /** What kept the log from being written, as `ENOSPC`; `EAGAIN`: nobody reads. */
  readonly reason: string;
}

/**
 * Opens the log of a process: JSON lines on stdout (1) or stderr (2). No state of what is behind it stops the process: a disk that is
 * full, a reader that hangs, one that is gone. Lines then wait, up to 1 MiB; further ones are dropped, and their number is logged as a
 * warning, whatever the level, as soon as the log can be written again.
 *
 * pino's own destination tries a full disk again and again without letting go (also at exit), and waits for a reader that hangs in the
 * middle of whatever is being answered.
 */
export function openLog(level: string, fd: 1 | 2): Log {
  const target = openUnblocked(fd);
  const destination = createLogDestination(
    (bytes) => writeSync(target, bytes),
    (gap) => alarm.warn(gap, 'log lines were lost'),
  );
  const logger = pino({ level }, destination);
  const alarm = logger.child({}, { level: 'warn' });
  // Once, without waiting: a process that ends for another reason keeps what can be written at all.
  process.once('exit', destination.flush);
  return { logger, end: destination.end };
}

/**
 * A descriptor whose writes fail rather than wait. A file or a device like `/dev/null` never waits, and opened anew it would begin at its
 * start. A pipe or a terminal is opened anew, so that others who write to it keep it as it is. A socket can't be (`ENXIO`), nor can
 * what belongs to another user (`EACCES`): there Node's own stream on it does what is needed, save for a terminal, which then may wait.
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
 * The queue in front of a log. Each line is written before `write` returns, if it can be.
 *
 * @param write hands back how many bytes it took, or throws; never waits
 * @param tell hears of a gap, in the place where it is: behind all lines that came before it. May `write` a line
 */
export function createLogDestination(
  write: (bytes: Buffer) => number,
  tell: (gap: Gap) => void,
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
      // Once a line is lost the following are too, until all before them are written: one gap, told once.
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
      const told = gap;
      gap = undefined;
      tell(told);
    }
  }

  /** Tells whether all of it could be written. What is left of a line that was written in part comes first the next time. */
  function writeWaiting(): boolean {
    let whole = 0;
    try {
      for (const bytes of waiting) {
        for (let rest = bytes; rest.length > 0; ) {
          const taken = write(rest);
          pauseMs = retryMs.first;
          waitingBytes -= taken;
          rest = rest.subarray(taken);
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
