import { lockedDoor } from './door.ts';
import { logTypes } from './lock-log.ts';
import { type LockMemory, logNow } from './memory.ts';

/** Stops a passage early, locks the door at once and logs the end. Without a passage nothing changes. */
export function endPassage(memory: LockMemory): LockMemory {
  if (memory.door.passageUntil <= memory.time.running) return memory;
  return logNow({ ...memory, door: lockedDoor }, { logType: logTypes.passageEnded });
}
