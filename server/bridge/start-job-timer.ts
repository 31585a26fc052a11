import type { Clock, EpochMilliseconds } from '../clock.ts';
import type { JobRunner } from './job-runner.ts';

export interface JobTimer {
  /** There is work, or the clock was moved: look now. */
  wake(): void;
  /**
   * The same, and waits until all is done that is due by now.
   *
   * @returns when there is more to do; null while nothing is due, or where it could not be looked at: a later look tells
   */
  settle(): Promise<EpochMilliseconds | null>;
  /** Waits for what is under way, and begins nothing more. */
  stop(): Promise<void>;
}

interface Log {
  warn(fields: object, text: string): void;
}

/** Looked at so often even where nothing seems due: the machine may have slept, or its clock been set. */
const longestSleepMs = 60_000;
const afterFailureMs = 1000;

/** Runs the job machine when something is due. Its timer keeps no process alive. */
export function startJobTimer(runner: JobRunner, clock: Clock, logger: Log): JobTimer {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isWoken = false;
  let isStopped = false;
  let due: EpochMilliseconds | null = null;

  const run = async (): Promise<void> => {
    let sleepMs = longestSleepMs;
    do {
      isWoken = false;
      try {
        due = await runner.tick();
        sleepMs = due === null ? longestSleepMs : due - clock.now();
      } catch (error) {
        logger.warn({ err: error }, 'the unfinished jobs could not be looked at, will try again');
        due = null;
        sleepMs = afterFailureMs;
      }
    } while (isWoken && !isStopped);
    running = undefined;
    if (!isStopped) timer = setTimeout(wake, Math.min(Math.max(sleepMs, 1), longestSleepMs)).unref();
  };
  const wake = (): void => {
    isWoken = true;
    if (isStopped || running !== undefined) return;
    clearTimeout(timer);
    running = run();
  };
  wake();
  return {
    wake,
    async settle() {
      wake();
      await running;
      return due;
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
