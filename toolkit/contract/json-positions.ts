import type { YamlSource } from './yaml-source.ts';

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

/** Offset after a value of valid JSON. */
function skipValue(text: string, from: number): number {
  const marks = /["[\]{},]/g;
  let depth = 0;
  let at = from;
  for (;;) {
    marks.lastIndex = at;
    const index = marks.exec(text)?.index ?? text.length;
    const mark = text[index];
    if (mark === '"') at = skipString(text, index);
    else if (mark === '{' || mark === '[') {
      depth += 1;
      at = index + 1;
    } else if (mark === '}' || mark === ']') {
      if (depth === 0) return index;
      depth -= 1;
      at = index + 1;
    } else if (depth === 0) return index;
    else at = index + 1;
    if (depth === 0 && mark !== ',') return at;
  }
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
