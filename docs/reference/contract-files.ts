// A contract may be spread over several files. All of them are in the page, so all of them count when it is asked if it is fresh.
import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { isAlias, isScalar, LineCounter, type Node, type Pair, parseDocument, visit } from 'yaml';

export interface ContractFile {
  /** Absolute. */
  readonly file: string;
  readonly bytes: Buffer;
}

/**
 * Reads the contract and every file that it leads to by `$ref`, `externalValue` or the mapping of a discriminator.
 *
 * @returns the contract first; a file that is not there is left out, since Redocly says it better
 * @throws Error when the contract can't be read, or when one of the files leads to http or https: Redocly would ask any address
 *   that a contract names
 */
export async function readContractFiles(contract: string): Promise<readonly ContractFile[]> {
  const root = resolve(contract);
  const found = new Map([[root, await readFile(root)]]);
  const faults: string[] = [];
  // A Map goes on to what is added while it is read.
  for (const [file, bytes] of found) {
    for (const { target, line, column } of listReferences(bytes.toString('utf8'))) {
      if (/^https?:/i.test(target)) {
        const fault = `the contract leads to ${target}, and nothing is fetched from the network`;
        faults.push(`${displayPath(file)}:${line}:${column} no-network: ${fault}. Keep the file beside the contract.`);
        continue;
      }
      const [path = ''] = target.split('#');
      const next = resolve(dirname(file), path);
      const content = path === '' || found.has(next) ? undefined : await readFile(next).catch(() => undefined);
      if (content !== undefined) found.set(next, content);
    }
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return Array.from(found, ([file, bytes]) => ({ file, bytes }));
}

interface Reference {
  readonly target: string;
  readonly line: number;
  readonly column: number;
}

/** Every reference that a file has; none of a file that leads nowhere but into itself. */
function listReferences(text: string): readonly Reference[] {
  if (isClosedJson(text)) return [];
  const lines = new LineCounter();
  const references: Reference[] = [];
  const document = parseDocument(text, { lineCounter: lines });
  visit(document, {
    Pair(_, { key, value }, path) {
      const names = path.filter((node): node is Pair => 'key' in node).map((pair) => nameOf(pair.key));
      const isMapped = names.at(-1) === 'mapping' && names.at(-2) === 'discriminator';
      const target = isAlias(value) ? value.resolve(document) : value;
      if (!isScalar(target) || typeof target.value !== 'string') return;
      if (!isMapped && nameOf(key) !== '$ref' && nameOf(key) !== 'externalValue') return;
      const { line, col } = lines.linePos((key as Node).range?.[0] ?? 0);
      references.push({ target: target.value, line, column: col });
    },
  });
  return references;
}

/**
 * Whether a file is JSON whose references all stay within it, as those of a bundled contract do. Told in a thirtieth of the time that the
 * parser of YAML takes, which knows places; what it says of a file that leads elsewhere is for that parser to say.
 */
function isClosedJson(text: string): boolean {
  const staysWithin = (value: unknown): boolean => typeof value !== 'string' || value.startsWith('#');
  const isClosed = (value: unknown): boolean =>
    typeof value !== 'object' ||
    value === null ||
    Object.entries(value).every(([name, member]) => {
      if (name === '$ref' || name === 'externalValue') return staysWithin(member) && isClosed(member);
      if (name === 'mapping' && typeof member === 'object' && member !== null)
        return Object.values(member).every(staysWithin) && isClosed(member);
      return isClosed(member);
    });
  try {
    return isClosed(JSON.parse(text));
  } catch {
    return false;
  }
}

function nameOf(key: unknown): unknown {
  return isScalar(key) ? key.value : undefined;
}

function displayPath(file: string): string {
  const path = relative(process.cwd(), file);
  return path.startsWith('..') ? file : path;
}
