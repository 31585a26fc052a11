import type { CanonicalForm } from './canonical-form.ts';
import { day, type Instant, soon, spellInstant } from './instant.ts';
import { roundToMultiple } from './multiples.ts';
import { samplePatterns } from './pattern.ts';
import { admits, type Schema, type Shape } from './shape.ts';

/** Settings that determine a value, together with its schema. */
export interface BuildContext {
  readonly form: CanonicalForm;
  readonly now: Instant;
  readonly seed: number;
  /** Text that marks values created by this run. */
  readonly tag: string;
  /** Start of longer texts that follow a pattern, if the pattern allows it. */
  readonly word: string;
  /** Index of the branch, enum member and so on: 0 for the first. */
  readonly variant: number;
  /** Number of this value among values that must differ. */
  readonly serial: number;
  /** Whether optional properties are built. */
  readonly optional: boolean;
  /** Whether a list stays empty if the schema allows it. False by default. */
  readonly sparse?: boolean;
  /** Whether the contract's own examples and defaults come first. */
  readonly examples: boolean;
  /** Parts and bytes of this value so far. The builder adds to them, so that values of recursive schemas stay small. */
  readonly spent: { parts: number; bytes: number };
  /** Depth down to which optional parts are built. Below it, the branch with the fewest levels is built. */
  readonly deepest: number;
  /** Number of items in a list of any length; one by default. */
  readonly items?: number;
  /** Values of formats; they precede the built-in ones. */
  readonly formats?: Readonly<Record<string, string>>;
  /**
   * For values that readers see: the referenced schemas that contain this value. No optional part leads back to one of them,
   * null is chosen after every type that does not, and texts don't contain the name of their property.
   */
  readonly within?: readonly Schema[];
  /** Draws new settings for each part. */
  readonly vary?: (context: BuildContext) => BuildContext;
  /** Validates each part as it is built. An invalid part is built again with other settings. The function bounds its own work. */
  readonly accepts?: (value: unknown, schemas: readonly Schema[]) => boolean;
}

/** Number of steps from the first candidate that are tried. */
const mostSteps = 64;

/** Formats that state an integer, also where the type is `number`. */
const integers = /^(?:u?int(?:8|16|32|64)?|integer|long)$/;

/**
 * Builds the valid number nearest to 1.
 *
 * @param serial how many nearer numbers are skipped, for values that must differ
 * @returns undefined if no valid number was found
 */
export function buildNumber(shape: Shape, serial: number): number | undefined {
  const step = shape.multipleOf ?? (shape.isInteger || integers.test(shape.format ?? '') ? 1 : undefined);
  const wish = Math.min(Math.max(1, shape.minimum), shape.maximum);
  const start =
    step === undefined
      ? wish
      : roundToMultiple(wish, step, wish > shape.minimum || wish < shape.maximum ? 'up' : 'down');
  const { minimum, maximum } = shape;
  const span = maximum - minimum;
  const gap = step ?? (Number.isFinite(span) && span > 0 ? Math.min(0.5, span / 4 / (serial + 1)) : 0.5);
  const found: number[] = [];
  for (let index = 0; index < mostSteps + 2 * serial && found.length <= serial; index += 1) {
    for (const value of index === 0 ? [start] : [tidy(start + index * gap), tidy(start - index * gap)])
      if (admits(shape, value) && !found.includes(value)) found.push(value);
  }
  if (found.length === 0) {
    for (const value of [minimum, maximum, (minimum + maximum) / 2, 0.5]) if (admits(shape, value)) return value;
  }
  return found[Math.min(serial, found.length - 1)];
}

/** Removes the rounding error of binary fractions: 0.1 * 3 is 0.3. */
function tidy(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(15)) : value;
}

/** Property names that suggest the later of two times. Their value is a day after the other. */
const later =
  /(^|[^a-z])(end|ends|to|until|till|before|expir|checkout|check_?out|finish|due|max)|[a-z](End|To|Until|Till|Before|Expir|Out)/;

/** One value for each known format. For other formats, any text is accepted. */
const byFormat: Readonly<Record<string, (context: BuildContext, name: string) => string>> = {
  'date-time': (context, name) => String(spellInstant(timeFor(context, name))[0]),
  date: (context, name) => new Date(timeFor(context, name)).toISOString().slice(0, 10),
  time: () => '12:00:00Z',
  duration: ({ serial }) => `PT${serial + 1}H`,
  uuid: ({ seed }) => `00000000-0000-4000-8000-${(seed >>> 0).toString(16).padStart(12, '0')}`,
  email: ({ tag, serial }) => `${numbered(tag, serial)}@example.com`,
  uri: ({ tag, serial }) => `https://example.com/${numbered(tag, serial)}`,
  url: ({ tag, serial }) => `https://example.com/${numbered(tag, serial)}`,
  'uri-reference': ({ tag, serial }) => `/${numbered(tag, serial)}`,
  hostname: ({ serial }) => `host${serial === 0 ? '' : serial}.example.com`,
  ipv4: ({ serial }) => `192.0.2.${(serial % 254) + 1}`,
  ipv6: ({ serial }) => `2001:db8::${(serial + 1).toString(16)}`,
  byte: () => 'bG9ja3N0ZXA=',
};

/**
 * @param buildContent builds the value that a string with `contentSchema` contains as JSON
 * @returns undefined if no text was found
 */
export function buildText(
  shape: Shape,
  context: BuildContext,
  name: string,
  buildContent: (schema: Schema) => unknown,
): string | undefined {
  const { serial } = context;
  const min = shape.minLength;
  if (min > longest) return undefined;
  const max = Number.isFinite(shape.maxLength) ? shape.maxLength : Math.max(64, min);
  const own = { ...context, seed: context.seed + serial };
  const format = shape.format ?? '';
  const formatted = context.formats?.[format] ?? byFormat[format]?.(own, name);
  if (formatted !== undefined) {
    if (admits(shape, formatted)) return formatted;
    const spellings = spellInstant(timeFor(own, name)).map(String);
    const fitting = spellings.find((text) => admits(shape, text));
    if (fitting !== undefined) return fitting;
  }
  const patterns = [...shape.patterns];
  if (patterns.length > 0) {
    for (let turn = 0; turn < (shape.notPatterns.size + shape.excluded.length > 0 ? mostTurns : 1); turn += 1) {
      const text = samplePatterns(patterns, { min, max }, own.seed + turn, context.word);
      if (text === undefined || admits(shape, text)) return text;
    }
    return undefined;
  }
  if (shape.content !== undefined && shape.isJsonText) {
    const content = buildContent(shape.content);
    return JSON.stringify(content === undefined ? context.tag : content);
  }
  const marked = numbered(context.tag, serial);
  const named = namedTexts.find(([names]) => names.test(name))?.[1](plainWord('', marked));
  const plain = plainWord(context.within === undefined ? name : '', marked);
  // Reversed text comes next: marks of one run differ only in their last characters, which `fit` would cut off.
  const texts = [
    ...(named === undefined || named.length < min || named.length > max ? [] : [named]),
    ...(serial > 0 && max < plain.length ? [] : [fit(plain, min, max)]),
    fit(marked.split('').reverse().join(''), min, max),
    '',
    '0',
    'A b',
    '-',
  ];
  return texts.find((text) => admits(shape, text)) ?? texts[0];
}

/** Values by property name for texts without a format: servers validate these more strictly than the contract states. */
const namedTexts: readonly (readonly [RegExp, (plain: string) => string])[] = [
  [/e-?mail$/i, (plain) => `${plain}@example.com`],
  [/phone|mobile|msisdn/i, () => '+15555550100'],
  [/(^|[a-z_-])(ur[il]|href|link|website|webhook|homepage)$/i, (plain) => `https://example.com/${plain}`],
  [/password|passphrase/i, (plain) => `Aa1-${plain}-9x`],
  [/time_?zone$/i, () => 'UTC'],
  [/(^|_)locale$|language$/i, () => 'en'],
  [/country(_?code)?$/i, () => 'US'],
  [/currency(_?code)?$/i, () => 'USD'],
  [/colou?r$/i, () => '#336699'],
  [/(^|_)(host(name)?|domain)$/i, () => 'host.example.com'],
];

/** Whether a property of this name has a format that its schema may not declare: an address, a country, a colour. */
export function namesFormat(property: string): boolean {
  return namedTexts.some(([names]) => names.test(property));
}

/** One word of at most 20 letters and digits: servers reject names with a space or a hyphen more often. */
function plainWord(name: string, marked: string): string {
  const mark = marked.replaceAll(/[^A-Za-z0-9]/g, '');
  const room = Math.max(0, Math.min(8, 20 - mark.length));
  return `${name
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .toLowerCase()
    .replace(/^\d+/, '')
    .slice(0, room)}${mark}`;
}

/** The builder gives up on longer texts. */
const longest = 1_048_576;

/** Number of texts that are drawn if some matching texts are excluded. */
const mostTurns = 20;

function timeFor({ now, serial }: BuildContext, name: string): number {
  return soon(now) + (later.test(name) ? day : 0) + serial * day;
}

function numbered(tag: string, serial: number): string {
  return serial === 0 ? tag : `${tag}-${serial}`;
}

function fit(text: string, min: number, max: number): string {
  return text.padEnd(min, 'x').slice(0, max).replace(/ $/, 'x');
}
