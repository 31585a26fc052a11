import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface DeriveOptions {
  /** Folder of the derived files. */
  readonly out: string;
  /** Folders of the code that derives. */
  readonly code: readonly string[];
  /** The lockfile, for the libraries behind it. */
  readonly lockfile: string;
  /** File with the hashes of the last derivation. */
  readonly stamp: string;
  /** Derives into `out`, and returns a report as text. */
  readonly derive: () => Promise<string>;
  /** Absolute paths of the contract and every file that it refers to. */
  readonly listContractFiles: () => Promise<readonly string[]>;
}

interface Stamp {
  readonly contractFiles: readonly string[];
  /** Hashes of all files that the derivation reads, and of those that it writes. */
  readonly inputs: string;
  readonly outputs: string;
}

/**
 * Derives, unless the same code has derived the present files from the same contract: to load and run the derivation takes longer than to start a
 * server. Any difference causes a new derivation: contract, code, libraries, Node, and the derived files themselves, so that no edit by hand stays.
 *
 * @returns a report, a line for each file
 */
export async function deriveOnce(options: DeriveOptions): Promise<string> {
  const { out, stamp, derive } = options;
  const kept = await readStamp(stamp);
  if (kept !== undefined && isSame(kept, await look(options, kept.contractFiles)))
    return listFiles([out])
      .map((file) => `unchanged ${file}`)
      .join('\n');
  const before = await lookAtContract(options);
  const text = await derive();
  const after = await lookAtContract(options);
  // If the contract changes meanwhile, the next start derives it.
  if (before !== undefined && after !== undefined && before.inputs === after.inputs) {
    await mkdir(dirname(stamp), { recursive: true });
    await writeFile(stamp, JSON.stringify(after));
  }
  return text;
}

/** Undefined if the stamp is missing or unreadable: everything is derived then. */
async function readStamp(file: string): Promise<Stamp | undefined> {
  try {
    const { contractFiles, inputs, outputs }: Partial<Stamp> = JSON.parse(await readFile(file, 'utf8'));
    const isWhole = Array.isArray(contractFiles) && typeof inputs === 'string' && typeof outputs === 'string';
    return isWhole ? { contractFiles, inputs, outputs } : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for a contract that can't be read: the derivation reports the reason. */
async function lookAtContract(options: DeriveOptions): Promise<Stamp | undefined> {
  const contractFiles = await options.listContractFiles().catch(() => undefined);
  return contractFiles && look(options, contractFiles);
}

/** Undefined if one of the files is missing. */
async function look(
  { out, code, lockfile }: DeriveOptions,
  contractFiles: readonly string[],
): Promise<Stamp | undefined> {
  try {
    const inputs = await hashFiles([...contractFiles, lockfile, ...listFiles(code)]);
    return { contractFiles, inputs, outputs: await hashFiles(listFiles([out])) };
  } catch {
    return undefined;
  }
}

function isSame(kept: Stamp, found: Stamp | undefined): boolean {
  return found !== undefined && kept.inputs === found.inputs && kept.outputs === found.outputs;
}

async function hashFiles(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(process.version);
  for (const file of files) {
    const bytes = await readFile(file);
    hash.update(`\n${file} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

/** Sources, without tests and fixtures; of a package with derived files, only these. */
function listFiles(folders: readonly string[]): readonly string[] {
  const isNoSource = /(^|\/)(node_modules|fixtures|\.[^/]*)$/;
  return folders.flatMap((folder) =>
    globSync('**/*', { cwd: folder, withFileTypes: true, exclude: ({ name }) => isNoSource.test(name) })
      .filter((entry) => entry.isFile() && !/\.test\.ts$|^package\.json$/.test(entry.name))
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort(),
  );
}
