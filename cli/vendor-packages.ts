// A new project carries the packages that it stands on, since their names are on no registry.
import { execFile } from 'node:child_process';
import { cp, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { OutputError } from '@lockstep/toolkit/output-folder';

/** The packages of a project: what it serves with, and the command. */
const names = ['@lockstep/cli', '@lockstep/runtime'] as const;

const maxBuffer = 64 * 1024 * 1024;

/** Ends when the program has, also where it is stopped: what it still wrote would be left behind. */
async function run(
  file: string,
  args: readonly string[],
  options: { readonly shell?: boolean; readonly signal: AbortSignal },
) {
  const running = promisify(execFile)(file, [...args], { ...options, maxBuffer });
  const closed = new Promise((resolve) => running.child.once('close', resolve));
  return running.finally(() => closed);
}

/**
 * Puts both tarballs into a folder. In the repository they are packed there first. An installed command packs itself again from where it
 * is, and has the runtime's tarball with it.
 *
 * @param scratch a folder that nobody else uses: two that pack at once would remove each other's files
 * @returns file name by name of package
 * @throws OutputError when there is no npm to pack with, or no package
 */
export function vendorPackages(
  folder: string,
  scratch: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  return import.meta.filename.endsWith('.ts') ? packRepository(folder, scratch, signal) : packInstalled(folder, signal);
}

async function packRepository(folder: string, scratch: string, signal: AbortSignal): Promise<Record<string, string>> {
  const root = join(import.meta.dirname, '..');
  const args = [join(root, 'pack.ts'), '--json', '--out', scratch];
  const { stdout } = await run(process.execPath, args, { signal }).catch((cause) => refuse(root, cause));
  const packed: readonly { name: string; file: string }[] = Object.values(JSON.parse(stdout));
  const wanted = packed.filter(({ name }) => names.some((known) => known === name));
  for (const { file } of wanted) await cp(resolve(root, file), join(folder, basename(file)));
  return Object.fromEntries(wanted.map(({ name, file }) => [name, basename(file)]));
}

async function packInstalled(folder: string, signal: AbortSignal): Promise<Record<string, string>> {
  const [cli, runtime] = names;
  const carried = join(import.meta.dirname, 'packages');
  const found = await readdir(carried).catch(() => []);
  const runtimeFile = found.find((name) => /^lockstep-runtime-.+\.tgz$/.test(name));
  if (runtimeFile === undefined)
    throw new OutputError(
      `${carried} has no package of ${runtime}, which the project would carry: install ${cli} again`,
    );
  // npm is a script of the shell under Windows, where no path holds a quote.
  const shell = process.platform === 'win32';
  const [to, from] = shell ? [`"${folder}"`, `"${import.meta.dirname}"`] : [folder, import.meta.dirname];
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', to, from];
  const { stdout } = await run('npm', args, { shell, signal }).catch((cause) => refuse(import.meta.dirname, cause));
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await cp(join(carried, runtimeFile), join(folder, runtimeFile));
  return { [cli]: filename, [runtime]: runtimeFile };
}

/** What a program that failed says of why is the last line of its errors that is none of a stack. */
function refuse(
  place: string,
  { message, stderr = '' }: { readonly message: string; readonly stderr?: string },
): never {
  const said = stderr.split('\n').filter((line) => /Error|ERR/.test(line) && !/^\s+at /.test(line));
  const why = said[0]?.trim() || message.split('\n', 1)[0];
  throw new OutputError(`${place} can't be packed, which the project would carry: ${why}`);
}
