import {
  canonical,
  childOf,
  follow,
  isObject,
  type JsonObject,
  joinPointer,
  memberOf,
  objectAt,
  type Place,
  type Pointer,
  readPointer,
  splitPointer,
} from '../contract/document.ts';
import { counted, nameSome } from '../contract/printable.ts';
import { type Cause, hashOf } from '../failures/failure.ts';
import type { Violation } from '../schema/create-judge.ts';

/** Violations in one body that have one cause. */
export interface Fault {
  readonly first: Violation;
  readonly message: string;
  readonly causes: readonly Cause[];
  /** False if the only violated keyword is a `format` that validators disagree about. */
  readonly isSure: boolean;
}

/**
 * Folds the violations of one body into faults. All violations of one object are one fault, as are those that the items of a list
 * share. Violations beneath an object of an unrelated shape are dropped. All undeclared nulls are one fault.
 *
 * @param range of the status, `4XX`: error bodies share one schema across a document, and are compared by their members
 */
export function findFaults(root: JsonObject, violations: readonly Violation[], body: unknown, range: string): Fault[] {
  const seen = violations.flatMap((violation): Judged[] => {
    const value = readPointer(body, violation.at);
    const expected = readPointer(root, violation.pointer);
    return isRounded(violation, value, expected)
      ? []
      : [{ violation, value, expected, owner: ownerOf(violation, value, body) }];
  });
  const contradictions = seen.filter(({ violation }) => isContradiction(root, violation));
  const rest = seen.filter((one) => !contradictions.includes(one));
  const groups = [...Map.groupBy(rest, ({ owner }) => general(owner))].map(([path, own]) => ({ path, own }));
  const unrelated = groups.filter(({ own }) => isUnrelated(own)).map(({ path }) => path);
  const reported = groups.filter(({ path }) => !unrelated.some((parent) => path.startsWith(`${parent}/`)));
  const isNull = ({ value, violation }: Judged, path: string): boolean =>
    value === null && violation.keyword !== 'required' && !unrelated.includes(path);
  const nulls = reported.flatMap(({ path, own }) => own.filter((one) => isNull(one, path)));
  const others = reported.map(({ path, own }) => own.filter((one) => !isNull(one, path)));
  return [
    ...others.flatMap((own) => describe(own, (one) => causesOf(root, one, body, range))),
    ...describe(nulls, () => [[range, 'null']]).map((fault) => ({ ...fault, message: describeNulls(nulls) })),
    ...describe(contradictions, () => [['closed under allOf']], 'no object can satisfy both parts of the allOf'),
  ];
}

interface Judged {
  readonly violation: Violation;
  readonly value: unknown;
  /** Value of the keyword in the contract. */
  readonly expected: unknown;
  /** Location of the object in the body that the violation concerns. */
  readonly owner: string;
}

function describe(own: readonly Judged[], causesFor: (one: Judged) => readonly Cause[], hint?: string): Fault[] {
  const [first] = own;
  if (first === undefined) return [];
  const sentences = [...Map.groupBy(own, ({ violation }) => `${violation.pointer} ${violation.detail}`).values()];
  const parts = sentences.slice(0, 4).flatMap(([one], index) => {
    if (one === undefined) return [];
    const { at, message } = one.violation;
    return index === 0 || message === first.violation.message ? [message] : [`${at || 'the whole body'} ${message}`];
  });
  const left = sentences.length - parts.length;
  const more = own.length - sentences.length;
  const message = [
    [...new Set(parts)].join('; '),
    left > 0 ? `, and ${counted(left, 'more violation')}` : '',
    more > 0 ? `, also at ${counted(more, 'more place')}` : '',
    hint === undefined ? '' : `: ${hint}`,
  ].join('');
  const causes = new Map(own.flatMap(causesFor).map((cause) => [canonical(cause), cause] as const));
  return [{ first: first.violation, message, causes: [...causes.values()], isSure: own.some(isCertain) }];
}

function describeNulls(nulls: readonly Judged[]): string {
  const places = [...new Set(nulls.map(({ violation }) => general(violation.at) || 'the whole body'))];
  return `null was sent where the schema does not allow it: ${nameSome(places, 6)}`;
}

/** Formats that all validators read alike. Any other `format`, and an empty text, is an annotation (JSON Schema 2020-12, 7.2.1). */
const shared = new Set<unknown>(['date', 'date-time', 'time']);

function isCertain({ violation, value, expected }: Judged): boolean {
  return violation.keyword !== 'format' || (shared.has(expected) && value !== '');
}

/** Keywords about an object as a whole rather than about one value in it. */
const aboutObjects = new Set(['additionalProperties', 'unevaluatedProperties', 'required', 'dependentRequired']);

/** Keywords that an object violates as a member of another one. */
const aboutOneValue = new Set(['type', 'enum', 'const']);

/** Whether an object fits its schema so little that faults of its members prove nothing. */
function isUnrelated(own: readonly Judged[]): boolean {
  const sentences = new Set(own.map(({ violation }) => `${violation.pointer} ${violation.detail}`));
  const missing = new Set(
    own.filter(({ violation }) => violation.keyword === 'required').map((one) => one.violation.detail),
  );
  return missing.size > 1 || (missing.size > 0 && sentences.size > 2);
}

function causesOf(
  root: JsonObject,
  { violation, value, expected, owner }: Judged,
  body: unknown,
  range: string,
): readonly Cause[] {
  const { keyword, pointer, detail, at } = violation;
  const isRejection = /^[45]/.test(range);
  const whole = readPointer(body, owner);
  const kind = isRejection && isObject(whole) ? Object.keys(whole).sort().join() : signatureOf(root, pointer);
  if (aboutObjects.has(keyword)) {
    // Several schemas describe what one part of the server writes: the same wrapper, the same object with the same gap.
    const shape = keyword === 'required' && isObject(whole) ? Object.keys(whole).sort().join() : general(owner);
    const isShaped = keyword !== 'required' || shape !== '';
    return [[range, keyword, detail, kind], ...(isShaped ? [[range, keyword, detail, 'at', shape]] : [])];
  }
  const name = splitPointer(at).findLast((token) => !/^\d+$/.test(token)) ?? '';
  if (keyword === 'type') return [[range, keyword, name, typeOf(value), canonical(expected)]];
  if (keyword === 'format') return [[range, keyword, canonical(expected), outlineOf(value)]];
  if (keyword === 'anyOf' || keyword === 'oneOf') return [[range, keyword, name, kind]];
  return [[range, keyword, name, canonical(expected) ?? '']];
}

/** Location of the nearest object around a violation. */
function ownerOf({ at, keyword }: Violation, value: unknown, body: unknown): string {
  if (isObject(value) && !aboutOneValue.has(keyword)) return at;
  const tokens = splitPointer(at);
  while (tokens.length > 0) {
    tokens.pop();
    const path = joinPointer('', ...tokens);
    if (isObject(readPointer(body, path))) return path;
  }
  return '';
}

/** A path without indexes. */
function general(path: string): string {
  return path.replaceAll(/\/\d+(?=\/|$)/g, '/*');
}

const signatures = new WeakMap<JsonObject, Map<Pointer, string>>();
const annotations = new Set(['description', 'title', 'example', 'examples', 'default', 'externalDocs', 'deprecated']);

/** A hash of the schema around a keyword, without its annotations: equal for copies of that schema. */
function signatureOf(root: JsonObject, pointer: Pointer): string {
  const known = signatures.get(root) ?? new Map<Pointer, string>();
  signatures.set(root, known);
  const parent = joinPointer('#', ...splitPointer(pointer).slice(0, -1));
  const schema: unknown = readPointer(root, parent);
  const compared = isObject(schema)
    ? Object.fromEntries(Object.entries(schema).filter(([keyword]) => !annotations.has(keyword)))
    : schema;
  const signature = known.get(parent) ?? hashOf(canonical(compared) ?? '');
  known.set(parent, signature);
  return signature;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** The spelling of a value without its letters and digits. */
function outlineOf(value: unknown): string {
  return String(value)
    .replaceAll(/[\p{L}\p{N}]+/gu, 'w')
    .slice(0, 40);
}

/** Keywords whose result depends on the last digit of a number, or on their subschemas. */
const exact = new Set(['multipleOf', 'exclusiveMinimum', 'exclusiveMaximum', 'anyOf', 'oneOf', 'not']);

/**
 * Whether the violation may come from rounding while parsing. Violations of a type, an inclusive bound or an `enum` are real:
 * rounding keeps the order of numbers.
 */
function isRounded({ keyword }: Violation, value: unknown, expected: unknown): boolean {
  if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return false;
  const isNumber = keyword === 'type' && [expected].flat().some((type) => type === 'number' || type === 'integer');
  return isNumber || exact.has(keyword);
}

/**
 * A part of an `allOf` with `additionalProperties: false` forbids the properties of the other parts (JSON Schema 2020-12, core,
 * 10.3.2.3): the fault is in the contract.
 */
function isContradiction(root: JsonObject, { keyword, pointer, detail }: Violation): boolean {
  if (keyword !== 'additionalProperties') return false;
  const closed = joinPointer('#', ...splitPointer(pointer).slice(0, -1));
  return (compositionsOf(root).get(closed) ?? []).some((whole) => declares(root, whole, detail, closed, 0));
}

const compositions = new WeakMap<JsonObject, ReadonlyMap<Pointer, readonly Place[]>>();

/** Each part of an `allOf` with the schemas that contain it. */
function compositionsOf(root: JsonObject): ReadonlyMap<Pointer, readonly Place[]> {
  const known = compositions.get(root);
  if (known !== undefined) return known;
  const found = new Map<Pointer, Place[]>();
  const walk = (place: Place): void => {
    if (typeof place.value !== 'object' || place.value === null) return;
    for (const key of Object.keys(place.value)) walk(childOf(place, key));
    const parts = memberOf(place.value, 'allOf');
    for (const index of Array.isArray(parts) ? parts.keys() : []) {
      const part = follow(root, childOf(place, 'allOf', index));
      if (part !== undefined) found.set(part.pointer, [...(found.get(part.pointer) ?? []), place]);
    }
  };
  walk({ value: root, pointer: '#' });
  compositions.set(root, found);
  return found;
}

/** Whether a schema describes a property outside of the part `except`. */
function declares(root: JsonObject, place: Place, name: string, except: Pointer, depth: number): boolean {
  const target = follow(root, place);
  if (target === undefined || depth > 8 || target.pointer === except || !isObject(target.value)) return false;
  const schema = target.value;
  if (Object.hasOwn(objectAt(schema, 'properties'), name)) return true;
  return ['allOf', 'anyOf', 'oneOf'].some((keyword) => {
    const parts = schema[keyword];
    return (
      Array.isArray(parts) &&
      [...parts.keys()].some((index) => declares(root, childOf(target, keyword, index), name, except, depth + 1))
    );
  });
}
