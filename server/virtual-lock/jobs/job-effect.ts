import type { EpochMilliseconds } from '../../clock.ts';
import type { LockMemory } from '../memory.ts';
import type { JobOutput } from './job.ts';

/** What a job did. One that failed changed nothing. */
export type JobEffect =
  | {
      readonly result: 0;
      readonly output: JobOutput;
      readonly memory: LockMemory;
      /** The job asked for the log from then on, or for all of it (null), and not just for what it did itself. */
      readonly logsFrom?: EpochMilliseconds | null;
    }
  | { readonly result: 1 | 2 | 3 | 4 | 5 | 6 | 7 };
