import type { AST } from '@eslint-community/regexpp';

/** Code points, as from, to, from, to …: inclusive limits, in ascending order, no two ranges adjacent. */
export type CharSet = readonly number[];

export const highest = { withUnicode: 0x10ffff, without: 0xffff } as const;

const digits: CharSet = [0x30, 0x39];
const wordCharacters: CharSet = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
/** WhiteSpace and LineTerminator (ECMA-262, 22.2.2.9). */
const spaces: CharSet = [
  [0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029],
  [0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff],
].flat();
const lineEnds: CharSet = [0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029];

export function hasCodePoint(set: CharSet, codePoint: number): boolean {
  let low = 0;
  let high = set.length >> 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((set[2 * middle + 1] ?? 0) < codePoint) low = middle + 1;
    else high = middle;
  }
  return codePoint >= (set[2 * low] ?? Number.POSITIVE_INFINITY);
}

function unite(sets: readonly CharSet[]): CharSet {
  const ranges = sets.flatMap((set) => pairs(set)).sort(([a], [b]) => a - b);
  const united: number[] = [];
  for (const [from, to] of ranges) {
    const end = united.at(-1);
    if (end !== undefined && from <= end + 1) united[united.length - 1] = Math.max(end, to);
    else united.push(from, to);
  }
  return united;
}

/** The complement of a set. */
function complement(set: CharSet, last: number): CharSet {
  return pairs([-1, ...set, last + 1]).flatMap(([from, to]) => (to - from > 1 ? [from + 1, to - 1] : []));
}

function pairs(set: CharSet): [from: number, to: number][] {
  return Array.from({ length: set.length >> 1 }, (_, index) => [set[2 * index] ?? 0, set[2 * index + 1] ?? 0]);
}

interface Flags {
  readonly unicode: boolean;
  readonly ignoreCase: boolean;
  readonly dotAll: boolean;
}

/** Code points with flag `u`, units of UTF-16 without it. */
export function readCharacters(text: string, unicode: boolean): number[] {
  return unicode
    ? Array.from(text, (char) => char.codePointAt(0) ?? 0)
    : Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
}

/** The characters that one element of a pattern matches. With flag `i`, an over-approximation except for ASCII. */
export function readCharSet(node: AST.CharacterClass | AST.CharacterSet | AST.Character, flags: Flags): CharSet {
  const last = flags.unicode ? highest.withUnicode : highest.without;
  if (flags.ignoreCase) {
    const folded = new RegExp(`(?i${flags.dotAll ? 's' : ''}:${node.raw})`, flags.unicode ? 'u' : '');
    const ascii = [...Array(0x80).keys()].filter((code) => folded.test(String.fromCharCode(code)));
    return unite([[0x80, last], ...ascii.map((code) => [code, code])]);
  }
  const elements = node.type === 'CharacterClass' ? node.elements : [node];
  const set = unite(
    elements.map((element): CharSet => {
      if (element.type === 'CharacterClassRange') return [element.min.value, element.max.value];
      if (element.type === 'Character') return [element.value, element.value];
      if (element.type === 'CharacterSet') return readEscape(element, flags.dotAll, last);
      throw new Error(`${element.type} in a class is only valid with flag v`);
    }),
  );
  return node.type === 'CharacterClass' && node.negate ? complement(set, last) : set;
}

function readEscape(node: AST.CharacterSet, dotAll: boolean, last: number): CharSet {
  const set = { any: dotAll ? [] : lineEnds, digit: digits, space: spaces, word: wordCharacters };
  if (node.kind === 'property') return propertySet(node.raw);
  return node.kind === 'any' || node.negate ? complement(set[node.kind], last) : set[node.kind];
}

const propertySets = new Map<string, CharSet>();
let texts: readonly string[] | undefined;

/** Reads the characters of a Unicode property from the platform, once per property, in about 20 ms. */
function propertySet(property: string): CharSet {
  const known = propertySets.get(property);
  if (known !== undefined) return known;
  texts ??= assigned.map(([from, to]) => spell(from, to));
  const one = new RegExp(property, 'u');
  const run = new RegExp(`${property}+`, 'gu');
  const found = unite([
    ...uniform.filter(([from]) => one.test(String.fromCodePoint(from))),
    ...texts
      .flatMap((text) => text.match(run) ?? [])
      .map((found) => [found, [...found.slice(-2)].at(-1) ?? ''].map((char) => char.codePointAt(0) ?? 0)),
  ]);
  propertySets.set(property, found);
  return found;
}

/** Builds text in blocks: one character at a time takes five times as long. */
function spell(from: number, to: number): string {
  const block = [...Array(0x400).keys()];
  let text = '';
  for (let at = from; at < to; at += block.length) text += String.fromCodePoint(...block.map((index) => at + index));
  return text;
}

/** Planes with assigned characters, without surrogates; the size of each is a multiple of 0x400. */
const assigned = [
  [0, 0xd7ff],
  [0xe000, 0x3ffff],
  [0xe0000, 0xeffff],
] as const;
/** Ranges with the same properties throughout: surrogates, other planes, and the two noncharacters at the end of each. */
const uniform: readonly (readonly [from: number, to: number])[] = [
  [0xd800, 0xdfff],
  ...[4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16].flatMap((plane): [number, number][] => {
    const from = plane * 0x10000;
    return [
      [from, from + 0xfffd],
      [from + 0xfffe, from + 0xffff],
    ];
  }),
];

/** Characters that every set of a pattern treats alike. */
export interface CharClass {
  readonly isWord: boolean;
  readonly ranges: CharSet;
}

/** All code points, partitioned into the fewest classes that the sets of one or several patterns need. */
export interface Alphabet {
  readonly classes: readonly CharClass[];
  readonly classOf: (codePoint: number) => number;
  /** For each class, 1 if it is in the set. */
  readonly membersOf: (set: CharSet) => Uint8Array;
}

export function createAlphabet(sets: readonly CharSet[], last: number): Alphabet {
  const distinct = [...new Map([wordCharacters, ...sets].map((set) => [set.join(), set])).values()];
  const starts = [...new Set([0, ...distinct.flatMap((set) => set.map((end, index) => end + (index % 2)))])]
    .filter((start) => start <= last)
    .sort((a, b) => a - b);
  const indexBySignature = new Map<string, number>();
  const ranges: number[][] = [];
  const pieces = starts.map((start, index) => {
    const signature = distinct.map((set) => (hasCodePoint(set, start) ? '1' : '0')).join('');
    const known = indexBySignature.get(signature) ?? ranges.length;
    if (known === ranges.length) {
      indexBySignature.set(signature, known);
      ranges.push([]);
    }
    ranges[known]?.push(start, (starts[index + 1] ?? last + 1) - 1);
    return known;
  });
  const find = (codePoint: number): number => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= codePoint) low = middle;
      else high = middle - 1;
    }
    return pieces[low] ?? 0;
  };
  const ascii = Uint16Array.from({ length: 128 }, (_, codePoint) => find(codePoint));
  return {
    classes: ranges.map((own) => ({ ranges: unite([own]), isWord: hasCodePoint(wordCharacters, own[0] ?? 0) })),
    classOf: (codePoint) => (codePoint < 128 ? (ascii[codePoint] ?? 0) : find(codePoint)),
    membersOf: (set) => Uint8Array.from(ranges, (own) => (hasCodePoint(set, own[0] ?? 0) ? 1 : 0)),
  };
}
