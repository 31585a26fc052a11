// The file that a run with findings leaves, so that `replay` can send the requests of a failure again.
import { readFile } from 'node:fs/promises';
import { closest } from 'fastest-levenshtein';
import { isObject, parseJson } from '../contract/document.ts';
import { counted, messageOf } from '../contract/printable.ts';
import type { Intent, Timing, WireEdits } from '../execute/exchange.ts';
import type { Scalar } from '../resources/read-items.ts';

/** A request without credentials. A text such as `{{book#1.id}}` replaces a value that the server chose. */
export interface RecordedRequest {
  /** Id of the operation. */
  readonly operation: string;
  readonly parameters: readonly { readonly in: string; readonly name: string; readonly value: unknown }[];
  readonly body?: { readonly mediaType: string; readonly value: unknown } | undefined;
  readonly edits?: RecordedEdits | undefined;
  readonly timing?: Timing | undefined;
  readonly intent: Omit<Intent, 'case' | 'step'>;
  /** The status; 0 if no answer came. */
  readonly answered: number;
}

export interface RecordedEdits extends Pick<WireEdits, 'method' | 'path'> {
  /** Null removes a header. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined;
  /** The content as sent, in base64 if it is not UTF-8. */
  readonly content?: { readonly text: string } | { readonly base64: string } | undefined;
}

/** The value behind a symbol: a member of the object that a request created, a header of its answer, or its cursor (`next`). */
export interface Source {
  /** 0-based index of the request. */
  readonly request: number;
  readonly member: string;
}

/** All requests that show a failure, in order. */
export interface Chain {
  readonly requests: readonly RecordedRequest[];
  /** Index of the first request that the check judges; those before it create objects. */
  readonly judged: number;
  /** By names as in the texts, `book#1.id`. */
  readonly symbols: Readonly<Record<string, Source>>;
}

/** A failure at one place of one operation. */
export interface RecordedFailure {
  readonly fingerprint: string;
  /** Hashes of its causes: failures that share one are the same finding. */
  readonly causes: readonly string[];
  readonly check: string;
  readonly operation: string;
  /** Place of the obligation. */
  readonly place: string;
  readonly message: string;
  /** Set unless `unable` is set. */
  readonly chain?: Chain | undefined;
  /** Why its requests cannot be sent again. */
  readonly unable?: string | undefined;
}

export interface FoundFailures {
  /** The id of the finding. */
  readonly id: string;
  readonly failures: readonly RecordedFailure[];
}

export interface FailureFile {
  readonly failures: 2;
  readonly title: string;
  readonly contract: string;
  readonly baseUrl: string;
  readonly authUrl?: string | undefined;
  readonly seed: number;
  /** The current time of the run. */
  readonly now: string;
  readonly findings: readonly FoundFailures[];
}

/** The name of the file within `--out`. */
export const failureFile = 'failures.json';

/** A file or an id that cannot be used. */
export class FailureFileError extends Error {}

/** @throws FailureFileError if the file cannot be read, or is none of a run */
export async function readFailures(file: string): Promise<FailureFile> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const hint = 'A run with findings writes it to --out; --failures names another file';
    throw new FailureFileError(`${file} cannot be read: ${messageOf(error)}. ${hint}.`);
  }
  const read = parseJson(text);
  if (!isObject(read) || read.failures !== 2 || !Array.isArray(read.findings))
    throw new FailureFileError(`${file} is no file of failures: expected ${failureFile} of a run, with "failures": 2.`);
  return read as unknown as FailureFile;
}

const leastPrefix = 4;

/**
 * The failures of an id: those of a finding, one for each operation, or that of one place.
 *
 * @param given the id of a finding, the fingerprint of a place, or at least 4 characters of one of them
 * @throws FailureFileError with the nearest ids if none or several begin like this
 */
export function findFailures({ findings }: FailureFile, given: string, file: string): FoundFailures {
  const byId = new Map<string, FoundFailures>();
  for (const { failures } of findings) {
    for (const failure of failures) {
      const { fingerprint: id } = failure;
      if (!byId.has(id)) byId.set(id, { id, failures: [failure] });
    }
  }
  for (const { id, failures } of findings) {
    const first = new Map<string, RecordedFailure>();
    for (const failure of failures) if (!first.has(failure.operation)) first.set(failure.operation, failure);
    const found = { id, failures: [...first.values()] };
    for (const name of [id, ...failures.flatMap(({ causes }) => causes)]) byId.set(name, found);
  }
  if (given.length < leastPrefix)
    throw new FailureFileError(`${given} is too short: give an id, or at least its first ${leastPrefix} characters.`);
  const names = byId.has(given) ? [given] : [...byId.keys()].filter((name) => name.startsWith(given));
  const [found, ...others] = new Set(names.flatMap((name) => byId.get(name) ?? []));
  if (found !== undefined && others.length === 0) return found;
  if (found !== undefined)
    throw new FailureFileError(`${given} begins ${counted(names.length, 'id')}: ${names.join(', ')}. Give more of it.`);
  const ids = findings.map(({ id }) => id);
  const nearest = ids.length === 0 ? '' : ` Did you mean ${closest(given, ids)}?`;
  throw new FailureFileError(
    `${file} has no failure ${given}.${nearest} Its findings are: ${ids.join(', ') || 'none'}.`,
  );
}

const symbol = /\{\{([^{}]+)\}\}/g;

export function spellSymbol(name: string): string {
  return `{{${name}}}`;
}

/**
 * A copy with values in place of symbols. A text that is one symbol becomes the value itself.
 *
 * @param encode spells a value within a longer text
 */
export function fillSymbols<Value>(
  value: Value,
  values: ReadonlyMap<string, Scalar>,
  encode: (value: Scalar) => string = String,
): Value {
  const fill = (part: unknown): unknown => {
    if (typeof part === 'string') {
      const [whole] = [...part.matchAll(symbol)];
      const only = whole?.[0] === part ? values.get(whole[1] ?? '') : undefined;
      if (only !== undefined) return only;
      return part.replaceAll(symbol, (text, name: string) => {
        const known = values.get(name);
        return known === undefined ? text : encode(known);
      });
    }
    if (Array.isArray(part)) return part.map(fill);
    if (!isObject(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, fill(inner)]));
  };
  return fill(value) as Value;
}

/** Names of the symbols in a value. */
export function symbolsIn(value: unknown): readonly string[] {
  return [...(JSON.stringify(value) ?? '').matchAll(symbol)].map(([, name = '']) => name);
}
