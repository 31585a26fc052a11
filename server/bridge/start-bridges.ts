import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Keys } from '../keys.ts';
import type { Store } from '../store/store.ts';
import type { Habits } from './habits.ts';
import { createJobDataSeal } from './job-data.ts';
import { createJobRunner } from './job-runner.ts';
import type { BridgeLink } from './link.ts';
import { createOpenLocks, type OpenLocks } from './open-locks.ts';
import { settleReport } from './settle-report.ts';
import { createSimulatedBridges } from './simulated-bridges.ts';
import { type JobTimer, startJobTimer } from './start-job-timer.ts';

export interface BridgeOptions {
  readonly store: Store;
  readonly keys: Pick<Keys, 'deviceKey'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Faults of simulated devices, by deviceId. */
  readonly habits?: Readonly<Record<string, Habits>> | undefined;
}

export interface Bridges extends JobTimer {
  readonly link: BridgeLink;
  /** The virtual locks behind the bridges, for entries at their keypads. */
  readonly locks: OpenLocks;
}

/** Starts the simulated bridges, and resumes the unfinished jobs of an earlier process. */
export function startBridges({ store, keys, clock, logger, habits = {} }: BridgeOptions): Bridges {
  const locks = createOpenLocks({ store, keys, clock, habits, randomBytes });
  const link = createSimulatedBridges({ store, locks, clock, habits });
  const jobData = createJobDataSeal(keys.deviceKey, randomBytes);
  const settle = settleReport.bind(null, { store, keys, clock });
  const runner = createJobRunner({ store, link, clock, jobData, settle, logger });
  const timer = startJobTimer(runner, clock, logger);
  const stop = async () => {
    await timer.stop();
    await store.jobs
      .release(clock.now())
      .catch((error) => logger.warn({ err: error }, 'the jobs of this process wait for their lease to end'));
  };
  return { link, locks, ...timer, stop };
}
