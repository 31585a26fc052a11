// Classes of valid values: those that a keyword of a schema names.
import { roundToMultiple } from '@lockstep/values/multiples';
import { samplePatterns } from '@lockstep/values/pattern';
import { admits, type SchemaNode, type Shape, saidTypes } from '@lockstep/values/shape';
import type { Parameter } from '../contract/contract.ts';
import {
  arrayAt,
  canonical,
  isObject,
  type JsonObject,
  joinPointer,
  type Place,
  type Pointer,
  placeAt,
  textAt,
} from '../contract/document.ts';
import { buildFrom, type DataTools } from './value-candidates.ts';

/** @param mark text that no earlier request had: objects may need unique names */
type Make = (mark: string) => unknown;

/** One valid value of a part, or its absence. */
export interface BoundaryClass {
  /** Unique in the operation, and the same in every run: `query limit, maximum`. */
  readonly name: string;
  /** The keyword, with its location in the contract. */
  readonly pointer: Pointer;
  readonly keyword: string;
  /** For a message: `maximum`, `one more than minLength`. */
  readonly how: string;
  readonly make: Make;
  /** A similar value that is no boundary: a server may accept neither, for a reason that no schema states. */
  readonly similar?: Make;
  /** Whether the contract names this very value. Of a format or pattern, it names no single text. */
  readonly isNamed: boolean;
  /** Why the value is not sent. */
  readonly omitted?: string;
}

/** Limits: larger values prove more about proxies than about the contract. */
const most = { members: 24, items: 50, bytes: 8_192, bytesInUrl: 1_500, length: 64, wide: 512 } as const;

/** A part of a request with the schema that describes it. */
export interface Described {
  readonly tools: DataTools;
  readonly name: string;
  /** The last name of its location. */
  readonly leaf: string;
  readonly schema: Pointer;
  readonly where: Parameter['in'] | 'body';
  /** In the accepted request; undefined if it is absent there. */
  readonly value: unknown;
}

/** The branch that describes a value, as far as its own keywords show. */
export function shapeFor({ judge }: DataTools, node: SchemaNode, value: unknown): Shape {
  const form = judge.forms.request;
  return form.shapes(node).find((shape) => admits(shape, value)) ?? form.branch(node);
}

/** A class before it has its name and place. */
interface Named extends Pick<BoundaryClass, 'how' | 'make' | 'isNamed'> {
  /** Keywords that name it, with the operand if several schemas have the keyword. */
  readonly by: readonly string[];
  readonly operand?: unknown;
  readonly similar?: Make | undefined;
  /** Distinguishes classes of one keyword. */
  readonly detail?: string;
}

type Read = (part: Described, shape: Shape) => readonly Named[];

/** The classes of a part by its schema: all but the value that it has. */
export function classesOf(part: Described, node: SchemaNode): readonly BoundaryClass[] {
  const form = part.tools.judge.forms.request;
  const shape = part.value === undefined ? form.branch(node) : shapeFor(part.tools, node, part.value);
  const found = [...readers.flatMap((read) => read(part, shape)), ...branches(part, node)];
  const classes = new Map<string, BoundaryClass>();
  const now = part.value === undefined ? undefined : canonical(part.value);
  const seen = new Set<string>();
  for (const { how, make, isNamed, by, operand, similar, detail } of found) {
    const { pointer, keyword } = keywordAt(part.tools, part.schema, by, operand);
    const name = [part.name, detail ?? how].join(', ');
    const value = canonical(make(''));
    if (value === now || seen.has(value) || classes.has(name)) continue;
    seen.add(value);
    const omitted = refuseSize(part, value);
    classes.set(name, {
      ...{ name, pointer, keyword, how, make, isNamed },
      ...(similar !== undefined && { similar }),
      ...(omitted !== undefined && { omitted }),
    });
  }
  return [...classes.values()].slice(0, most.members);
}

function refuseSize({ where }: Described, text: string): string | undefined {
  const limit = where === 'body' ? most.bytes : most.bytesInUrl;
  return Buffer.byteLength(text) > limit ? `values of more than ${limit} bytes are not sent` : undefined;
}

/** Readers of a shape, one for each kind of class. Each can be removed alone. */
const readers: readonly Read[] = [
  /** Every member of an enum, and both booleans. */
  ({ leaf, where }, { values, types }) => {
    // An object may not be able to get into each of its states by one change.
    const isState = where === 'body' && /(^|[a-z_-])(status|state|phase|stage)$/i.test(leaf);
    const members = values ?? (types.size === 1 && types.has('boolean') ? [true, false] : []);
    const isConsent = /accept|agree|confirm|consent|terms/i.test(leaf);
    return members.map((member) => ({
      ...{ by: values === undefined ? ['type'] : ['enum', 'const'], how: 'member', detail: JSON.stringify(member) },
      ...{ make: () => member, isNamed: !isState && !(isConsent && values === undefined) },
    }));
  },

  /** Both limits of a number's bounds, and one step inside each. */
  ({ leaf }, shape) => {
    const { minimum, maximum, values } = shape;
    if (values !== undefined || !saidTypes(shape).has('number')) return [];
    const step = shape.multipleOf ?? (shape.isInteger ? 1 : 0.01);
    const isStepped = shape.multipleOf !== undefined || shape.isInteger;
    const end = (bound: number, side: 'up' | 'down', isOpen: boolean): number => {
      const nearest = isStepped && Number.isFinite(bound) ? roundToMultiple(bound, step, side) : bound;
      return isOpen && nearest === bound ? tidy(bound + (side === 'up' ? step : -step)) : nearest;
    };
    const [low, high] = [end(minimum, 'up', shape.isMinimumOpen), end(maximum, 'down', shape.isMaximumOpen)];
    const least = { by: ['minimum', 'exclusiveMinimum'], operand: minimum };
    const largest = { by: ['maximum', 'exclusiveMaximum'], operand: maximum };
    // One of two bounds that users choose, as in `price_min` and `price_max`, may not pass the other.
    const isNamed = !half.test(leaf);
    return [
      { ...largest, how: 'maximum', value: high },
      { ...least, how: 'minimum', value: low },
      { ...largest, how: 'one step below the maximum', value: tidy(high - step) },
      { ...least, how: 'one step above the minimum', value: tidy(low + step) },
    ]
      .filter(({ value }) => Math.abs(value) <= Number.MAX_SAFE_INTEGER && admits(shape, value))
      .map(({ value, ...named }) => ({ ...named, make: () => value, isNamed }));
  },

  /** Both limits of a text's length, and one character inside each; at the longest also characters of four bytes. */
  ({ tools, where }, shape) => {
    const { minLength: min, maxLength: max, patterns, format, values, isBinary, isJsonText } = shape;
    const isOther = values !== undefined || isBinary || isJsonText || (format !== undefined && format !== 'password');
    if (isOther || !saidTypes(shape).has('string')) return [];
    const text = (length: number): Make | undefined => {
      if (length > most.bytes) return length <= max ? () => 'x'.repeat(length) : undefined;
      if (patterns.size === 0) return (mark) => spellLength(length, mark);
      const bounds = { min: length, max: length };
      const made = samplePatterns([...patterns], bounds, tools.seed, 'conform');
      return made === undefined ? undefined : () => made;
    };
    const middle = Math.floor((min + Math.min(max, min + 40)) / 2);
    const ofLength = (length: number, bound: 'minLength' | 'maxLength', how: string): Named[] => {
      const make = length < min || length > max ? undefined : text(length);
      const similar = middle === length ? undefined : text(middle);
      const operand = bound === 'minLength' ? min : max;
      return make === undefined ? [] : [{ by: [bound], operand, how, make, similar, isNamed: similar !== undefined }];
    };
    const longest = Number.isFinite(max)
      ? [...ofLength(max, 'maxLength', 'longest'), ...ofLength(max - 1, 'maxLength', 'one character below the longest')]
      : [];
    const shortest =
      min > 0
        ? [
            ...ofLength(min, 'minLength', 'shortest'),
            ...ofLength(min + 1, 'minLength', 'one character above the shortest'),
          ]
        : [];
    // A quarter of the length fits into the limit whether a server counts characters, UTF-16 units or bytes.
    const quarter = Math.floor(max / 4);
    const mayBeWide = isUnicode(where) && quarter >= Math.max(1, min) && max <= most.bytes;
    const found = mayBeWide ? wideTexts(patterns, tools.seed, max) : undefined;
    const similar = found?.ofLength(quarter);
    // A pattern may bound the length too, and its reader may count otherwise.
    const isNamed = similar !== undefined && (patterns.size === 0 || found?.ofLength(max + 1) !== undefined);
    const wide = found && { by: ['maxLength'], operand: max, how: `longest, ${found.how}`, make: found.make };
    return [...longest, ...shortest, ...(wide === undefined ? [] : [{ ...wide, similar, isNamed }])];
  },

  /** The shortest and the longest text of a pattern without bounds of length. */
  ({ tools, where }, shape) => {
    const { patterns, minLength, maxLength, format, values } = shape;
    if (values !== undefined || patterns.size === 0 || format !== undefined) return [];
    const textIn = (min: number, max: number) => samplePatterns([...patterns], { min, max }, tools.seed, 'conform');
    const least = firstIn(most.length, (length) => textIn(0, length) !== undefined);
    const largest = firstIn(most.length, (length) => textIn(length + 1, most.length) === undefined);
    const first = minLength > 0 ? undefined : textIn(least, least);
    const last = Number.isFinite(maxLength) || largest === most.length ? undefined : textIn(largest, largest);
    const wide = last !== undefined && isUnicode(where) ? wideTexts(patterns, tools.seed, largest) : undefined;
    const extremes = [
      { how: 'shortest text of the pattern', make: first === undefined ? undefined : () => first },
      { how: 'longest text of the pattern', make: last === undefined ? undefined : () => last },
      { how: `longest text of the pattern, ${wide?.how}`, make: wide?.make },
    ];
    return extremes.flatMap(({ how, make }) =>
      make === undefined ? [] : [{ by: ['pattern'], how, make, isNamed: false }],
    );
  },

  /** Dates at the end of a month and on a leap day, and times with an offset. */
  ({ tools: { now } }, { format = '', values, patterns, minLength, maxLength }) => {
    if (values !== undefined || patterns.size > 0 || minLength > 0 || Number.isFinite(maxLength)) return [];
    const date = new Date(now);
    const year = date.getUTCFullYear();
    const lastDay = new Date(Date.UTC(year, date.getUTCMonth() + 2, 0)).toISOString().slice(0, 10);
    const leapYear = [1, 2, 3, 4, 5, 6, 7, 8].map((years) => year + years).find(isLeap) ?? year;
    const texts: Readonly<Record<string, readonly (readonly [how: string, text: string])[]>> = {
      date: [
        ['end of a month', lastDay],
        ['leap day', `${leapYear}-02-29`],
      ],
      'date-time': [
        ['with an offset', `${lastDay}T12:00:00+05:30`],
        ['leap day', `${leapYear}-02-29T12:00:00Z`],
      ],
    };
    return (texts[format] ?? []).map(([how, text]) => ({ by: ['format'], how, make: () => text, isNamed: false }));
  },

  /** The shortest and the longest list. */
  ({ tools, schema, value, leaf }, shape) => {
    const { minItems: min, maxItems: max, isUnique } = shape;
    if (!saidTypes(shape).has('array')) return [];
    const [item] = Array.isArray(value) ? value : [];
    const list = (length: number): unknown =>
      isUnique || item === undefined
        ? buildFrom(tools, schema, {}, leaf, { minItems: length, maxItems: length })
        : Array.from({ length }, () => item);
    const middle = Math.floor((min + Math.min(max, min + 4)) / 2);
    const similar = list(middle);
    const ofLength = (length: number, bound: 'minItems' | 'maxItems', how: string): Named[] => {
      const made = length < min || length > Math.min(max, most.items) ? undefined : list(length);
      const isNamed = middle !== length && similar !== undefined;
      const named = { by: [bound], operand: bound === 'minItems' ? min : max, how, isNamed };
      return made === undefined ? [] : [{ ...named, make: () => made, similar: isNamed ? () => similar : undefined }];
    };
    return [
      ...(Number.isFinite(max) ? ofLength(max, 'maxItems', 'most items') : []),
      ...(Number.isFinite(max) ? ofLength(max - 1, 'maxItems', 'one item below the most') : []),
      ...(min > 0 ? ofLength(min, 'minItems', 'fewest items') : []),
    ];
  },
];

/** A value of each other branch of a choice. */
function branches(part: Described, node: SchemaNode): readonly Named[] {
  const { tools, schema, leaf, value } = part;
  const form = tools.judge.forms.request;
  const shapes = form.shapes(node);
  const nulls: Named[] =
    shapes.some((shape) => saidTypes(shape).has('null')) && value !== undefined
      ? [{ by: ['nullable', 'type', 'anyOf', 'oneOf'], how: 'null', make: () => null, isNamed: true }]
      : [];
  if (shapes.length < 2 || value === undefined) return nulls;
  const own = shapeFor(tools, node, value);
  const others = shapes.slice(0, most.members).flatMap((shape, variant): Named[] => {
    if (shape === own || saidTypes(shape).has('null')) return [];
    const made = buildFrom(tools, schema, { variant }, leaf);
    const isOther = made !== undefined && admits(shape, made) && !admits(own, made);
    const named = { by: ['oneOf', 'anyOf'], how: `branch ${variant + 1}`, isNamed: false };
    return isOther ? [{ ...named, make: () => made }] : [];
  });
  return [...others, ...nulls];
}

/** Parts of names by which one of two values bounds the other. */
const half =
  /(^|[^a-z])(min|max|from|to|start|end|begin|lower|upper|since|until|before|after|gte?|lte?)([^a-z]|$)|[a-z](Min|Max|From|To|Start|End|Begin|Until|Before|After)([^a-z]|$)|^(min|max|from|to|start|end|begin|since|until|before|after)[A-Z]/;

/** Whether characters beyond ASCII reach every server unchanged. */
function isUnicode(where: Described['where']): boolean {
  return where !== 'header' && where !== 'cookie';
}

/** Letters of the BMP that take two or three bytes in UTF-8. */
const letters = '[\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u017f\\u03b1-\\u03c9\\u0430-\\u044f\\u4e00-\\u9fa5]';

/** Texts of more bytes than characters, by the bytes of a character; the first that a pattern allows is sent. */
const alphabets = [
  { how: 'of characters outside the BMP', pattern: '^[\\u{20000}-\\u{2a6df}]*$' },
  { how: 'of characters beyond ASCII', pattern: `^${letters}*$` },
  { how: 'with a character beyond ASCII', pattern: letters },
];

interface WideTexts {
  readonly how: string;
  readonly make: Make;
  /** @returns undefined if the patterns allow no such text of this length */
  readonly ofLength: (length: number) => Make | undefined;
}

/** Texts beyond ASCII that match all patterns. @returns undefined if there is none of this length */
function wideTexts(patterns: ReadonlySet<string>, seed: number, length: number): WideTexts | undefined {
  const textIn = (alphabet: string, count: number): Make | undefined => {
    if (patterns.size === 0) return (mark) => spellLength(count, mark, '\u{20000}');
    const text = samplePatterns([...patterns, alphabet], { min: count, max: count }, seed);
    return text === undefined ? undefined : () => text;
  };
  // Most patterns allow ASCII alone, and a text of 8,192 characters takes a second.
  if (patterns.size > 0 && (length > most.wide || textIn('[^\\0-\\x7f]', length) === undefined)) return undefined;
  for (const { how, pattern } of alphabets) {
    const make = textIn(pattern, length);
    if (make !== undefined) return { how, make, ofLength: (count) => textIn(pattern, count) };
  }
  return undefined;
}

/** A text of exactly this many characters, the last of them those of the mark. */
function spellLength(length: number, mark: string, filler = 'x'): string {
  const ending = mark.slice(-length);
  return filler.repeat(Math.max(0, length - ending.length)) + ending;
}

/** The first number up to a limit that fits, if all larger ones fit too; the limit if there is none. */
function firstIn(limit: number, fits: (number: number) => boolean): number {
  let [low, high] = [0, limit];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function tidy(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(15)) : value;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Schemas for the same value: those of references and compositions, each once. */
export function* schemasAlong(
  { contract }: DataTools,
  start: Pointer,
): Generator<Place & { readonly value: JsonObject }> {
  const met = new Set<Pointer>();
  const waiting = [placeAt(contract.root, start)];
  for (let place = waiting.shift(); place !== undefined; place = waiting.shift()) {
    const { value, pointer } = place;
    if (!isObject(value) || met.has(pointer)) continue;
    met.add(pointer);
    yield { value, pointer };
    const reference = textAt(value, '$ref');
    if (reference?.startsWith('#')) waiting.push(placeAt(contract.root, reference));
    for (const keyword of ['allOf', 'anyOf', 'oneOf'])
      for (const index of arrayAt(value, keyword).keys())
        waiting.push(placeAt(contract.root, joinPointer(pointer, keyword, index)));
  }
}

/** The location of the first of these keywords, by preference with this operand; the schema itself if none has a location. */
function keywordAt(tools: DataTools, schema: Pointer, keywords: readonly string[], operand?: unknown) {
  const found = [...schemasAlong(tools, schema)].flatMap(({ value, pointer }) =>
    keywords
      .filter((keyword) => Object.hasOwn(value, keyword) && value[keyword] !== false)
      .map((keyword) => ({ pointer: joinPointer(pointer, keyword), keyword, operand: value[keyword] })),
  );
  const best = found.find((one) => one.operand === operand) ?? found[0];
  return { pointer: best?.pointer ?? schema, keyword: best?.keyword ?? keywords[0] ?? '' };
}
