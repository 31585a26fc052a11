import type { LockCapabilities } from '../virtual-lock/capabilities.ts';

/** Faults of a simulated device. */
export interface Habits {
  /** It never answers: its jobs expire. */
  readonly isSilent?: boolean;
  /** Jobs that fail with this result, 1 to 7, and change nothing. */
  readonly faults?: NonNullable<LockCapabilities['faults']>;
}
