import { lockedDoor } from './door.ts';
import { logTypes } from './lock-log.ts';
import { type LockMemory, logNow } from './memory.ts';

/** Ends a passage before its time and locks the door at once; each one that began has its end in the log. Without one nothing changes. */
export function endPassage(memory: LockMemory): LockMemory {
  if (memory.door.passageUntil <= memory.time.running) return memory;
  return logNow({ ...memory, door: lockedDoor }, { logType: logTypes.passageEnded });
}
