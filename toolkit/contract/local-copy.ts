import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatPointer } from '@lockstep/json/json-pointer';
import { ContractError } from './contract-error.ts';
import { listReferences } from './contract-files.ts';
import { displayPath } from './display-path.ts';
import { jsonPositions } from './json-positions.ts';
import { readQuickly } from './read-quickly.ts';
import { isWebAddress } from './read-text.ts';
import { readYaml } from './yaml-source.ts';

/** A contract as a file, for programs that read only files. */
export interface LocalCopy {
  /** The user's path, or the path of the copy. */
  readonly path: string;
  /** Replaces the path of the copy in a text with the address. */
  readonly rename: (text: string) => string;
}

/**
 * Provides a contract as a file, a fetched one as a temporary copy. Programs that read files follow every reference, also in data or extensions:
 * a server could have any file of this machine printed. So a copy may refer to nothing outside itself.
 *
 * @param source path or address; a path is passed on
 * @param text content of the address
 * @throws ContractError if a copy refers to another document; the error of `work`, with the address in place of the copy
 */
export async function withLocalCopy<Result>(
  source: string,
  text: string,
  work: (copy: LocalCopy) => Promise<Result>,
): Promise<Result> {
  if (!isWebAddress(source)) return work({ path: source, rename: (words) => words });
  refuseLeadingOut(source, { text, value: readQuickly(text), externalValues: true });
  return withCopy(source, text, work);
}

/**
 * Renames `externalValue` of the network in a text of YAML or JSON: programs that read files would fetch it. Lines stay.
 *
 * @returns the same text if there is none
 */
export function hideNetworkExamples(text: string): string {
  return text.replaceAll(/(^|[\s{,"'])externalValue(["']?\s*:\s*["']?https?:)/gi, '$1x-external-value$2');
}

/** As `withLocalCopy`, but a copy of the text in any case. */
export async function withCopy<Result>(
  source: string,
  text: string,
  work: (copy: LocalCopy) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-contract-'));
  const path = join(folder, /^\s*\{/.test(text) ? 'contract.json' : 'contract.yaml');
  const rename = (words: string): string =>
    [path, displayPath(path)].reduce((result, name) => result.replaceAll(name, () => source), words);
  try {
    await writeFile(path, text);
    return await work({ path, rename });
  } catch (error) {
    if (error instanceof ContractError)
      throw new ContractError(
        error.problems.map((one) => ({ ...one, file: rename(one.file), message: rename(one.message) })),
      );
    if (error instanceof Error) error.message = rename(error.message);
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A limit of fetched documents only. */
export const leadingOut = {
  name: 'file-reference',
  fix: 'Bundle the document into one file first, or download it with its files and name the local file.',
};

/**
 * Refuses a fetched document that refers to another document: nothing else is fetched, and its author has no right to files of this machine.
 *
 * @param reader.value the parsed text, without references that its reader does not follow
 * @param reader.externalValues whether its reader follows `externalValue`
 * @throws ContractError with every such reference
 */
export function refuseLeadingOut(
  source: string,
  { text, value, externalValues }: { readonly text: string; readonly value: unknown; readonly externalValues: boolean },
): void {
  const found = Array.from(listReferences(value)).filter(
    (reference) => leadsOut(reference) && (externalValues || reference.at.at(-1) !== 'externalValue'),
  );
  if (found.length === 0) return;
  const positionOf = jsonPositions(text) ?? readYaml(text).positionOf;
  const { name, fix } = leadingOut;
  throw new ContractError(
    found.map(({ target, at }) => ({
      ...{ file: source, ...positionOf(at), pointer: formatPointer(at) },
      ...{ rule: `unsupported/${name}`, fix },
      message: `${isKeyword(at.at(-1)) ? at.at(-1) : 'reference'} ${JSON.stringify(target)} leads out of the fetched document`,
    })),
  );
}

/** A discriminator may map to the name of a schema. Without a slash it leads at most into the folder of the copy, which is empty. */
function leadsOut({ target, at }: { readonly target: string; readonly at: readonly string[] }): boolean {
  // A program that follows addresses refuses them itself.
  if (at.at(-1) === 'externalValue') return !target.startsWith('#') && !isWebAddress(target);
  if (at.at(-1) === '$ref') return !target.startsWith('#');
  return /[/\\:]/.test(target.split('#')[0] ?? '');
}

function isKeyword(name: string | undefined): boolean {
  return name === '$ref' || name === 'externalValue';
}
