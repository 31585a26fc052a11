import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { ContractDocument } from '@lockstep/json/json-pointer';
import { explainStored } from '@lockstep/runtime/stateful/answer-from-state';
import { type CommandResult, done, type Streams } from '@lockstep/shell/command-result';
import { oneLine } from '@lockstep/shell/printable';
import { createProgress } from '@lockstep/shell/progress';
import { ContractError } from '@lockstep/toolkit/contract/contract-error';
import { listOperations } from '@lockstep/toolkit/contract/list-operations';
import { type Contract, readContract } from '@lockstep/toolkit/contract/read-contract';
import { derive } from '@lockstep/toolkit/derive';
import { describeOperations } from '@lockstep/toolkit/emit/operations';
import { stringify } from 'yaml';
import { placeFolder, requireEmpty } from '../place-folder.ts';
import { formProject, titleOf } from '../project-files.ts';
import type { Stored, StoreKind } from '../stored-files.ts';
import { vendorPackages } from '../vendor-packages.ts';
import type { ContractTarget } from './command.ts';

const signals = ['SIGINT', 'SIGTERM'] as const;

export interface NewProject extends ContractTarget {
  /** Path of a missing or empty folder. */
  readonly folder: string;
  /** The store behind the handlers; by default the operations answer 501. */
  readonly state?: StoreKind | undefined;
}

/**
 * `lockstep new`: creates a project that serves a contract, with handlers still to be written or on a store. It is built in a temporary folder, so that a
 * failure leaves nothing.
 */
export async function newProject(
  { folder, contract: source, state, ...options }: NewProject,
  { error }: Pick<Streams, 'error'>,
  vendor: typeof vendorPackages = vendorPackages,
): Promise<CommandResult> {
  await requireEmpty(folder);
  const runner = findRunner(process.env.npm_config_user_agent);
  // The note precedes the work, so that the user can install another Node first.
  if (runner !== undefined)
    error.write(
      `npm runs on Node ${runner.version} here, but the project needs 24.18 or later: begin its commands with ${runner.prefix}, which downloads one.\n`,
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
  // Signals are handled before the command creates files that it would have to remove.
  for (const signal of signals) process.once(signal, stop);
  let temporary: string | undefined;
  try {
    temporary = await mkdtemp(join(tmpdir(), 'lockstep-new-'));
    // Only this user can read the temporary folder; the project gets the usual mode.
    const draft = join(temporary, 'project');
    await mkdir(draft);
    const { contractFile, isBundled } = await copyContract(contract, draft);
    const out = join(draft, 'generated');
    const derived = await derive(await readContract(join(draft, contractFile)), out);
    stopping.signal.throwIfAborted();
    const { document } = contract;
    const stored = state && {
      kind: state,
      roles: explainStored(document as unknown as ContractDocument, describeOperations(document)),
    };
    progress.step('Packing the dependencies of the project');
    await mkdir(join(draft, 'vendor'));
    const packed = await vendor(join(draft, 'vendor'), join(temporary, 'packed'), stopping.signal);
    const texts = formProject(contract, { name: packageName(folder), contractFile, vendor: packed, stored });
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
      stored,
      prefix: runner === undefined ? '' : `${runner.prefix} `,
    });
  } finally {
    progress.end();
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
    for (const signal of signals) process.removeListener(signal, stop);
    // The handler is removed, so the repeated signal stops the process, and its sender sees the cause.
    if (heard !== undefined) process.kill(process.pid, heard);
  }
}

/** Copies the contract as written if it is one file; otherwise bundled into one file. */
async function copyContract(contract: Contract, draft: string) {
  const { text } = contract;
  const contractFile = text.trimStart().startsWith('{') ? 'contract.json' : 'contract.yaml';
  const file = join(draft, contractFile);
  await writeFile(file, text);
  // A single file can be copied alone. One of several files would have unresolved references, or resolve them to other files.
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
    stored,
    prefix,
  }: Record<'folder' | 'contractFile' | 'prefix', string> & { isBundled: boolean; stored: Stored | undefined },
): CommandResult {
  const operations = listOperations(document).length;
  const place = relative(process.cwd(), resolve(folder)) || '.';
  const lines = [
    `${place}: a project for ${oneLine(titleOf(document as never))}, ${operations} ${operations === 1 ? 'operation' : 'operations'}`,
    ...(stored === undefined ? [] : [describeStore(stored)]),
    ...(isBundled ? [`  ${contractFile} contains all files of the contract`] : []),
    '',
    ...(place === '.' ? [] : [`  cd ${place}`]),
    ...['install', 'test', 'start'].map((command) => `  ${prefix}npm ${command}`),
    '',
    'It needs Node 24.18 or later: npm install fails on an older one.',
  ];
  const json = { folder: resolve(folder), contract: `sha256:${hash}`, contractFile, isBundled, operations };
  return { ...done(lines.join('\n'), json), notices };
}

function describeStore({ kind, roles }: Stored): string {
  const none = roles.filter(({ role }) => role === 'none').length;
  const others = none === 0 ? '' : '; the others answer 501 until you write them in handlers/other.ts';
  return `  ${roles.length - none} of them answer from a store in ${kind === 'memory' ? 'memory' : 'SQLite'}${others}`;
}

/**
 * Finds the prefix of a project's commands if npm runs on an older Node. This process may be newer: a checkout has a Node of its own, a project has none.
 *
 * @param agent `npm_config_user_agent`, as npm, pnpm, Yarn and Bun set it: `npm/11.19.1 node/v20.20.2 linux x64`
 * @returns undefined if that Node is new enough, or its version is unknown
 */
export function findRunner(agent = ''): { readonly version: string; readonly prefix: string } | undefined {
  const [, version, major, minor] = /(?:^| )node\/v((\d+)\.(\d+)\S*)/.exec(agent) ?? [];
  if (version === undefined || Number(major) > 24 || (Number(major) === 24 && Number(minor) >= 18)) return undefined;
  return { version, prefix: 'npx -y -p node@24' };
}

/** A name that npm accepts: lower case, no more than 214 characters. */
function packageName(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
    .slice(0, 100);
  return name || 'api';
}
