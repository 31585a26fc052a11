import type { RunningMilliseconds } from './running-time.ts';

/** A door locks itself this long after it was unlocked. The number is our choice: locks on the market use 5 to 60 seconds. */
export const autoLockMs = 30_000;

const hourMs = 3_600_000;

/** No timer runs: the state follows from these two times and the present one. 0 means "not since the door was last locked". */
export interface Door {
  /** Set only if later than `passageUntil`: an entry during a passage is followed by no locking of its own. */
  readonly openUntil: RunningMilliseconds;
  readonly passageUntil: RunningMilliseconds;
}

export const lockedDoor: Door = { openUntil: 0, passageUntil: 0 };

export function isOpen(door: Door, at: RunningMilliseconds): boolean {
  return at < Math.max(door.openUntil, door.passageUntil);
}

export function openDoor(door: Door, at: RunningMilliseconds): Door {
  const openUntil = at + autoLockMs;
  return openUntil > door.passageUntil ? { ...door, openUntil } : door;
}

/** A second passage code never shortens the passage of the first. */
export function keepDoorOpen(door: Door, at: RunningMilliseconds, hours: number): Door {
  return { openUntil: 0, passageUntil: Math.max(door.passageUntil, at + hours * hourMs) };
}

/** Applies the closings that the door did by itself until `at`, in order. */
export function closeDoorInTime(
  door: Door,
  at: RunningMilliseconds,
): {
  readonly door: Door;
  readonly closings: readonly { by: 'passageEnded' | 'autoLocked'; at: RunningMilliseconds }[];
} {
  const passageEnds = door.passageUntil > 0 && door.passageUntil <= at;
  const locksItself = door.openUntil > 0 && door.openUntil <= at;
  return {
    door: {
      openUntil: locksItself ? 0 : door.openUntil,
      passageUntil: passageEnds ? 0 : door.passageUntil,
    },
    closings: [
      ...(passageEnds ? [{ by: 'passageEnded' as const, at: door.passageUntil }] : []),
      ...(locksItself ? [{ by: 'autoLocked' as const, at: door.openUntil }] : []),
    ],
  };
}
