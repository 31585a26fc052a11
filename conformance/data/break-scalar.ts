// The ways in which a text or a number breaks one keyword. Each candidate breaks it; the judge of the whole value decides.
import { commonMultiple, roundToMultiple } from '@lockstep/values/multiples';
import { readPattern, samplePatterns } from '@lockstep/values/pattern';
import { type JsonType, type Schema, type Shape, typeOfValue } from '@lockstep/values/shape';
import { arrayAt, isObject, type JsonObject } from '../contract/document.ts';
import { formats } from '../schema/formats.ts';

/** One way to break a keyword: the first candidate that breaks nothing else is preferred. */
export interface Way {
  /** `one above the maximum`. */
  readonly how: string;
  readonly candidates: Iterable<unknown>;
  /** The property that a schema forbids, and the keyword by which it does; none for `false`. */
  readonly forbidden?: { readonly name: string; readonly by: readonly string[] };
  /** Whether many servers that reject the first way accept this later one. */
  readonly isLikely?: boolean;
}

/** A keyword at a place, and a valid value of the place. */
export interface Breaking {
  readonly keyword: string;
  readonly schema: JsonObject;
  readonly value: unknown;
  /** The constraints of all schemas for the value, without branches. */
  readonly shape: Shape;
  readonly wire: Wire;
  readonly seed: number;
  /** Whether a value satisfies a schema. */
  readonly holds: (schema: Schema, value: unknown) => boolean;
  /** A value that satisfies a schema. */
  readonly build: (schema: JsonObject) => unknown;
  /** A value for a property. */
  readonly member: (name: string) => unknown;
}

/** A text on the wire has no type: `5` may be a number or a text. */
export type Wire = 'json' | 'text';

export interface Breaker {
  /** Place in the order of severity. */
  readonly rank: number;
  /** The type that the keyword applies to; all if undefined. */
  readonly type?: JsonType;
  /** Whether each way is an obligation of its own, such as each required name. */
  readonly isEach?: boolean;
  /** The keyword that the judge names instead. */
  readonly judgedAs?: string;
  readonly ways: (breaking: Breaking) => Iterable<Way>;
  /** Whether a value breaks the keyword, where the judge may name parts of it instead. */
  readonly isBroken?: (breaking: Breaking, value: unknown) => boolean;
}

/** The order of severity. Choices are first: otherwise the same value would count for a keyword of one branch. */
export const ranks = { choice: 0, required: 1, type: 2, enum: 3, bound: 4, length: 5, pattern: 6, format: 7, rest: 8 };

/** Longer texts are not sent: many servers limit a body to 1 MB, and an address to 8 KB. */
const longest: Readonly<Record<Wire, number>> = { json: 262_144, text: 6_000 };

/** A value of each type that no lenient reader converts to another: `0`, `1` and `"true"` may be booleans. */
const plainOf: Readonly<Record<JsonType, unknown>> = {
  string: 'word',
  number: 12,
  boolean: true,
  array: ['word'],
  object: { word: 1 },
  null: null,
};

/** Types that replace each type, the plainest fault first: some readers convert a number to a text, or a list from its item. */
const otherTypes: Readonly<Record<JsonType, readonly JsonType[]>> = {
  string: ['object', 'array', 'number', 'boolean', 'null'],
  number: ['string', 'object', 'array', 'boolean', 'null'],
  boolean: ['string', 'object', 'array', 'number', 'null'],
  array: ['object', 'string', 'number', 'boolean', 'null'],
  object: ['string', 'array', 'number', 'boolean', 'null'],
  null: ['string', 'number', 'object', 'array', 'boolean'],
};

const nameOfType: Readonly<Record<JsonType, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'a boolean',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

export const scalarBreakers: Readonly<Record<string, Breaker>> = {
  type: { rank: ranks.type, ways: breakType },
  enum: { rank: ranks.enum, ways: ({ schema, ...rest }) => breakMembers(arrayAt(schema, 'enum'), rest) },
  const: { rank: ranks.enum, ways: ({ schema, ...rest }) => breakMembers([schema.const], rest) },
  minimum: bound('down', false, 'below the minimum'),
  exclusiveMinimum: bound('down', true, 'at the exclusive minimum'),
  maximum: bound('up', false, 'above the maximum'),
  exclusiveMaximum: bound('up', true, 'at the exclusive maximum'),
  multipleOf: { rank: ranks.bound, type: 'number', ways: breakMultiple },
  minLength: {
    rank: ranks.length,
    type: 'string',
    ways: function* (breaking) {
      const least = Number(breaking.schema.minLength);
      if (least > 0) yield { how: 'one shorter than the least length', candidates: textsOf(breaking, least - 1) };
    },
  },
  maxLength: {
    rank: ranks.length,
    type: 'string',
    ways: function* (breaking) {
      const length = Number(breaking.schema.maxLength) + 1;
      // A server may count after it normalises a text and removes the spaces around it: `é` may be one code point or two.
      const lasting = textsOf(breaking, length).filter((text) => [...text.normalize('NFC').trim()].length === length);
      yield { how: 'one longer than the greatest length', candidates: lasting };
    },
  },
  pattern: { rank: ranks.pattern, type: 'string', ways: breakPattern },
  format: { rank: ranks.format, type: 'string', ways: breakFormat },
};

function* breakType({ schema, value, wire }: Breaking): Iterable<Way> {
  const named = [schema.type].flat().map(String);
  const allowed = new Set(named.map((name) => (name === 'integer' ? 'number' : name)) as JsonType[]);
  const isText = wire === 'text';
  // On the wire, every text is a string, and a list or an object has no notation of its own.
  if (isText && ['string', 'array', 'object'].some((type) => allowed.has(type as JsonType))) return;
  const main = [...allowed].find((type) => type !== 'null') ?? 'null';
  const others = otherTypes[main].filter((type) => !allowed.has(type) && (!isText || type === 'string'));
  // A reader such as `parseInt` ignores what follows the digits.
  const spelt = typeof value === 'number' ? [`${value}x`] : [];
  const [first, ...later] = others.map((type) => ({
    how: `${nameOfType[type]} instead of ${nameOfType[main]}`,
    candidates: type === 'string' ? [...spelt, plainOf.string] : [plainOf[type]],
  }));
  if (first !== undefined) yield first;
  if (named.includes('integer') && !named.includes('number')) {
    const near = typeof value === 'number' ? value : 1;
    yield { how: 'a fraction instead of an integer', candidates: [near + 0.5, near - 0.5] };
  }
  // A path may also accept names.
  if (isText && spelt.length > 0) yield { how: 'a word instead of a number', candidates: [plainOf.string] };
  yield* later;
}

function* breakMembers(members: readonly unknown[], { value, wire }: Omit<Breaking, 'schema'>): Iterable<Way> {
  const model = members.find((member) => member !== null);
  const texts = members.filter((member) => typeof member === 'string');
  const numbers = members.filter((member) => typeof member === 'number');
  const strangers: Readonly<Record<JsonType, readonly unknown[]>> = {
    string: ['none-of-these', 'other', 'zzz', 'x', '0', ...texts.map((text) => `${text}x`)],
    number: [Math.max(...numbers) + 1, Math.min(...numbers) - 1, Math.max(...numbers) + 0.5],
    boolean: [model !== true],
    array: [[]],
    object: [{}],
    null: ['word'],
  };
  yield { how: 'none of the allowed values', candidates: strangers[typeOfValue(model ?? null)] };
  // In many languages an empty text counts as no value, and is not compared.
  if (wire === 'text' && texts.length > 0 && !texts.includes(''))
    yield { how: 'an empty text', candidates: [''], isLikely: true };
  const own = typeof value === 'string' && texts.includes(value) ? [value, ...texts] : texts;
  const recased = own.flatMap((text) => [text.toUpperCase(), text.toLowerCase()]);
  yield { how: 'an allowed value in the other case', candidates: recased.filter((text) => !texts.includes(text)) };
  const starts = own.map((text) => [...text].slice(0, -1).join(''));
  yield { how: 'the start of an allowed value', candidates: starts.filter((text) => text !== '') };
  const isObjectAllowed = members.some(isObject);
  if (wire === 'json' && !isObjectAllowed)
    yield { how: 'an object instead of an allowed value', candidates: [plainOf.object] };
}

/** @param isOpen whether the bound itself is invalid */
function bound(side: 'up' | 'down', isOpen: boolean, where: string): Breaker {
  return {
    rank: ranks.bound,
    type: 'number',
    *ways({ keyword, schema, shape }) {
      const limit = Number(schema[keyword]);
      const { multipleOf, isInteger } = shape;
      const whole = multipleOf === undefined ? 1 : commonMultiple(multipleOf, 1);
      const step = isInteger ? whole : (multipleOf ?? unitOf(limit));
      const nearest = roundToMultiple(limit, step, side);
      const next = roundToMultiple(nearest + (side === 'up' ? step : -step) / 2, step, side);
      const isBeyond = isOpen || nearest !== limit;
      yield { how: isBeyond ? where : `one step ${where}`, candidates: isBeyond ? [nearest, next] : [next] };
      if (isOpen) yield { how: `one step beyond the ${where.replace('at the ', '')}`, candidates: [next] };
    },
  };
}

/** The last decimal place of a number, at most 1: 0.01 for 1.25. */
function unitOf(value: number): number {
  const [mantissa = '', power = '0'] = String(value).split('e');
  const decimals = (mantissa.split('.')[1] ?? '').length;
  return Math.min(1, Number(`1e${Number(power) - decimals}`));
}

function* breakMultiple({ schema, value, shape }: Breaking): Iterable<Way> {
  const step = Number(schema.multipleOf);
  if (typeof value !== 'number' || !(step > 0)) return;
  // Half of 5 is no integer.
  const half = shape.isInteger ? Math.max(1, Math.floor(step / 2)) : step / 2;
  const unit = Math.min(half, unitOf(half));
  const near = [value + half, value - half].map((one) => roundToMultiple(one + unit / 2, unit, 'down'));
  yield { how: 'half a multiple', candidates: [...near, value + 1, value - 1] };
}

/** Texts of one length, in code points: those that match the patterns first. */
function* textsOf({ shape, value, wire, seed }: Breaking, length: number): Generator<string, void, undefined> {
  if (!(length <= longest[wire])) return;
  const patterns = [...shape.patterns];
  const bounds = { min: length, max: length };
  const sampled = patterns.length === 0 ? undefined : samplePatterns(patterns, bounds, seed, 'conform');
  if (sampled !== undefined) yield sampled;
  const points = [...String(value)];
  const last = points.at(-1)?.trim() || 'x';
  yield points.length >= length
    ? points.slice(0, length).join('')
    : String(value) + last.repeat(length - points.length);
  yield 'x'.repeat(length);
}

/** Characters that replace or surround those of a match, each from another class. */
const strange = ['!', 'x', 'X', '0', '_', '-', '.', ' ', 'é', '\n'];

/** Positions of a match that are changed: more of them test no more of a pattern. */
const mostPositions = 12;

function* breakPattern(breaking: Breaking): Iterable<Way> {
  const { schema, value, wire } = breaking;
  const pattern = readPattern(String(schema.pattern));
  if (pattern === undefined) return;
  const points = [...String(value)].slice(0, longest[wire]);
  const misses = (texts: Iterable<string>): string[] => {
    const found: string[] = [];
    for (const text of texts) {
      if (!pattern.test(text)) found.push(text);
      if (found.length >= strange.length) break;
    }
    return found;
  };
  const spread = points.length <= mostPositions ? points.keys().toArray() : spreadOver(points.length, mostPositions);
  const replaced = misses(spread.values().flatMap((at) => strange.map((other) => points.with(at, other).join(''))));
  // A pattern may ask for one visible character.
  const uniform = (): string[] => misses(strange.map((other) => other.repeat(Math.max(1, points.length))));
  yield { how: 'a character outside the pattern', candidates: replaced.length > 0 ? replaced : uniform() };
  const recased = points.map((point, at) => points.with(at, inOtherCase(point)).join(''));
  yield { how: 'a letter in the other case', candidates: misses(recased), isLikely: true };
  const more = misses(repeated(breaking, 'more'));
  yield { how: 'one repetition too many', candidates: more, isLikely: true };
  const fewer = misses(repeated(breaking, 'fewer'));
  yield { how: 'one repetition too few', candidates: fewer, isLikely: true };
  const text = points.join('');
  yield { how: 'a match with one character after it', candidates: misses(strange.map((other) => text + other)) };
  yield { how: 'a match with one character before it', candidates: misses(strange.map((other) => other + text)) };
  const shorter = fewer.length > 0 ? [] : [points.slice(0, -1), points.slice(1)].map((part) => part.join(''));
  yield { how: 'a match without one character', candidates: misses(shorter.filter((part) => part !== '')) };
  yield { how: 'an empty text', candidates: misses(['']) };
}

/** The letter in the other case; any other character as it is. */
function inOtherCase(point: string): string {
  const other = point === point.toLowerCase() ? point.toUpperCase() : point.toLowerCase();
  return [...other].length === 1 ? other : point;
}

/** The last bounded repetition of a pattern, `{3,40}`; `\u{20}` is none. */
const repetition = /^(?<head>.*(?<!\\u?))\{(?<least>\d+)(?<to>,(?<greatest>\d*))?\}(?<tail>[^{}]*)$/s;

/** A text with another number of repetitions, if the pattern has one bounded repetition, or one at its end. */
function* repeated({ schema, shape, wire, seed }: Breaking, which: 'more' | 'fewer'): Iterable<string> {
  const source = String(schema.pattern);
  const { head = '', least = '', to, greatest, tail = '' } = repetition.exec(source)?.groups ?? {};
  const count = which === 'fewer' ? Number(least) - 1 : Number((to === undefined ? least : greatest) || Infinity) + 1;
  const isSimple = head !== '' && (tail === '$' || !/\{\d+,?\d*\}/.test(head));
  if (!isSimple || count < 0 || count > longest[wire]) return;
  const others = [...shape.patterns].filter((other) => other !== source);
  const bounds = { min: shape.minLength, max: Math.min(shape.maxLength, longest[wire]) };
  const text = samplePatterns([...others, `${head}{${count}}${tail}`], bounds, seed, 'conform');
  if (text !== undefined) yield text;
}

function spreadOver(length: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => Math.floor((index * (length - 1)) / (count - 1)));
}

/** Texts that no reader accepts, by format; a word for most. */
const gross: Readonly<Record<string, readonly (readonly [how: string, text: string])[]>> = {
  'date-time': [
    ['a word', 'tomorrow'],
    ['a date', '2026-03-01'],
    ['a time on 30 February', '2026-02-30T12:00:00Z'],
  ],
  date: [
    ['a word', 'tomorrow'],
    ['30 February', '2026-02-30'],
    ['a day in month 13', '2026-13-01'],
  ],
  time: [['a word', 'noon']],
  duration: [['a word', 'an hour']],
  uuid: [
    ['a word', 'not-a-uuid'],
    ['a UUID without its last digit', '00000000-0000-4000-8000-00000000000'],
  ],
  email: [['a word', 'nobody']],
  uri: [['a word', 'nowhere']],
  'uri-reference': [['words in angle brackets', '<no reference>']],
  hostname: [['words with spaces', 'no host name']],
  ipv4: [
    ['a word', 'nowhere'],
    ['a number above 255', '192.0.2.256'],
  ],
  ipv6: [['a word', 'nowhere']],
};

function* breakFormat({ schema, shape }: Breaking): Iterable<Way> {
  const name = String(schema.format);
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  for (const [how, text] of gross[name] ?? []) {
    const padded = text.padEnd(shape.minLength, '-');
    if (format !== undefined && !format.lenient(padded)) yield { how: `${how} as ${name}`, candidates: [padded] };
  }
}
