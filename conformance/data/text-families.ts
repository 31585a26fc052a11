// Unusual and hostile texts that a string without pattern, format and enum allows, and that careless servers fail on or lose.

/**
 * A row is one request with its families. `scripts` is what people write; servers reject some `signs` more often, and a rejection
 * would hide all other families; a word has its meaning only alone; a long text may exceed the size of a request; `grey` may be rejected
 * by any server.
 */
export const textRows = ['scripts', 'signs', 'grey', 'words', 'longest'] as const;

export type TextRow = (typeof textRows)[number];

export interface TextFamily {
  readonly name: string;
  readonly row: TextRow;
  readonly text: string;
}

/** Lone surrogates and noncharacters are escapes in the source: editors and tools change them. */
export const textFamilies: readonly TextFamily[] = [
  { name: 'astral characters', row: 'scripts', text: '😀𝒳𠮷' },
  { name: 'CJK', row: 'scripts', text: '漢字かな한글' },
  { name: 'Latin-1', row: 'scripts', text: 'Ünïcødé ÿ' },
  { name: 'composed and combining marks', row: 'scripts', text: '\u00e9e\u0301\u1e69s\u0323\u0307' },
  { name: 'case traps', row: 'scripts', text: 'ıİßſK' },
  { name: 'fullwidth digits', row: 'scripts', text: '１２３' },
  { name: 'Arabic and Hebrew', row: 'scripts', text: 'مرحبا שלום' },
  { name: 'quotes', row: 'signs', text: `O'Neil "x" \`y\` \\` },
  { name: 'markup', row: 'signs', text: '<b>&amp;</b>' },
  { name: 'templates and paths', row: 'signs', text: '\x24{7*7} {{7*7}} ../ %00 %s' },
  { name: 'joined emoji', row: 'signs', text: '👩\u200d👩\u200d👧🏽\ufe0f' },
  { name: 'zero-width characters', row: 'signs', text: 'a\u200bb\u200cc\u2060d' },
  { name: 'bidirectional overrides', row: 'signs', text: 'a\u202eb\u202cc\u2067d\u2069e' },
  { name: 'line separators and BOM', row: 'signs', text: 'a\u2028b\u2029c\ufeffd\u0085e' },
  { name: 'ASCII controls', row: 'signs', text: 'a\tb\nc\rd\u0001e\u001bf\u007fg' },
  { name: 'the longest text', row: 'longest', text: 'x' },
  { name: '__proto__', row: 'words', text: '__proto__' },
  { name: 'null', row: 'words', text: 'null' },
  { name: 'constructor', row: 'words', text: 'constructor' },
  { name: 'NaN', row: 'words', text: 'NaN' },
  { name: 'NUL', row: 'grey', text: 'a\u0000b' },
  { name: 'lone surrogates', row: 'grey', text: 'a\ud800b\udfffc' },
  { name: 'noncharacters', row: 'grey', text: 'a\ufffeb\uffffc\u{1fffe}d' },
];

/** The lengths of a string in code points, as JSON Schema counts them. */
export interface TextBounds {
  readonly minLength: number;
  /** Infinity if the contract has no limit. */
  readonly maxLength: number;
}

/** Length of the longest text where the contract has no limit, and the longest that is sent at all. */
export const mostCharacters = 65_536;

/**
 * A text of several families that fits the bounds: as many families as have room, and at least a part of the first.
 *
 * @param ending kept whole if there is room, as it makes the text unique
 * @returns the families in the text; undefined if no text of the first one fits
 */
export function fitTexts(
  families: readonly TextFamily[],
  { minLength, maxLength }: TextBounds,
  ending = '',
): { readonly text: string; readonly families: readonly TextFamily[] } | undefined {
  const [first] = families;
  if (first === undefined || maxLength < 1 || minLength > mostCharacters) return undefined;
  const limit = Math.min(maxLength, mostCharacters);
  const most = first.row === 'longest' ? limit : Math.min(maxLength, Math.max(minLength, 500));
  const start = cut(first.text, most);
  let text = first.row === 'longest' ? '' : start;
  const used = [first];
  for (const family of families.slice(1)) {
    const longer = `${text} ${family.text}`;
    if (lengthOf(longer) > most) continue;
    text = longer;
    used.push(family);
  }
  const end = lengthOf(text) + lengthOf(ending) <= most ? ending : '';
  const missing = (first.row === 'longest' ? most : minLength) - lengthOf(text) - lengthOf(end);
  return { text: `${text}${missing > 0 ? pad(first.text, missing) : ''}${end}`, families: used };
}

function pad(text: string, length: number): string {
  return cut(text.repeat(Math.ceil(length / lengthOf(text))), length);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : [...text].slice(0, length).join('');
}

function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}
