import type { LockCapabilities } from '../virtual-lock/capabilities.ts';

/** How a simulated device differs from one that works as it should. */
export interface Habits {
  /** It never answers: its jobs expire. */
  readonly isSilent?: boolean;
  /** Jobs that fail with this result, 1 to 7, and change nothing. */
  readonly faults?: NonNullable<LockCapabilities['faults']>;
}
