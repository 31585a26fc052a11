import type { Habits } from '../bridge/habits.ts';

/** Devices of the demo that show how a job ends badly. */
export const demoHabits: Readonly<Record<string, Habits>> = {
  KP1A00000001: { isSilent: true },
  LK1A00000002: { faults: { LOCK: 6 } },
};
