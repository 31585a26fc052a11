// Packs the packages that a new project depends on: the project contains them, since no registry has them.
import { execFile } from 'node:child_process';
import { cp, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { OutputError } from '@lockstep/toolkit/output-folder';

/** The packages of a project: the command and the runtime. */
const names = ['@lockstep/cli', '@lockstep/runtime'] as const;

const maxBuffer = 64 * 1024 * 1024;

/** Waits until the program has exited, even if it is stopped, since it could still write files. */
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
 * Puts both tarballs into a folder. The repository packs them first. An installed command packs its own folder again, and contains the tarball of
 * the runtime.
 *
 * @param scratch a folder of this call only: two calls at once would remove each other's files
 * @returns file names by package name
 * @throws OutputError if npm or a package is missing
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
    throw new OutputError(`${carried} has no package of ${runtime}, which the project needs: install ${cli} again`);
  // On Windows, npm is a shell script. Paths there contain no quotes.
  const shell = process.platform === 'win32';
  const [to, from] = shell ? [`"${folder}"`, `"${import.meta.dirname}"`] : [folder, import.meta.dirname];
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', to, from];
  const { stdout } = await run('npm', args, { shell, signal }).catch((cause) => refuse(import.meta.dirname, cause));
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await cp(join(carried, runtimeFile), join(folder, runtimeFile));
  return { [cli]: filename, [runtime]: runtimeFile };
}

/** The reason of a failure: the first line of the program's error output that is not part of a stack. */
function refuse(
  place: string,
  { message, stderr = '' }: { readonly message: string; readonly stderr?: string },
): never {
  const reasons = stderr.split('\n').filter((line) => /Error|ERR/.test(line) && !/^\s+at /.test(line));
  const why = reasons[0]?.trim() || message.split('\n', 1)[0];
  throw new OutputError(`${place}, which the project needs, can't be packed: ${why}`);
}
