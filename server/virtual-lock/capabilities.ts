import type { JobType } from './jobs/job.ts';

/** What a lock is and can do. Given at every start, as firmware is: no part of its memory. */
export interface LockCapabilities {
  readonly type: 'Lock' | 'Keypad';
  /** Without it every code of nine digits is unknown. */
  readonly algoPin: boolean;
  /** Without it passage codes are unknown, as to firmware that is older than they are. */
  readonly passagePin: boolean;
  readonly firmware: string;
  /** How many codes it remembers, from 1; 1,000 when left out. */
  readonly codeCapacity?: number;
  /** Jobs that fail with this result, 1 to 7, and change nothing: `{ LOCK: 6 }` is a bolt that jams. */
  readonly faults?: Readonly<Partial<Record<JobType, 1 | 2 | 3 | 4 | 5 | 6 | 7>>>;
}

/** A keypad tells a lock to open; it has no bolt, hence no door to lock and no knowledge of one. */
export function hasBolt({ type }: LockCapabilities): boolean {
  return type === 'Lock';
}
