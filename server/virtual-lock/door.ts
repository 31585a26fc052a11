import type { RunningMilliseconds } from './running-time.ts';

/** A door locks itself this long after it was unlocked: our own number, as locks on the market are set to between 5 and 60 seconds. */
export const autoLockMs = 30_000;

const hourMs = 3_600_000;

/** Nothing runs while nobody looks: the state is these two points in time and the present one. 0 is "not since it was last locked". */
export interface Door {
  /** Set beyond `passageUntil` only: in passage an entry needs no lock of its own to follow. */
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

/** A second passage code never shortens what the first one gave. */
export function keepDoorOpen(door: Door, at: RunningMilliseconds, hours: number): Door {
  return { openUntil: 0, passageUntil: Math.max(door.passageUntil, at + hours * hourMs) };
}

/** What the door did by itself up to now, in order. */
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
