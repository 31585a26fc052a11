// Decodes texts on the wire by the schema: the styles of OpenAPI 3.1, 4.8.12.2. A text has no type, so it may stand for several values.
import { mostShapes } from '@lockstep/values/canonical-form';
import { type JsonType, type SchemaNode, type Shape, saidTypes, typeOfValue } from '@lockstep/values/shape';
import type { Parameter } from '../contract/contract.ts';
import { canonical, type Pointer } from '../contract/document.ts';
import type { CanonicalForm } from '../schema/canonical.ts';

/** A part of a message before its type is known: each way to split its text. */
export type WireText = readonly SplitText[];

type SplitText =
  | string
  | { readonly items: readonly WireText[] }
  | { readonly members: readonly (readonly [name: string, text: WireText])[] }
  /** A value whose type the text shows. */
  | { readonly json: unknown };

/** A value that a text may stand for. */
export interface Reading {
  readonly value: unknown;
  /** `some`: not every reader accepts the spelling, `+5` for 5; `unknown`: readers disagree on the value, or there are too many values. */
  readonly readers: 'all' | 'some' | 'unknown';
}

const unknown: Reading = { value: undefined, readers: 'unknown' };

/** Bounds of the work: texts of a list that each stand for several values have a product of readings. */
const most = { readings: 64, steps: 10_000 } as const;

/** All values of the types in the schema that a text may stand for: `5` is the integer 5 and the string "5". */
export function readingsOf(form: CanonicalForm, node: SchemaNode, text: WireText): readonly Reading[] {
  return read({ form, left: { steps: most.steps } }, node, text);
}

interface Work {
  readonly form: CanonicalForm;
  readonly left: { steps: number };
}

function read(work: Work, node: SchemaNode, text: WireText): readonly Reading[] {
  const found = new Map<string, Reading>();
  for (const shape of shapesOf(work.form, node)) {
    for (const split of text) {
      work.left.steps -= 1;
      if (work.left.steps < 0) return [unknown];
      for (const reading of readAs(work, shape, split, text))
        found.set(`${reading.readers} ${reading.value === undefined ? '' : canonical(reading.value)}`, reading);
    }
  }
  return found.size > most.readings ? [unknown] : [...found.values()];
}

/** The branches of a schema; the constraints that all branches share if there may be more. */
export function shapesOf(form: CanonicalForm, node: SchemaNode): readonly Shape[] {
  const shapes = form.shapes(node);
  return shapes.length > 0 && shapes.length < mostShapes ? shapes : [form.common(node)];
}

/** The types of the values that a shape allows. */
export function typesOfShape({ types, values }: Shape): ReadonlySet<JsonType> {
  return values === undefined ? types : new Set(values.map(typeOfValue).filter((type) => types.has(type)));
}

function readAs(work: Work, shape: Shape, split: SplitText, text: WireText): readonly Reading[] {
  const { form } = work;
  // A text that may be a scalar is a list or an object only if the schema names that type.
  const types = text.some((one) => typeof one === 'string') ? saidTypes(shape) : typesOfShape(shape);
  const other = text.length > 1 ? [] : [unknown];
  if (typeof split === 'string') return [...readScalar(shape, split)];
  if ('json' in split)
    return typesOfShape(shape).has(typeOfValue(split.json)) ? [{ value: split.json, readers: 'all' }] : [];
  if ('items' in split) {
    if (!types.has('array')) return other;
    return combine(split.items.map((item, index) => read(work, form.item(shape, index), item)));
  }
  if (!types.has('object')) return other;
  const names = split.members.map(([name]) => name);
  const values = split.members.map(([name, text]) => read(work, form.property(shape, name), text));
  return combine(values).map(({ value, readers }) => ({
    value: Array.isArray(value) ? Object.fromEntries(names.map((name, index) => [name, value[index]])) : undefined,
    readers,
  }));
}

/** All lists of one reading of each part. */
function combine(parts: readonly (readonly Reading[])[]): readonly Reading[] {
  const count = parts.reduce((product, { length }) => product * length, 1);
  const nth = (row: number) => parts.map((part) => part[Math.min(row, part.length - 1)] ?? unknown);
  if (count === 1) return [joined(nth(0))];
  if (count > most.readings) {
    const rows = parts.reduce((longest, { length }) => Math.max(longest, length), 0);
    return [...Array.from({ length: rows }, (_, row) => joined(nth(row))), unknown];
  }
  return parts
    .reduce<readonly Reading[][]>((lists, part) => lists.flatMap((list) => part.map((one) => [...list, one])), [[]])
    .map(joined);
}

function joined(list: readonly Reading[]): Reading {
  const has = (readers: Reading['readers']): boolean => list.some((reading) => reading.readers === readers);
  if (has('unknown')) return unknown;
  return { value: list.map(({ value }) => value), readers: has('some') ? 'some' : 'all' };
}

function* readScalar(shape: Shape, text: string): Generator<Reading> {
  const types = typesOfShape(shape);
  if (types.has('string')) yield { value: text, readers: 'all' };
  // Many servers treat both like an absent value.
  if (text === 'null' || (text === '' && !types.has('string'))) yield unknown;
  if (types.has('number')) {
    const plain = shape.isInteger ? /^(?!-0$)-?(0|[1-9]\d*)$/ : /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
    const value = numberOf(text);
    if (value !== undefined) yield { value, readers: plain.test(text) ? 'all' : 'some' };
    else if (/^\s*[+-]?(inf(inity)?|nan|\p{Nd}+)\s*$/iu.test(text)) yield unknown;
  }
  const truth = types.has('boolean') ? booleanOf(text) : undefined;
  if (truth !== undefined) yield { value: truth, readers: text === String(truth) ? 'all' : 'some' };
  if (types.has('null') && (text === '' || text === 'null')) yield { value: null, readers: 'some' };
}

/** Values of other types that lenient readers accept in place of a text. */
export function looseValuesOf(text: string): readonly unknown[] {
  const values = [numberOf(text), booleanOf(text), text === '' || text === 'null' ? null : undefined];
  return values.filter((value) => value !== undefined);
}

/** A finite number in any spelling that some language reads: ` 007`, `0x1F`, `1_000`. */
function numberOf(text: string): number | undefined {
  const value = Number(text.replaceAll('_', ''));
  return text.trim() !== '' && Number.isFinite(value) ? value : undefined;
}

function booleanOf(text: string): boolean | undefined {
  return /^(true|1|yes|on|y|t)$/i.test(text) ? true : /^(false|0|no|off|n|f)$/i.test(text) ? false : undefined;
}

/** Separators of items before and after decoding. */
const separators: Readonly<Record<string, readonly [encoded: RegExp | string, decoded: string]>> = {
  spaceDelimited: [/%20|\+| /, ' '],
  pipeDelimited: [/%7C|\|/i, '|'],
};

type Style = Pick<Parameter, 'name' | 'style' | 'explode'>;

/**
 * Splits one text in each way that its style allows.
 *
 * @param decode reverses the encoding of one item
 */
export function splitText({ name, style, explode }: Style, text: string, decode: (part: string) => string): WireText {
  const isRepeated = style === 'matrix' && explode;
  const prefix = style === 'matrix' ? `;${name}=` : style === 'label' ? '.' : '';
  const inner = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  const [encoded, decoded] = separators[style] ?? (style === 'label' && explode ? ['.', '.'] : [',', ',']);
  const parts = isRepeated ? text.split(';').slice(1) : inner === '' ? [] : inner.split(encoded);
  const items = parts.map((part) => (isRepeated && part.startsWith(`${name}=`) ? part.slice(name.length + 1) : part));
  const pairs = explode
    ? parts.map((part) => [part.split('=')[0] ?? '', part.split('=').slice(1).join('=')] as const)
    : parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1] ?? ''] as const] : []));
  // Many servers decode first, so that an encoded separator splits an item.
  const late = decode(inner).split(decoded);
  return [
    decode(inner),
    { items: items.map((item) => [decode(item)]) },
    ...(late.length > items.length && items.length > 0 ? [{ items: late.map((item) => [item]) }] : []),
    { members: pairs.map(([member, part]) => [decode(member), [decode(part)]]) },
  ];
}

/** Splits the encoded pairs of a query or cookie parameter. */
export function splitPairs(
  parameter: Style,
  pairs: readonly (readonly [name: string, text: string])[],
  decode: (part: string) => string,
): WireText {
  const { name, style, explode } = parameter;
  const named = pairs.filter(([key]) => decodeURIComponent(key) === name);
  const [first] = named;
  if (style !== 'deepObject' && first !== undefined) {
    const repeated = named.map(([, text]): WireText => [decode(text)]);
    return explode ? together(repeated) : splitText(parameter, first[1], decode);
  }
  const members = pairs.map(([key, text]): readonly [string, WireText] => {
    const member = decodeURIComponent(key);
    const isOwn = style === 'deepObject' && member.startsWith(`${name}[`) && member.endsWith(']');
    return [isOwn ? member.slice(name.length + 1, -1) : member, [decode(text)]];
  });
  return [{ members }];
}

/** Parts of one name: one may be a scalar or a list of one. */
export function together(parts: readonly WireText[]): WireText {
  const [first, ...others] = parts;
  return [...(first !== undefined && others.length === 0 ? first : []), { items: parts }];
}

/**
 * All values that a text of a header may stand for by its schema (style `simple`), one of which has to be valid. If there is none, the text
 * itself.
 */
export function decodeText(form: CanonicalForm, schema: Pointer, text: string, explode: boolean): unknown[] {
  const split = splitText({ name: '', style: 'simple', explode }, text, (part) => part.trim());
  const known = readingsOf(form, form.at(schema), split).filter(({ readers }) => readers !== 'unknown');
  return known.length === 0 ? [text] : known.map(({ value }) => value);
}
