// A new project carries the packages that it stands on, since their names are on no registry.
import { execFile } from 'node:child_process';
import { cp, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { OutputError } from '@lockstep/toolkit/output-folder';

/** The packages of a project: what it serves with, and the command. */
const names = ['@lockstep/cli', '@lockstep/runtime'] as const;

const run = promisify(execFile);
const maxBuffer = 64 * 1024 * 1024;

/**
 * Puts both tarballs into a folder. In the repository they are packed there first. An installed command packs itself again from where it
 * is, and has the runtime's tarball with it.
 *
 * @returns file name by name of package
 * @throws OutputError when there is no npm to pack with
 */
export function vendorPackages(folder: string): Promise<Readonly<Record<string, string>>> {
  return import.meta.filename.endsWith('.ts') ? packRepository(folder) : packInstalled(folder);
}

async function packRepository(folder: string): Promise<Record<string, string>> {
  const root = join(import.meta.dirname, '..');
  const { stdout } = await run(process.execPath, [join(root, 'pack.ts'), '--json'], { maxBuffer });
  const packed: readonly { name: string; file: string }[] = Object.values(JSON.parse(stdout));
  const wanted = packed.filter(({ name }) => names.some((known) => known === name));
  for (const { file } of wanted) await cp(join(root, file), join(folder, basename(file)));
  return Object.fromEntries(wanted.map(({ name, file }) => [name, basename(file)]));
}

async function packInstalled(folder: string): Promise<Record<string, string>> {
  const [cli, runtime] = names;
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, import.meta.dirname];
  // npm is a script of the shell under Windows.
  const { stdout } = await run('npm', args, { maxBuffer, shell: process.platform === 'win32' }).catch((cause) => {
    throw new OutputError(`npm can't pack ${import.meta.dirname}, which the project would carry: ${cause.message}`);
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const carried = join(import.meta.dirname, 'packages');
  const [runtimeFile = ''] = await readdir(carried);
  await cp(join(carried, runtimeFile), join(folder, runtimeFile));
  return { [cli]: filename, [runtime]: runtimeFile };
}
