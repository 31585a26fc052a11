import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type CommandResult, done, type Streams } from '@lockstep/shell/command-result';
import { oneLine } from '@lockstep/shell/printable';
import { createProgress } from '@lockstep/shell/progress';
import { ContractError } from '@lockstep/toolkit/contract/contract-error';
import { listOperations } from '@lockstep/toolkit/contract/list-operations';
import { type Contract, readContract } from '@lockstep/toolkit/contract/read-contract';
import { derive } from '@lockstep/toolkit/derive';
import { stringify } from 'yaml';
import { placeFolder, requireEmpty } from '../place-folder.ts';
import { formProject, titleOf } from '../project-files.ts';
import { vendorPackages } from '../vendor-packages.ts';
import type { ContractTarget } from './command.ts';

const signals = ['SIGINT', 'SIGTERM'] as const;

export interface NewProject extends ContractTarget {
  /** Not there yet, or empty. */
  readonly folder: string;
}

/**
 * `lockstep new`: a project that serves a contract, with every operation still to be written. All of it is made in a folder for temporary
 * files, so that a fault half way leaves nothing.
 */
export async function newProject(
  { folder, contract: source, ...options }: NewProject,
  { error }: Pick<Streams, 'error'>,
  vendor: typeof vendorPackages = vendorPackages,
): Promise<CommandResult> {
  await requireEmpty(folder);
  const runner = findRunner(process.env.npm_config_user_agent);
  // Before the project is made, so that another Node can be installed first.
  if (runner !== undefined)
    error.write(
      `npm runs on Node ${runner.version} here, and the project needs 24.18 or later: its commands begin with ${runner.prefix}, which fetches one.\n`,
    );
  const progress = createProgress(error);
  progress.step(`Reading ${source}`);
  const contract = await readContract(source, options);
  progress.step('Deriving types and table');
  const stopping = new AbortController();
  let heard: NodeJS.Signals | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    heard = signal;
    stopping.abort();
  };
  // Before anything is there that would be left behind.
  for (const signal of signals) process.once(signal, stop);
  let temporary: string | undefined;
  try {
    temporary = await mkdtemp(join(tmpdir(), 'lockstep-new-'));
    // The folder around it is for this user alone; the project is as open as any.
    const draft = join(temporary, 'project');
    await mkdir(draft);
    const { contractFile, isBundled } = await copyContract(contract, draft);
    const out = join(draft, 'generated');
    const derived = await derive(await readContract(join(draft, contractFile)), out);
    stopping.signal.throwIfAborted();
    progress.step('Packing what the project stands on');
    await mkdir(join(draft, 'vendor'));
    const packed = await vendor(join(draft, 'vendor'), join(temporary, 'packed'), stopping.signal);
    const texts = formProject(contract, { name: packageName(folder), contractFile, vendor: packed });
    const files = [...texts, ...[...derived].map(([name, text]) => [`generated/${name}`, text] as const)];
    for (const [name, text] of files) {
      stopping.signal.throwIfAborted();
      await mkdir(dirname(join(draft, name)), { recursive: true });
      await writeFile(join(draft, name), text);
    }
    await placeFolder(draft, folder);
    return describe(contract, {
      folder,
      contractFile,
      isBundled,
      prefix: runner === undefined ? '' : `${runner.prefix} `,
    });
  } finally {
    progress.end();
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
    for (const signal of signals) process.removeListener(signal, stop);
    // Nobody hears it now: it ends the process, as whoever sent it sees.
    if (heard !== undefined) process.kill(process.pid, heard);
  }
}

/** The contract as it was written where it is one file; else one file that holds all of it. */
async function copyContract(contract: Contract, draft: string) {
  const { text } = contract;
  const contractFile = text.trimStart().startsWith('{') ? 'contract.json' : 'contract.yaml';
  const file = join(draft, contractFile);
  await writeFile(file, text);
  // One file says the same when it lies alone. One of several leads nowhere, or to something else.
  const alone = await readContract(file).catch((error: unknown) => {
    if (error instanceof ContractError) return undefined;
    throw error;
  });
  if (alone?.hash === contract.hash) return { contractFile, isBundled: false };
  const { document } = contract;
  const options = { aliasDuplicateObjects: false, lineWidth: 120 };
  await writeFile(
    file,
    contractFile.endsWith('.json') ? `${JSON.stringify(document, null, 2)}\n` : stringify(document, options),
  );
  return { contractFile, isBundled: true };
}

function describe(
  { document, hash, notices }: Contract,
  {
    folder,
    contractFile,
    isBundled,
    prefix,
  }: Record<'folder' | 'contractFile' | 'prefix', string> & { isBundled: boolean },
): CommandResult {
  const operations = listOperations(document).length;
  const place = relative(process.cwd(), resolve(folder)) || '.';
  const lines = [
    `${place}: a project for ${oneLine(titleOf(document as never))}, ${operations} ${operations === 1 ? 'operation' : 'operations'}`,
    ...(isBundled ? [`  ${contractFile} holds all the files that the contract was spread over`] : []),
    '',
    ...(place === '.' ? [] : [`  cd ${place}`]),
    ...['install', 'test', 'start'].map((command) => `  ${prefix}npm ${command}`),
    '',
    'It needs Node 24.18 or later, and says so where it is installed on another.',
  ];
  const json = { folder: resolve(folder), contract: `sha256:${hash}`, contractFile, isBundled, operations };
  return { ...done(lines.join('\n'), json), notices };
}

/**
 * Says how commands of a project are run where npm runs on an older Node. This process may be newer: a checkout has a Node of its own, a project has none.
 *
 * @param agent `npm_config_user_agent`, as npm, pnpm, Yarn and Bun set it: `npm/11.19.1 node/v20.20.2 linux x64`
 * @returns the prefix of commands; undefined where that Node is new enough, or its version is unknown
 */
export function findRunner(agent = ''): { readonly version: string; readonly prefix: string } | undefined {
  const [, version, major, minor] = /(?:^| )node\/v((\d+)\.(\d+)\S*)/.exec(agent) ?? [];
  if (version === undefined || Number(major) > 24 || (Number(major) === 24 && Number(minor) >= 18)) return undefined;
  return { version, prefix: 'npx -y -p node@24' };
}

/** As npm takes it: lower case, no more than 214 characters. */
function packageName(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
    .slice(0, 100);
  return name || 'api';
}
