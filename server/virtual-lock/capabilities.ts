import type { JobType } from './jobs/job.ts';

/** Type and abilities of a lock. They are given at every start, as firmware is, and are no part of its memory. */
export interface LockCapabilities {
  readonly type: 'Lock' | 'Keypad';
  /** Without it every code of nine digits is unknown. */
  readonly algoPin: boolean;
  /** Without it passage codes are unknown, as for firmware that is older than passage codes. */
  readonly passagePin: boolean;
  readonly firmware: string;
  /** Number of codes that it remembers, from 1; 1,000 when omitted. */
  readonly codeCapacity?: number;
  /** Jobs that fail with this result, 1 to 7, and change nothing: `{ LOCK: 6 }` is a bolt that jams. */
  readonly faults?: Readonly<Partial<Record<JobType, 1 | 2 | 3 | 4 | 5 | 6 | 7>>>;
}

/** A keypad has no bolt: it signals another lock to open, and does not know the state of the door. */
export function hasBolt({ type }: LockCapabilities): boolean {
  return type === 'Lock';
}
