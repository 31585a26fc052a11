// The reference: one HTML file of Redoc with the contract inside, that asks nothing of the network.
//
// 1. The contract becomes one document.
// 2. Redocly makes the page; on the way `x-extension` becomes a badge, and pages beside the contract become sections. The page shows allowed Markdown
//    alone, and the alternative text of a picture from elsewhere.
// 3. The addresses in its script are replaced, and whatever else would be fetched stops the build.
// 4. A content policy with the hashes of its scripts closes the page.
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ContractFile, readContractFiles } from '@lockstep/toolkit/contract/contract-files';
import { displayPath } from '@lockstep/toolkit/contract/display-path';
import type { ContractOptions } from '@lockstep/toolkit/contract/file-rule';
import { closePage } from './reference/close-page.ts';
import { fillPlainServers } from './reference/fill-servers.ts';
import { findPictures, type OutsidePicture } from './reference/outside-pictures.ts';
import { pageInputs, readPage } from './reference/read-page.ts';
import { pagesVariable } from './reference/redoc-plugin.ts';
import { redoclyVersion, runRedocly } from './reference/run-redocly.ts';
import { readWhole } from './reference/whole-contract.ts';

export interface ReferenceOptions extends ContractOptions {
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
  readonly notices: readonly DocsNotice[];
}

/** What was decided for the author of a contract, told once, with the first place that it is about. */
export interface DocsNotice {
  readonly message: string;
  readonly file: string;
  /** 1-based, as is the column. */
  readonly line: number;
  readonly column: number;
  readonly pointer: string;
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
export async function hashInputs(
  contract: string,
  { pages = [], ...options }: Pick<ReferenceOptions, 'pages' | 'allowFiles'> = {},
): Promise<string> {
  const hash = createHash('sha256').update(await redoclyVersion());
  const files = (await readContractFiles(contract, options)).map(({ text }) => Buffer.from(text));
  const beside = pages.flatMap((page) => pageInputs(readPage(page, options)));
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
 * @param value what the contract says, where that was read already; it is changed
 * @throws Error when a page can't be read, when the contract leads to the network, when Redocly fails, with its words, or when the page would
 *   fetch something all the same; the old file then stays
 */
export async function buildReference({
  contract,
  pages = [],
  out,
  onProgress,
  signal,
  value: given,
  allowFiles = [],
}: ReferenceOptions & { readonly value?: unknown }): Promise<Reference> {
  const key = await hashInputs(contract, { pages, allowFiles });
  if (await startsWithKey(out, key)) return { file: out, built: false, key, notices: [] };
  onProgress?.(`Building the reference from ${contract}`);
  await mkdir(dirname(out), { recursive: true });
  // In the same folder, so that the rename at the end stays within one file system.
  const draft = await mkdtemp(join(dirname(out), '.reference-'));
  const whole = join(draft, 'contract.json');
  const page = join(draft, 'page.html');
  try {
    const value = given ?? (await readWhole(contract, draft, { allowFiles, ...(signal && { signal }) })).value;
    const notices = await describePictures(findPictures(value), contract, allowFiles);
    fillPlainServers(value);
    await writeFile(whole, JSON.stringify(value));
    const paths = ['--config', join(reference, 'redocly.yaml'), '-t', join(reference, 'page.hbs')];
    await runRedocly(['build-docs', whole, '--output', page, '--inlineBundle', ...paths], {
      signal,
      more: { [pagesVariable]: JSON.stringify({ pages: pages.map((page) => resolve(page)), allowFiles }) },
      first: [import.meta.resolve(`./reference/draw-beforehand${extname(import.meta.filename)}`)],
    });
    await writeFile(page, closePage(await readFile(page, 'utf8'), key));
    await rename(page, out);
    return { file: out, built: true, key, notices };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** One notice for all of them. */
async function describePictures(
  replaced: readonly OutsidePicture[],
  contract: string,
  allowFiles: readonly string[],
): Promise<readonly DocsNotice[]> {
  const [first] = replaced;
  if (first === undefined) return [];
  const count =
    replaced.length === 1 ? 'A picture from elsewhere is' : `${replaced.length} pictures from elsewhere are`;
  const message = `${count} left out, and words stand in the place, since the page fetches nothing: ${first.address}. Written as a data: address, a picture is shown.`;
  return [
    { message, ...findText(first.address, await readContractFiles(contract, { allowFiles })), pointer: first.pointer },
  ];
}

/** Where a text stands first, in the contract or in what it refers to. JSON may write a slash with an escape. */
function findText(wanted: string, files: readonly ContractFile[]): Pick<DocsNotice, 'file' | 'line' | 'column'> {
  for (const { file, text } of files) {
    const [offset = -1] = [wanted, wanted.replaceAll('/', '\\/')]
      .map((one) => text.indexOf(one))
      .filter((at) => at >= 0);
    if (offset < 0) continue;
    const lines = text.slice(0, offset).split('\n');
    return { file: displayPath(file), line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
  }
  return { file: displayPath(files[0]?.file ?? ''), line: 1, column: 1 };
}
