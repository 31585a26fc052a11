import type { Clock, EpochMilliseconds } from '../clock.ts';
import type { JobRunner } from './job-runner.ts';

export interface JobTimer {
  /** Runs the job machine now, as there is work or the clock was moved. */
  wake(): void;
  /**
   * The same, and waits until all steps that are due now are done.
   *
   * @returns the time of the next step; null while nothing is due, or if the store could not be read
   */
  settle(): Promise<EpochMilliseconds | null>;
  /** Waits for the current run, and starts no other. */
  stop(): Promise<void>;
}

interface Log {
  warn(fields: object, text: string): void;
}

/** The longest pause, even while nothing seems due: the computer may have slept, or its clock may have been set. */
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
        logger.warn({ err: error }, 'the unfinished jobs could not be read, will try again');
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
