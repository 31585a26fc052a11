// The polarity of one value, as JSON or as text. Values on which servers differ beyond the contract are grey.
import { type SchemaNode, type Shape, typeOfValue } from '@lockstep/values/shape';
import { isObject, type Pointer } from '../contract/document.ts';
import type { Polarity } from '../execute/exchange.ts';
import type { CanonicalForm } from '../schema/canonical.ts';
import type { Judge } from '../schema/create-judge.ts';
import { looseValuesOf, readingsOf, shapesOf, typesOfShape, type WireText } from './decode-text.ts';

/** Texts of other types that are tried in place of each value: a body with more of them is grey. */
const mostLoose = 256;

/** Many readers of JSON accept `"5"` for a number, and `1` for true. */
export function polarityOfJson(judge: Judge, schema: Pointer, value: unknown): Polarity {
  const polarity = judge.polarityOf(schema, value);
  const form = judge.forms.request;
  if (polarity === 'grey' || holdsDoubtfulNumber(form, form.at(schema), value)) return 'grey';
  if (polarity === 'valid') return 'valid';
  const variants = looseVariants(value).take(mostLoose).toArray();
  const isLoose = variants.length === mostLoose || variants.some((one) => judge.polarityOf(schema, one) !== 'invalid');
  return isLoose ? 'grey' : 'invalid';
}

/** The value with one scalar in another type. */
function* looseVariants(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      for (const variant of looseVariants(item)) yield value.with(index, variant);
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value))
      for (const variant of looseVariants(member)) yield { ...value, [name]: variant };
  } else if (typeof value === 'string') yield* looseValuesOf(value);
  else if (value === 0 || value === 1) yield value === 1;
}

/** @param value the value that the text was made of: the text may stand for others */
export function polarityOfText(judge: Judge, schema: Pointer, value: unknown, text: WireText): Polarity {
  const form = judge.forms.request;
  const node = form.at(schema);
  if (isComposite(value) && !shapesOf(form, node).some((shape) => typesOfShape(shape).has(typeOfValue(value))))
    return 'grey';
  const readings = readingsOf(form, node, text);
  const isDoubtful = readings.some(
    (reading) => reading.readers === 'unknown' || holdsDoubtfulNumber(form, node, reading.value),
  );
  if (isDoubtful) return 'grey';
  const polarities = readings.map((reading) => judge.polarityOf(schema, reading.value));
  const isValid = judge.polarityOf(schema, value) === 'valid';
  if (polarities.every((polarity) => polarity === 'invalid')) {
    // The canonical form lists only some branches of a `not`: the text may have another type.
    const others = text.flatMap((split) => (typeof split === 'string' ? [split, ...looseValuesOf(split)] : []));
    return isValid || others.some((other) => judge.polarityOf(schema, other) !== 'invalid') ? 'grey' : 'invalid';
  }
  const isCertain = polarities.every((polarity) => polarity === 'valid');
  return isValid && isCertain && readings.every(({ readers }) => readers === 'all') ? 'valid' : 'grey';
}

export function isComposite(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Half a character, NUL and noncharacters; years beyond four digits, and the year 0 (RFC 3339, 1). */
const doubtful = /[\0\p{Surrogate}\p{Noncharacter_Code_Point}]|^(0000|[+-]?\d{5,})-\d\d-\d\d($|[Tt ])/u;

/** Whether a value contains a text, as a value or a name, that servers may reject whatever the contract allows. */
export function holdsDoubtfulText(value: unknown): boolean {
  if (typeof value === 'string') return doubtful.test(value);
  if (!isComposite(value)) return false;
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return names.some((name) => doubtful.test(name)) || Object.values(value).some(holdsDoubtfulText);
}

/** Bounds that only describe the storage of an integer, inclusive and exclusive. Generators of contracts add them to every integer. */
const storageBounds: ReadonlySet<number> = new Set(
  [2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63, 2 ** 64].flatMap((end) => [end, end - 1, -end, -end - 1, 1 - end]),
);

/** Places that are looked at for one value. */
const mostPlaces = 1_000;

/**
 * Whether a value contains an integer that its storage may not hold: beyond 2^53, the bound of a storage, or the format int32. A bound of
 * the contract makes an integer certain.
 */
export function holdsDoubtfulNumber(form: CanonicalForm, start: SchemaNode, whole: unknown): boolean {
  const left = { places: mostPlaces };
  const visit = (node: SchemaNode, value: unknown): boolean => {
    if (!holdsLargeInteger(value)) return false;
    left.places -= 1;
    if (left.places < 0) return true;
    const shapes = shapesOf(form, node);
    if (Array.isArray(value))
      return shapes.some((shape) => value.some((item, index) => visit(form.item(shape, index), item)));
    if (isObject(value))
      return shapes.some((shape) =>
        Object.entries(value).some(([name, member]) => visit(form.property(shape, name), member)),
      );
    return shapes.some((shape) => shape.types.has('number') && isDoubtful(shape, Number(value)));
  };
  return visit(start, whole);
}

const int32 = 2 ** 31;

function holdsLargeInteger(value: unknown): boolean {
  if (isComposite(value)) return Object.values(value).some(holdsLargeInteger);
  return Number.isInteger(value) && (Number(value) >= int32 || Number(value) < -int32);
}

function isDoubtful(shape: Shape, value: number): boolean {
  const bound = value > 0 ? shape.maximum : shape.minimum;
  const isBound = Number.isFinite(bound);
  if (shape.values !== undefined || (isBound && !storageBounds.has(bound))) return false;
  return !Number.isSafeInteger(value) || shape.format === 'int32' || (isBound && Math.abs(value) > Math.abs(bound));
}
