import { chmod, rename, rm, stat, writeFile } from 'node:fs/promises';

/** Writes a file by a rename, so that readers find either the old text or the complete new one, even after a kill. Keeps the mode of an existing file. */
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
