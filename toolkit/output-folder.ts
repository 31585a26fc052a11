import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Derived } from './derive.ts';

/** The folder's own manifest is the one file in it that is written by hand. */
const manifest = 'package.json';

/** Every file below the folder but its manifest, by path with `/`; untracked ones too. Empty where there is no folder. */
export async function readOutput(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return [];
      throw cause;
    },
  );
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length).replaceAll('\\', '/'))
    .filter((name) => name !== manifest && !name.startsWith('node_modules/'))
    .sort();
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  );
}

/** What `writeOutput` did, by file name. */
export interface Written {
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Brings the folder to what was derived: writes what differs, removes generated files (`*.gen.*`) that nothing derives any more.
 * Each file is replaced by a rename, so that nobody reads half of one. Other files are left to `check` to name.
 */
export async function writeOutput(folder: string, derived: Derived): Promise<Written> {
  const present = await readOutput(folder);
  const names = [...derived.keys()];
  const written = names.filter((name) => present.get(name) !== derived.get(name));
  const removed = [...present.keys()].filter((name) => /\.gen\.[a-z]+$/.test(name) && !derived.has(name));
  await mkdir(folder, { recursive: true });
  for (const name of written) {
    const temporary = join(folder, `${name}.${process.pid}.tmp`);
    await writeFile(temporary, derived.get(name) ?? '');
    await rename(temporary, join(folder, name));
  }
  for (const name of removed) await rm(join(folder, name));
  return { written, unchanged: names.filter((name) => !written.includes(name)), removed };
}
