// A folder that is there as a whole or not at all.
import { randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { OutputError } from '@lockstep/toolkit/output-folder';

/**
 * Refuses a folder that holds something already. One that is not there, or is empty, will do.
 *
 * @throws OutputError naming what is in it, or why it can't be looked into
 */
export async function requireEmpty(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw refuse(folder, cause.code === 'ENOTDIR' ? 'it is a file, or lies in one' : cause.message);
  });
  if (entries.length === 0) return;
  const named = entries.toSorted().slice(0, 3).join(', ');
  throw refuse(folder, `it holds ${named}${entries.length > 3 ? ` and ${entries.length - 3} more` : ''}`);
}

/**
 * Puts a copy of `source` at `folder`, with the folders above it: copied beside it under a name of its own, then renamed. Where that fails
 * nothing is left.
 *
 * @throws OutputError when it can't be written, or somebody has put something there meanwhile
 */
export async function placeFolder(source: string, folder: string): Promise<void> {
  const target = resolve(folder);
  let made: string | undefined;
  let draft: string | undefined;
  const moved: string[] = [];
  try {
    await requireEmpty(target);
    const isThere = await readdir(target).then(
      () => true,
      () => false,
    );
    // What is there stays: it may be where a shell is, or a file system of its own. Its draft lies in it.
    made = await mkdir(isThere ? target : dirname(target), { recursive: true });
    draft = join(isThere ? target : dirname(target), `.${basename(target)}.${randomUUID()}`);
    await cp(source, draft, { recursive: true });
    if (!isThere) return await rename(draft, target);
    for (const name of await readdir(draft)) {
      moved.push(join(target, name));
      await rename(join(draft, name), join(target, name));
    }
    await rm(draft, { recursive: true });
  } catch (cause) {
    for (const path of [...moved, ...[draft, made].filter((path) => path !== undefined)])
      await rm(path, { recursive: true, force: true });
    if (cause instanceof OutputError) throw cause;
    throw refuse(folder, cause instanceof Error ? cause.message : String(cause));
  }
}

function refuse(folder: string, reason: string): OutputError {
  return new OutputError(`${folder} can't be the new folder: ${reason}. Name one that is empty or not there yet.`);
}
