import { deepest } from './depth-limit.ts';
import type { YamlSource } from './yaml-source.ts';

const quote = 0x22;

interface Member {
  /** Offset of the key, or of the item of a list. */
  readonly start: number;
  /** Offset of the value. */
  readonly value: number;
}

/**
 * Finds positions of values in a JSON text, as `readYaml` does, but reads no further than needed. A YAML parser builds a tree of the whole text
 * first: for one position in 6 MB that took 20 seconds and 700 MB.
 *
 * @returns undefined for text that is not JSON
 */
export function jsonPositions(text: string): YamlSource['positionOf'] | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const known = new Map<number, ReadonlyMap<string, Member>>();
  const membersAt = (offset: number): ReadonlyMap<string, Member> => {
    const members = known.get(offset) ?? readMembers(text, offset);
    known.set(offset, members);
    return members;
  };
  /** Places of the line breaks, in ascending order. */
  let breaks: readonly number[] | undefined;
  return (segments) => {
    let value = skipSpace(text, 0);
    let start = value;
    for (const segment of segments) {
      const member = membersAt(value).get(segment);
      if (member === undefined) break;
      ({ start, value } = member);
    }
    breaks ??= findLineBreaks(text);
    const before = countBelow(breaks, start);
    return { line: before + 1, column: start - (breaks[before - 1] ?? -1) };
  };
}

function findLineBreaks(text: string): readonly number[] {
  const breaks: number[] = [];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks.push(at);
  return breaks;
}

/** How many of the ascending numbers are lower. */
function countBelow(numbers: readonly number[], bound: number): number {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((numbers[middle] ?? 0) < bound) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Members of the object or list that begins at the offset; empty for another value. Of equal keys the last counts, as in `JSON.parse`. */
function readMembers(text: string, offset: number): ReadonlyMap<string, Member> {
  const members = new Map<string, Member>();
  const isList = text[offset] === '[';
  if (!isList && text[offset] !== '{') return members;
  let at = skipSpace(text, offset + 1);
  while (text[at] !== '}' && text[at] !== ']') {
    const start = at;
    let name = String(members.size);
    if (!isList) {
      const end = skipString(text, at);
      name = JSON.parse(text.slice(at, end));
      // After the colon.
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    members.set(name, { start, value: at });
    at = skipSpace(text, skipValue(text, at));
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return members;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (' \t\r\n'.includes(text[at] ?? '"')) at += 1;
  return at;
}

/** Offset of the comma or bracket after a value of valid JSON. */
function skipValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = skipString(text, at) - 1;
    else if (code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x5d || code === 0x7d || (code === 0x2c && depth === 0)) {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return text.length;
}

function skipString(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  for (;;) {
    let escapes = 0;
    while (text[at - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return at + 1;
    at = text.indexOf('"', at + 1);
  }
}

/**
 * The value of a JSON text in which no object has a key twice and nothing is nested too deep, in a third of a YAML parser's time. Undefined for
 * any other text.
 */
export function readPlainJson(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isPlain = typeof value === 'object' && value !== null && countKeys(text) === countMembers(value, deepest);
    return isPlain ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Keys of a JSON text: a colon outside of strings follows each. */
function countKeys(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = skipString(text, at) - 1;
    else if (code === 0x3a) count += 1;
  }
  return count;
}

/** @returns NaN for a value of more levels */
function countMembers(value: object, levels: number): number {
  if (levels === 0) return Number.NaN;
  const members = Array.isArray(value) ? value : Object.values(value);
  let count = members === value ? 0 : members.length;
  for (const member of members)
    if (typeof member === 'object' && member !== null) count += countMembers(member, levels - 1);
  return count;
}
