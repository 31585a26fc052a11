import type { Habits } from '../bridge/habits.ts';

/** Devices of the demo whose jobs fail or expire. */
export const demoHabits: Readonly<Record<string, Habits>> = {
  KP1A00000001: { isSilent: true },
  LK1A00000002: { faults: { LOCK: 6 } },
};
