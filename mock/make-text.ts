import type { JsonObject } from '@lockstep/json/json-pointer';
import { compilePattern, measureLongest } from '@lockstep/runtime/validation/read-pattern';
import { sample, stringMatching } from 'fast-check';

/** Values of the formats that are checked (JSON Schema 2020-12, Validation, 7.3; OpenAPI registry), the plainest first. */
const ofFormats: Readonly<Record<string, readonly string[]>> = {
  'date-time': ['2026-01-15T10:00:00Z', '2026-01-15T10:00:00.000Z', '2026-01-15T10:00:00+00:00'],
  'iso-date-time': ['2026-01-15T10:00:00Z', '2026-01-15T10:00:00'],
  date: ['2026-01-15'],
  time: ['10:00:00Z', '10:00:00.000Z', '10:00:00+00:00'],
  'iso-time': ['10:00:00Z', '10:00:00'],
  duration: ['P1D', 'PT1H', 'P1M'],
  email: ['user@example.com'],
  hostname: ['example.com'],
  ipv4: ['192.0.2.1'],
  ipv6: ['2001:db8::1'],
  uri: ['https://example.com/'],
  url: ['https://example.com/'],
  'uri-reference': ['/'],
  'uri-template': ['/{id}'],
  uuid: ['3fa85f64-5717-4562-b3fc-2c963f66afa6'],
  byte: ['c3RyaW5n', ''],
  regex: ['^[a-z]+$'],
  'json-pointer': ['/a', ''],
  'json-pointer-uri-fragment': ['#/a'],
  'relative-json-pointer': ['0'],
};

/** What may stand for text of no form at all. */
const plain = [
  'string',
  'a',
  '',
  '1',
  '0',
  'true',
  'A',
  '/',
  'https://example.com/',
  '2026-01-15',
  'a-1',
  'a@b.example',
  '+1',
];

/** How many values of a pattern are tried: length and format may refuse many of them, another pattern most. */
const samplesOfPattern = 12;
const samplesOfOneOfSeveral = 200;

/** Longer text is padded with one letter, so that a bound of a million costs no more than its bytes. Where more is asked for none is made. */
const longestMade = 2_000_000;

const sampled = new Map<string, readonly string[]>();

/**
 * Text that may fit all of the given schemas, the plainest first; whoever asks judges it. Always the same for the same seed.
 *
 * @param seed 0 for the values that stand for themselves
 */
export function* makeTexts(parts: readonly JsonObject[], seed: number): Generator<string> {
  const formats = parts.flatMap(({ format }) => (typeof format === 'string' ? (ofFormats[format] ?? []) : []));
  const patterns = parts.flatMap(({ pattern }) => (typeof pattern === 'string' ? [pattern] : []));
  const least = Math.max(0, ...parts.map(({ minLength }) => Number(minLength ?? 0)));
  if (least > longestMade) return;
  const most = Math.min(...parts.map(({ maxLength }) => Number(maxLength ?? Infinity)));
  const fit = (text: string): string =>
    cutTo(text.length < least ? text.padEnd(least, text.at(-1) ?? 'a') : text, most);
  yield* formats;
  if (seed !== 0) yield `${fit(`text${seed}`)}`;
  if (patterns.length === 0) yield* plain.map(fit);
  const count = patterns.length > 1 ? samplesOfOneOfSeveral : samplesOfPattern;
  for (const pattern of patterns) {
    for (const text of samplePattern(pattern, seed, count)) yield text;
    if (least > 0) for (const text of samplePattern(lengthen(pattern, least), seed)) yield text;
    for (const text of samplePattern(pattern, seed).slice(0, 3)) yield fit(text);
  }
  yield* plain;
  if (seed !== 0 || least > 0) yield* plain.map((text) => fit(`${text}${seed}`));
}

/** Texts that fit one pattern, where some are found. */
export function samplePattern(source: string, seed: number, count: number = samplesOfPattern): readonly string[] {
  const key = `${count} ${source}`;
  const known = seed === 0 ? sampled.get(key) : undefined;
  if (known !== undefined) return known;
  const made = trySample(source, seed, count);
  // Contracts have few patterns, seeds of callers are many.
  if (seed === 0) sampled.set(key, made);
  return made;
}

/** Repetitions beyond what one must have: of two thousand allowed ones the generator made four seconds of work. */
const mostRepetitions = 8;
/** Repetitions that are asked for, beyond which it takes as long. */
const mostRequired = 300;
/** Characters of one text. Nested repetitions multiply: `((a{300}){300}){300}` ended the process at 1.5 GB. */
const mostSampled = 3000;

/**
 * The same pattern, or one that takes less: what is made of it is judged by the pattern as it is written.
 *
 * A group that may be left out takes the library two seconds to prepare where a repetition stands in it: here it is had once.
 *
 * @throws RangeError for one that asks for more repetitions than can be sampled
 */
export function boundPattern(source: string): string {
  const bounded = source.replaceAll(
    /(?<!\\)\{(\d+)(?:,(\d*))?\}/g,
    (whole, least: string, most: string | undefined) => {
      const from = Number(least);
      if (from > mostRequired) throw new RangeError('too long to be sampled');
      const to = most === undefined ? from : Math.min(most === '' ? Infinity : Number(most), from + mostRepetitions);
      return to < from ? whole : `{${from},${to}}`;
    },
  );
  return bounded.replaceAll(/(?<!\\)\)[?*]\??/g, ')');
}

function trySample(source: string, seed: number, count: number): readonly string[] {
  try {
    const bounded = boundPattern(source);
    if (measureLongest(bounded, mostRepetitions) > mostSampled) return [];
    const texts = sample(stringMatching(compilePattern(bounded), { size: 'small' }), {
      seed: seed + 1,
      numRuns: count,
    });
    // Printable ones first: what a caller sees should be readable, and fit into a header.
    return texts.toSorted((a, b) => Number(isPlain(b)) - Number(isPlain(a)) || a.length - b.length);
  } catch {
    // Lookaround and names of groups are beyond it.
    return withoutLookaround(source, count);
  }
}

function withoutLookaround(source: string, count: number): readonly string[] {
  const simpler = source.replaceAll(/\(\?<?[=!][^()]*\)/g, '').replaceAll(/\(\?<\w+>/g, '(');
  return simpler === source ? [] : trySample(simpler, 0, count);
}

/** `^[a-z]+$` that asks for more: its last repetition without end takes what is lacking. */
function lengthen(source: string, least: number): string {
  const repetitions = [...source.matchAll(/(?<!\\)(?:[+*]|\{(\d+),\})/g)];
  const last = repetitions.at(-1);
  if (last === undefined) return source;
  return `${source.slice(0, last.index)}{${least}}${source.slice(last.index + last[0].length)}`;
}

function isPlain(text: string): boolean {
  return /^[\w.:/@+-]+$/.test(text);
}

function cutTo(text: string, most: number): string {
  return text.length > most ? text.slice(0, most) : text;
}
