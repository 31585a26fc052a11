import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Of file systems that have no disk behind them: TMPFS_MAGIC and RAMFS_MAGIC of linux/magic.h. */
const inMemory = new Set([0x01021994, 0x858458f6]);

/**
 * Asks the system to forget what it keeps of a file in memory, so that the next reads go to the disk. Nobody may have it open for writing.
 *
 * @returns whether it did: GNU `dd` can ask for it without rights, other systems have no such way
 */
export async function dropFromMemory(path: string): Promise<boolean> {
  if (inMemory.has((await statfs(path)).type)) return false;
  try {
    // Reads nothing; `nocache` with a count of 0 is for the whole file.
    await promisify(execFile)('dd', [`if=${path}`, 'iflag=nocache', 'count=0', 'status=none']);
    return true;
  } catch {
    return false;
  }
}
