import { createHash } from 'node:crypto';
import type { Pointer, Seen } from '../contract/document.ts';

/**
 * `defect`: a sentence is broken in every reading. `suspect`: it looks bad; never in the exit code unless asked. `warning`: a
 * fact about the deployment that costs checks, as a feature that is off; told among the warnings.
 */
export type Severity = 'defect' | 'suspect' | 'warning';

/** One sentence that one exchange breaks, as one check sees it. */
export interface Failure {
  readonly check: string;
  readonly severity: Severity;
  /** Part of the message: `response 200 body /payload/0/type`. */
  readonly place: string;
  /** The sentence of the contract. */
  readonly pointer: Pointer;
  /** Keyword of the schema, or name of the law. */
  readonly keyword: string;
  /** Clause of the norm that gives the sentence its force: of HTTP, JSON Schema, OpenAPI. */
  readonly clause: string;
  readonly message: string;
  /**
   * Its causes in the whole document, from the most telling on: no ids, no values, and an operation only where another
   * could not show the same. Several where one instance breaks several sentences at once: failures that share one are one cause.
   */
  readonly causes: readonly Cause[];
}

export type Cause = readonly (string | number)[];

/** Text that is equal for equal causes of one check, however sure each time. */
export function causeKey({ check }: Failure, cause: Cause): string {
  return JSON.stringify([check, ...cause]);
}

/** The same for the same place of one operation in every run, whatever the values. */
export function fingerprintOf({ check, place, pointer, keyword }: Failure, operation: string): string {
  return hashOf([check, operation, generalPlace(place), keyword, pointer]);
}

export function hashOf(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 8);
}

/** `2XX` of a status: what a 404 and a 422 say wrongly is one cause. */
export function classOf(status: number): string {
  return `${Math.floor(status / 100)}XX`;
}

/** Without the index in a list and the very status. */
function generalPlace(place: string): string {
  return place.replace(/^response (\d)\d\d\b/, 'response $1XX').replaceAll(/\/\d+(?=\/|$)/g, '/*');
}

/** Most of a body that two bodies are compared by. */
const mostCompared = 2_000;

/** Parts that vary between two accounts of one failure, the longer forms first. */
const variable: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<uuid>'],
  [/\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?/gi, '<date>'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [^<"]{0,30}\d\d:\d\d:\d\d(?: GMT)?/g, '<date>'],
  [/https?:\/\/[^\s"'<>]+/gi, '<url>'],
  [/(?<![\w<])\/[\w.~%:@!$&*+=-]+(?:\/[\w.~%:@!$&*+=-]*)*(?:\?[^\s"'<>]*)?/g, '<path>'],
  // The apostrophe of a word opens no quotation.
  [/(?<!\w)'[^'\n]{0,200}'(?!\w)|`[^`\n]{0,200}`|\\"[^"\n]{0,200}\\"/g, '<quoted>'],
  [/\b0x[0-9a-f]+\b/gi, '<n>'],
  [/\b(?=[0-9a-z]*\d)[0-9a-z]{16,}\b/gi, '<id>'],
  [/\d+(?:\.\d+)?/g, '<n>'],
];

/**
 * A body without ids, numbers, dates, paths and quoted values: equal for two accounts of one failure.
 *
 * @param echoes what the request said, and the answer may repeat
 */
export function normaliseBody(text: string, echoes: readonly string[] = []): string {
  const own = echoes.reduce((left, echo) => left.replaceAll(echo, '<sent>'), text.slice(0, mostCompared));
  const plain = own.replaceAll(/\s+/g, ' ').trim();
  return variable.reduce((left, [pattern, name]) => left.replaceAll(pattern, name), plain);
}

/** Shorter texts stand in an answer by chance. */
const leastEcho = 4;

/** Texts of a request, the longest first: its answer may repeat them. */
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
