// A contract may be spread over several files. All of them are in the page, so all of them count when it is asked if it is fresh.
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { isAlias, isScalar, LineCounter, type Node, type Pair, parseDocument, visit } from 'yaml';
import { runRedocly } from './run-redocly.ts';

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
    const text = bytes.toString('utf8');
    for (const target of listTargets(text)) {
      if (/^https?:/i.test(target)) {
        const { line, column } = placeOf(target, text);
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

/** A contract in one file. */
export interface WholeContract {
  /** As it is written, comments and all; bundled where it is spread over several files. */
  readonly text: string;
  /** Whether it is JSON, and no YAML beyond that. */
  readonly isJson: boolean;
  /** What it says, a value of its own. */
  readonly value: unknown;
}

/**
 * Reads a contract as one document.
 *
 * @param draft a folder for what is made on the way
 * @throws Error when it isn't YAML, as `readContractFiles` does, and when Redocly can't bundle it
 */
export async function readWhole(contract: string, draft: string, signal?: AbortSignal): Promise<WholeContract> {
  const files = await readContractFiles(contract);
  const bundled = join(draft, 'bundled.yaml');
  if (files.length > 1) {
    // Else Redocly would take the configuration of the folder that it is started in.
    const config = join(draft, 'bundle.yaml');
    await writeFile(config, '{"telemetry": "off"}');
    await runRedocly(['bundle', contract, '--config', config, '--output', bundled], { signal });
  }
  const text = await readFile(files.length > 1 ? bundled : contract, 'utf8');
  try {
    return { text, isJson: true, value: JSON.parse(text) };
  } catch {
    const document = parseDocument(text, { merge: true });
    if (document.errors.length > 0) throw new Error(`${contract} is no YAML:\n${document.errors.join('\n')}`);
    return { text, isJson: false, value: document.toJS({ maxAliasCount }) };
  }
}

/** As often as any author does; each use of one within another counts for itself, so that a few lines can't become gigabytes. */
export const maxAliasCount = 100_000;

/** What every reference of a file leads to; of a YAML file all of whose references plainly stay within it, none. */
function listTargets(text: string): readonly string[] {
  try {
    return [...targetsIn(JSON.parse(text))];
  } catch {
    return staysWithin(text) ? [] : listReferences(text).map(({ target }) => target);
  }
}

/** Told from plain JSON in a hundredth of the time that the parser of YAML takes, which knows places. */
function* targetsIn(node: unknown, at: readonly string[] = []): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  const isMapping = at.at(-1) === 'mapping' && at.at(-2) === 'discriminator';
  for (const [name, value] of Object.entries(node)) {
    if (typeof value === 'string' && (isMapping || name === '$ref' || name === 'externalValue')) yield value;
    else yield* targetsIn(value, Array.isArray(node) ? at : [...at.slice(-1), name]);
  }
}

/**
 * Whether each reference of a text in YAML is seen to stay within it: a quoted `#` right behind its key. An alias, a key that is written with
 * escapes or a mapping may be anything else, and is left to the parser.
 */
function staysWithin(text: string): boolean {
  return !/(?:\$ref|externalValue)(?!["']?\s*:\s*["']#)|\bmapping\b["']?\s*:|\\[uUx]|^\s*\?/m.test(text);
}

interface Reference {
  readonly target: string;
  readonly line: number;
  readonly column: number;
}

function placeOf(target: string, text: string): Pick<Reference, 'line' | 'column'> {
  return listReferences(text).find((reference) => reference.target === target) ?? { line: 1, column: 1 };
}

function listReferences(text: string): readonly Reference[] {
  const lines = new LineCounter();
  const references: Reference[] = [];
  const document = parseDocument(text, { lineCounter: lines });
  visit(document, {
    Pair(_, { key, value }, path) {
      const target = isAlias(value) ? value.resolve(document) : value;
      if (!isScalar(target) || typeof target.value !== 'string') return;
      const names = path.filter((node): node is Pair => 'key' in node).map((pair) => nameOf(pair.key));
      const isMapped = names.at(-1) === 'mapping' && names.at(-2) === 'discriminator';
      if (!isMapped && nameOf(key) !== '$ref' && nameOf(key) !== 'externalValue') return;
      const { line, col } = lines.linePos((key as Node).range?.[0] ?? 0);
      references.push({ target: target.value, line, column: col });
    },
  });
  return references;
}

function nameOf(key: unknown): unknown {
  return isScalar(key) ? key.value : undefined;
}

/** As a reader at this working directory would type it. */
export function displayPath(file: string): string {
  const path = relative(process.cwd(), file);
  return path.startsWith('..') ? file : path;
}
