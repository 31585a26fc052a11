// The reference: one HTML file of Redoc with the contract inside, that asks nothing of the network.
//
// 1. Redocly makes the page; on the way `x-extension` becomes a badge, and pages beside the contract become sections.
// 2. The addresses in its script are replaced, and whatever else would be fetched stops the build.
// 3. A content policy with the hashes of its scripts closes the page.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closePage } from './reference/close-page.ts';
import { readContractFiles } from './reference/contract-files.ts';
import { pageInputs, readPage } from './reference/read-page.ts';
import { pagesVariable } from './reference/redoc-plugin.ts';
import { redoclyVersion, runRedocly } from './reference/run-redocly.ts';

export interface ReferenceOptions {
  /** The contract, as a path. Files that it refers to are part of the page, and of the question if it is fresh. */
  readonly contract: string;
  /** Markdown that the reference ends with, each file a section; with the pictures beside it part of the page and of nothing else. */
  readonly pages?: readonly string[];
  /** Where the page goes. Folders are made, an existing file is replaced in one step. */
  readonly out: string;
  /** Called when the building really starts, with a word on what is going on. */
  readonly onProgress?: (message: string) => void;
  readonly signal?: AbortSignal;
}

export interface Reference {
  readonly file: string;
  /** `false` when the file was there already, made from the same inputs. */
  readonly built: boolean;
  /** Of the inputs, hexadecimal: contract and what it refers to, versions, configuration and the code of the build. */
  readonly key: string;
}

const reference = join(import.meta.dirname, 'reference');

/** What a server puts in its header too, so it stands with the server. */
const policy = fileURLToPath(import.meta.resolve('@lockstep/runtime/docs/content-policy'));

/** The folder is small, and whatever changes in it may change the page. */
async function readOwnInputs(): Promise<readonly Buffer[]> {
  const names = (await readdir(reference)).filter((name) => !name.includes('.test.')).sort();
  return Promise.all(
    [import.meta.filename, policy, ...names.map((name) => join(reference, name))].map((file) => readFile(file)),
  );
}

/**
 * Of contract and what it refers to, pages and their pictures, versions, configuration and the code of the build; hexadecimal.
 *
 * @throws Error when one of them can't be read
 */
export async function hashInputs(contract: string, pages: readonly string[] = []): Promise<string> {
  const hash = createHash('sha256').update(await redoclyVersion());
  const files = (await readContractFiles(contract)).map(({ bytes }) => bytes);
  const beside = pages.flatMap((page) => pageInputs(readPage(page)));
  for (const bytes of [...files, ...beside, ...(await readOwnInputs())])
    hash.update(`\n${bytes.length}\n`).update(bytes);
  return hash.digest('hex');
}

async function startsWithKey(file: string, key: string): Promise<boolean> {
  try {
    await using page = await open(file);
    const { buffer, bytesRead } = await page.read(Buffer.alloc(4096), 0, 4096, 0);
    return buffer.toString('utf8', 0, bytesRead).includes(`sha256-${key}`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Builds the reference, unless the file is there and made from the same inputs.
 *
 * @throws Error when a page can't be read, when the contract leads to the network, when Redocly fails, with its words, or when the page would fetch
 *   something; the old file then stays
 */
export async function buildReference({
  contract,
  pages = [],
  out,
  onProgress,
  signal,
}: ReferenceOptions): Promise<Reference> {
  const key = await hashInputs(contract, pages);
  if (await startsWithKey(out, key)) return { file: out, built: false, key };
  onProgress?.(`Building the reference from ${contract}`);
  await mkdir(dirname(out), { recursive: true });
  // In the same folder, so that the rename at the end stays within one file system.
  const draft = join(dirname(out), `.${basename(out)}.${randomUUID()}.html`);
  try {
    const paths = ['--config', join(reference, 'redocly.yaml'), '-t', join(reference, 'page.hbs')];
    await runRedocly(['build-docs', contract, '--output', draft, '--inlineBundle', ...paths], {
      signal,
      more: { [pagesVariable]: JSON.stringify(pages.map((page) => resolve(page))) },
    });
    await writeFile(draft, closePage(await readFile(draft, 'utf8'), key));
    await rename(draft, out);
  } finally {
    await rm(draft, { force: true });
  }
  return { file: out, built: true, key };
}
