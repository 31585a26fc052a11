import { chmod, rename, rm, stat, writeFile } from 'node:fs/promises';

/** Writes a file by a rename, so that a reader, or a kill in between, finds the old text or the new one whole. Keeps the mode of a file that is there. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  const replaced = await stat(file).catch(() => undefined);
  try {
    await writeFile(temporary, text);
    if (replaced !== undefined) await chmod(temporary, replaced.mode);
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}
