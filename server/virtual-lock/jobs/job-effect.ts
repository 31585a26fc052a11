import type { EpochMilliseconds } from '../../clock.ts';
import type { LockMemory } from '../memory.ts';
import type { JobOutput } from './job.ts';

/** The effect of a job. A failed job changes nothing. */
export type JobEffect =
  | {
      readonly result: 0;
      readonly output: JobOutput;
      readonly memory: LockMemory;
      /** Set if the job asked for log entries besides its own: those from this time on, or all (null). */
      readonly logsFrom?: EpochMilliseconds | null;
    }
  | { readonly result: 1 | 2 | 3 | 4 | 5 | 6 | 7 };
