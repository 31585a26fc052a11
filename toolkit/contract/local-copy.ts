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

/** A contract as a file, for programs that read nothing else. */
export interface LocalCopy {
  /** As the user named it, or of the copy. */
  readonly path: string;
  /** What was said of the copy, said of the address. */
  readonly rename: (text: string) => string;
}

/**
 * Gives a contract as a file, and what lies at an address as a copy that is gone afterwards. Programs that read files follow every reference, also
 * one in data or extensions: whoever answers at an address could have any file of this machine printed. So nothing in a copy may lead out of it.
 *
 * @param source path or address; a path is handed on as it is
 * @param text what stands at the address
 * @throws ContractError for a copy that leads out of itself; what `work` throws, with the address in place of the copy
 */
export async function withLocalCopy<Result>(
  source: string,
  text: string,
  work: (copy: LocalCopy) => Promise<Result>,
): Promise<Result> {
  if (!isWebAddress(source)) return work({ path: source, rename: (said) => said });
  refuseLeadingOut(source, { text, value: readQuickly(text), externalValues: true });
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-contract-'));
  const path = join(folder, /^\s*\{/.test(text) ? 'contract.json' : 'contract.yaml');
  const rename = (said: string): string =>
    [path, displayPath(path)].reduce((result, name) => result.replaceAll(name, () => source), said);
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

/** A limit of what was fetched alone. */
export const leadingOut = {
  name: 'file-reference',
  fix: 'Bundle the document into one file first, or download it with the files beside it and name the file.',
};

/**
 * Refuses what was fetched and leads to another document: nothing else is fetched, and what its author names on this machine is not theirs to read.
 *
 * @param reader.value what the text holds, without references that its reader does not follow
 * @param reader.externalValues whether its reader follows these
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
      message: `${isKeyword(at.at(-1)) ? at.at(-1) : 'reference'} ${JSON.stringify(target)} leads out of a document that was fetched`,
    })),
  );
}

/** What a discriminator maps to may be the name of a schema: without a slash it leads at most into the folder of the copy, which is empty. */
function leadsOut({ target, at }: { readonly target: string; readonly at: readonly string[] }): boolean {
  // Who follows an address refuses it on its own.
  if (at.at(-1) === 'externalValue') return !target.startsWith('#') && !isWebAddress(target);
  if (at.at(-1) === '$ref') return !target.startsWith('#');
  return /[/\\:]/.test(target.split('#')[0] ?? '');
}

function isKeyword(name: string | undefined): boolean {
  return name === '$ref' || name === 'externalValue';
}
