import type { AST } from '@eslint-community/regexpp';

/** Code points, as from, to, from, to …: ends included, in order, no two ranges touching. */
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

export function isWordCharacter(codePoint: number): boolean {
  return hasCodePoint(wordCharacters, codePoint);
}

export function unite(sets: readonly CharSet[]): CharSet {
  const ranges = sets.flatMap((set) => pairs(set)).sort(([a], [b]) => a - b);
  const united: number[] = [];
  for (const [from, to] of ranges) {
    const end = united.at(-1);
    if (end !== undefined && from <= end + 1) united[united.length - 1] = Math.max(end, to);
    else united.push(from, to);
  }
  return united;
}

export function complement(set: CharSet, last: number): CharSet {
  const rest: number[] = [];
  let next = 0;
  for (const [from, to] of pairs(set)) {
    if (from > next) rest.push(next, from - 1);
    next = to + 1;
  }
  return next > last ? rest : [...rest, next, last];
}

interface Flags {
  readonly unicode: boolean;
  readonly ignoreCase: boolean;
  readonly dotAll: boolean;
}

/** What one element of a pattern that takes one character takes. */
export function readCharSet(node: AST.CharacterClass | AST.CharacterSet | AST.Character, flags: Flags): CharSet {
  const last = flags.unicode ? highest.withUnicode : highest.without;
  switch (node.type) {
    case 'Character':
      return flags.ignoreCase ? bothCases([node.value, node.value]) : [node.value, node.value];
    case 'CharacterSet':
      return readEscape(node, flags, last);
    case 'CharacterClass': {
      const parts = node.elements.map((element): CharSet => {
        if (element.type === 'CharacterClassRange') return [element.min.value, element.max.value];
        if (element.type === 'Character') return [element.value, element.value];
        if (element.type === 'CharacterSet') return readEscape(element, flags, last);
        throw new Error(`${element.type} stands in classes under flag v alone`);
      });
      const united = flags.ignoreCase ? bothCases(unite(parts)) : unite(parts);
      return node.negate ? complement(united, last) : united;
    }
  }
}

function readEscape(node: AST.CharacterSet, { dotAll }: Flags, last: number): CharSet {
  const set = { any: dotAll ? [] : lineEnds, digit: digits, space: spaces, word: wordCharacters };
  if (node.kind === 'property') return propertySet(node.raw);
  return (node.kind === 'any' ? true : node.negate) ? complement(set[node.kind], last) : set[node.kind];
}

/** Both cases of ASCII, and all beyond it: more than the flag takes, never less. */
function bothCases(set: CharSet): CharSet {
  const letters = [...Array(26).keys()].flatMap((index) => {
    const pair = [0x41 + index, 0x61 + index];
    return pair.some((letter) => hasCodePoint(set, letter)) ? pair.map((letter) => [letter, letter]) : [];
  });
  return unite([set, [0x80, highest.withUnicode], ...letters]);
}

const propertySets = new Map<string, CharSet>();

/** Asks the platform, which knows Unicode: once for each property, some 20 ms. */
function propertySet(property: string): CharSet {
  const known = propertySets.get(property);
  if (known !== undefined) return known;
  const one = new RegExp(property, 'u');
  const run = new RegExp(`${property}+`, 'gu');
  const found = unite([
    ...uniform.filter(([from = 0]) => one.test(String.fromCodePoint(from))),
    ...assignedTexts().map(({ text, from, units }) =>
      [...text.matchAll(run)].flatMap((match) => {
        const first = from + match.index / units;
        return [first, first + match[0].length / units - 1];
      }),
    ),
  ]);
  propertySets.set(property, found);
  return found;
}

/** Where characters are assigned; halves of surrogate pairs in two parts, or they would join. */
const assigned = [
  [0, 0xd7ff],
  [0xd800, 0xdbff],
  [0xdc00, 0xdfff],
  [0xe000, 0xffff],
  [0x10000, 0x3ffff],
  [0xe0000, 0xe0fff],
] as const;
/** The rest: unassigned, or for private use, with two noncharacters at each end. */
const uniform: readonly CharSet[] = [
  [0x40000, 0xdffff],
  [0xe1000, 0xeffff],
  [0xf0000, 0xffffd],
  [0xffffe, 0xfffff],
  [0x100000, 0x10fffd],
  [0x10fffe, 0x10ffff],
];

interface AssignedText {
  readonly text: string;
  readonly from: number;
  /** Of UTF-16, each. */
  readonly units: 1 | 2;
}

let texts: readonly AssignedText[] | undefined;

function assignedTexts(): readonly AssignedText[] {
  texts ??= assigned.map(([from, to]) => {
    const units = from > 0xffff ? 2 : 1;
    const codes = new Uint16Array((to - from + 1) * units);
    for (let codePoint = from, index = 0; codePoint <= to; codePoint += 1) {
      if (units === 2) codes[index++] = 0xd800 + ((codePoint - 0x10000) >> 10);
      codes[index++] = units === 2 ? 0xdc00 + (codePoint & 0x3ff) : codePoint;
    }
    return { text: Buffer.from(codes.buffer).toString('utf16le'), from, units };
  });
  return texts;
}

function pairs(set: CharSet): [from: number, to: number][] {
  return Array.from({ length: set.length >> 1 }, (_, index) => [set[2 * index] ?? 0, set[2 * index + 1] ?? 0]);
}

/** Characters that no set of a pattern tells apart. */
export interface CharClass {
  readonly isWord: boolean;
  readonly ranges: CharSet;
}

/** All code points, parted into as few classes as the sets of one or several patterns need. */
export interface Alphabet {
  readonly classes: readonly CharClass[];
  readonly classOf: (codePoint: number) => number;
  /** For each class whether it lies in the set. */
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
    classes: ranges.map((own) => ({ ranges: unite([own]), isWord: isWordCharacter(own[0] ?? 0) })),
    classOf: (codePoint) => (codePoint < 128 ? (ascii[codePoint] ?? 0) : find(codePoint)),
    membersOf: (set) => Uint8Array.from(ranges, (own) => (hasCodePoint(set, own[0] ?? 0) ? 1 : 0)),
  };
}
