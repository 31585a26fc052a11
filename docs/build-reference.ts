// The reference: one HTML file of Redoc with the contract inside, which fetches nothing from the network.
//
// 1. The contract becomes one document.
// 2. Redocly creates the page; a plugin turns `x-extension` into a badge, and pages next to the contract into sections. The page shows only allowed
//    Markdown, and the alternative text of a picture from elsewhere.
// 3. The addresses in its script are replaced. Any other address that it would fetch stops the build.
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
  /** Path of the contract. Files that it refers to are part of the page and of its inputs. */
  readonly contract: string;
  /** Markdown to append to the reference, each file a section. These files and their pictures are part of the page only. */
  readonly pages?: readonly string[];
  /** Path of the page. Missing folders are created, an existing file is replaced in one step. */
  readonly out: string;
  /** Called when the build starts, with a message. */
  readonly onProgress?: (message: string) => void;
  readonly signal?: AbortSignal;
}

export interface Reference {
  readonly file: string;
  /** `false` if the file was built from the same inputs. */
  readonly built: boolean;
  /** Hash of the inputs, as `hashInputs` returns it. */
  readonly key: string;
  readonly notices: readonly DocsNotice[];
}

/** A notice to the author of a contract, reported once, with the first location that it concerns. */
export interface DocsNotice {
  readonly message: string;
  readonly file: string;
  /** 1-based, as is the column. */
  readonly line: number;
  readonly column: number;
  readonly pointer: string;
}

const reference = join(import.meta.dirname, 'reference');

/** The server sends the same policy in its header, so the file is part of the runtime. */
const policy = fileURLToPath(import.meta.resolve('@lockstep/runtime/docs/content-policy'));

/** Reads all files: the folder is small, and any change in it may change the page. */
async function readOwnInputs(): Promise<readonly Buffer[]> {
  const names = (await readdir(reference)).filter((name) => !name.includes('.test.')).sort();
  return Promise.all(
    [import.meta.filename, policy, ...names.map((name) => join(reference, name))].map((file) => readFile(file)),
  );
}

/**
 * Hash of contract and the files that it refers to, pages and their pictures, versions, configuration and the code of the build; hexadecimal.
 *
 * @throws Error when one of them can't be read
 */
export async function hashInputs(
  contract: string,
  { pages = [], ...options }: Pick<ReferenceOptions, 'pages' | 'allowFiles'> = {},
): Promise<string> {
  const hash = createHash('sha256').update(await redoclyVersion());
  const files = (await readContractFiles(contract, options)).map(({ text }) => Buffer.from(text));
  const pageTexts = pages.flatMap((page) => pageInputs(readPage(page, options)));
  for (const bytes of [...files, ...pageTexts, ...(await readOwnInputs())])
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
 * Builds the reference, unless the file was built from the same inputs.
 *
 * @param value the parsed contract, if it was read already; it is changed
 * @throws Error if a page can't be read, the contract refers to the network, Redocly fails (with its output), or the page would still fetch
 *   something; the old file then stays
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
  // The draft is in the same folder, so that the final rename stays within one file system.
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

/** One notice for all pictures from elsewhere. */
async function describePictures(
  replaced: readonly OutsidePicture[],
  contract: string,
  allowFiles: readonly string[],
): Promise<readonly DocsNotice[]> {
  const [first] = replaced;
  if (first === undefined) return [];
  const count =
    replaced.length === 1 ? 'A picture from elsewhere is' : `${replaced.length} pictures from elsewhere are`;
  const message = `${count} replaced by alternative text, since the page fetches nothing: ${first.address}. To show a picture, write it as a data: address.`;
  return [
    { message, ...findText(first.address, await readContractFiles(contract, { allowFiles })), pointer: first.pointer },
  ];
}

/** First position of a text in the contract or the files that it refers to. JSON may escape a slash. */
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
