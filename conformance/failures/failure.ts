import { createHash } from 'node:crypto';
import type { Pointer, Seen } from '../contract/document.ts';
import type { Polarity } from '../execute/exchange.ts';

/**
 * `defect`: a requirement is broken in every reading. `suspect`: an inconclusive finding, in the exit code only on request. `warning`: a
 * fact about the deployment that prevents checks, such as a feature that is off; reported among the warnings.
 */
export type Severity = 'defect' | 'suspect' | 'warning';

/** A requirement that an exchange breaks, found by one check. */
export interface Failure {
  readonly check: string;
  readonly severity: Severity;
  /** Part of the message: `response 200 body /payload/0/type`. */
  readonly place: string;
  /** The requirement in the contract. */
  readonly pointer: Pointer;
  /** Keyword of the schema, or name of the law. */
  readonly keyword: string;
  /** Clause of HTTP, JSON Schema or OpenAPI that makes it a requirement. */
  readonly clause: string;
  readonly message: string;
  /**
   * Causes in the whole document, the most specific first, without ids and values, and with an operation only if no other can show the
   * same. One instance that breaks several requirements has several. Failures that share a cause are one finding.
   */
  readonly causes: readonly Cause[];
}

export type Cause = readonly (string | number)[];

/** Text that is equal for equal causes of one check, whatever the severity. */
export function causeKey({ check }: Failure, cause: Cause): string {
  return JSON.stringify([check, ...cause]);
}

/** A hash that identifies a place of an operation in every run, whatever the values. */
export function fingerprintOf({ check, place, pointer, keyword }: Failure, operation: string): string {
  return hashOf([check, operation, generalPlace(place), keyword, pointer]);
}

/** Distinguishes failures at one place by their causes: each cause has requests of its own. */
export function recordKey(failure: Failure, operation: string): string {
  const [first = []] = failure.causes;
  return `${fingerprintOf(failure, operation)} ${causeKey(failure, first)}`;
}

export function hashOf(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 8);
}

/** `2XX` of a status: the same fault of a 404 and a 422 is one cause. */
export function classOf(status: number): string {
  return `${Math.floor(status / 100)}XX`;
}

/** A place without list indexes and with the class of the status. */
function generalPlace(place: string): string {
  return place.replace(/^response (\d)\d\d\b/, 'response $1XX').replaceAll(/\/\d+(?=\/|$)/g, '/*');
}

/** Characters by which two bodies are compared. */
const mostCompared = 2_000;

/** Parts that vary between two reports of one failure, the longer patterns first. */
const variable: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<uuid>'],
  [/\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?/gi, '<date>'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [^<"]{0,30}\d\d:\d\d:\d\d(?: GMT)?/g, '<date>'],
  [/https?:\/\/[^\s"'<>]+/gi, '<url>'],
  [/(?<![\w<])\/[\w.~%:@!$&*+=-]+(?:\/[\w.~%:@!$&*+=-]*)*(?:\?[^\s"'<>]*)?/g, '<path>'],
  // An apostrophe within a word does not open a quotation.
  [/(?<!\w)'[^'\n]{0,200}'(?!\w)|`[^`\n]{0,200}`|\\"[^"\n]{0,200}\\"/g, '<quoted>'],
  [/\b0x[0-9a-f]+\b/gi, '<n>'],
  [/\b(?=[0-9a-z]*\d)[0-9a-z]{16,}\b/gi, '<id>'],
  [/\d+(?:\.\d+)?/g, '<n>'],
];

/**
 * A body without ids, numbers, dates, paths and quoted values: equal for two reports of one failure.
 *
 * @param echoes texts of the request that the answer may repeat
 */
export function normaliseBody(text: string, echoes: readonly string[] = []): string {
  const own = echoes.reduce((left, echo) => left.replaceAll(echo, '<sent>'), text.slice(0, mostCompared));
  const plain = own.replaceAll(/\s+/g, ' ').trim();
  const known = variable.reduce((left, [pattern, name]) => left.replaceAll(pattern, name), plain);
  return known.replaceAll(/\b[A-Za-z]{16,}\b/g, (word) => (isRandom(word) ? '<id>' : word));
}

/** Least share of capital and of small letters in an id of letters: a name such as `NoSuchMethodException` has fewer capitals. */
const leastShare = 0.3;

function isRandom(word: string): boolean {
  const share = word.replaceAll(/[^A-Z]/g, '').length / word.length;
  return share >= leastShare && share <= 1 - leastShare;
}

/** Answers contain shorter texts by chance. */
const leastEcho = 4;

/** Texts of a request that its answer may repeat, the longest first. */
export function echoesOf({ path, query, requestBody }: Seen): readonly string[] {
  const found = new Set<string>();
  const walk = (value: unknown, depth: number): void => {
    if (typeof value === 'string' && value.length >= leastEcho) found.add(value);
    if (depth < 8 && typeof value === 'object' && value !== null)
      for (const part of Object.values(value)) walk(part, depth + 1);
  };
  walk([path, query, requestBody], 0);
  return [...found].sort((a, b) => b.length - a.length);
}

const ascending: readonly Failure['severity'][] = ['warning', 'suspect', 'defect'];

/** A server must not fail on any request, but the reader of a finding doubts one that the contract does not allow. */
const clearest: readonly (Polarity | undefined)[] = ['grey', 'invalid', 'valid'];

/** The weight of an exchange that shows a failure. */
export interface Weight extends Pick<Failure, 'severity'> {
  /** Undefined for a failure of the contract itself. */
  readonly polarity: Polarity | undefined;
}

export function isSurer({ severity }: Pick<Failure, 'severity'>, than: Pick<Failure, 'severity'>): boolean {
  return ascending.indexOf(severity) > ascending.indexOf(than.severity);
}

function isClearer({ severity, polarity }: Weight, than: Weight): boolean {
  return severity === than.severity && clearest.indexOf(polarity) > clearest.indexOf(than.polarity);
}

/** Whether an exchange is shown instead of a known one: it is surer, or clearer if they are equally sure. */
export function isBetterShown(weight: Weight, known: Weight): boolean {
  return isSurer(weight, known) || isClearer(weight, known);
}
