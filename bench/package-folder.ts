import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Where a package lies, also one whose `exports` hide it. @param workspace folder of the package that depends on it */
export function packageFolder(name: string, workspace = ''): string {
  const require = createRequire(join(import.meta.dirname, '..', workspace, 'package.json'));
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return dirname(require.resolve(`${folder}/${name}/package.json`));
    } catch {}
  }
  throw new Error(`${name} is not installed`);
}

/** The versions that a result stands for. */
export async function versionsOf(names: readonly string[], workspace = ''): Promise<Record<string, string>> {
  const read = async (name: string) =>
    JSON.parse(await readFile(join(packageFolder(name, workspace), 'package.json'), 'utf8')).version as string;
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await read(name)] as const)));
}
