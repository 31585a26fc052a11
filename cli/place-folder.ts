// Creates a folder as a whole or not at all.
import { randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { OutputError } from '@lockstep/toolkit/output-folder';

/**
 * Refuses a folder that has entries. A missing or empty folder is fine.
 *
 * @throws OutputError that lists its entries, or gives the reason why it can't be read
 */
export async function requireEmpty(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw refuse(folder, cause.code === 'ENOTDIR' ? 'it, or a folder above it, is a file' : cause.message);
  });
  if (entries.length === 0) return;
  const named = entries.toSorted().slice(0, 3).join(', ');
  throw refuse(folder, `it contains ${named}${entries.length > 3 ? ` and ${entries.length - 3} more` : ''}`);
}

/**
 * Copies `source` to `folder` and creates the folders above it. The copy first gets a name of its own in the same place, then it is renamed. A failure
 * leaves nothing.
 *
 * @throws OutputError if it can't be written, or the folder is no longer empty
 */
export async function placeFolder(source: string, folder: string): Promise<void> {
  const target = resolve(folder);
  let made: string | undefined;
  let draft: string | undefined;
  const moved: string[] = [];
  try {
    await requireEmpty(target);
    const exists = await readdir(target).then(
      () => true,
      () => false,
    );
    // An existing folder stays, with the draft in it: it may be the working directory of a shell, or a mounted file system.
    made = await mkdir(exists ? target : dirname(target), { recursive: true });
    draft = join(exists ? target : dirname(target), `.${basename(target)}.${randomUUID()}`);
    await cp(source, draft, { recursive: true });
    if (!exists) return await rename(draft, target);
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
  return new OutputError(`${folder} can't be the new folder: ${reason}. Name an empty or a new folder.`);
}
