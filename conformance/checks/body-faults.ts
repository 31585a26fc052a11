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

/** Violations of one instance that are one cause. */
export interface Fault {
  readonly first: Violation;
  readonly message: string;
  readonly causes: readonly Cause[];
  /** False where nothing but a `format` says so that only some readers take for a law. */
  readonly isSure: boolean;
}

/**
 * Folds the violations of one body into faults. Violations of one object are one fault, however many of its members are wrong, and
 * so are those of the items of a list in the same way; beneath an object that is another thing altogether nothing is told apart.
 * A null where none is declared is one fault wherever it stands.
 *
 * @param range of the status, `4XX`: refusals have one shape all over a document, and are compared by what they carry
 */
export function findFaults(root: JsonObject, violations: readonly Violation[], body: unknown, range: string): Fault[] {
  const seen = violations.flatMap((violation): Judged[] => {
    const value = readPointer(body, violation.at);
    const said = readPointer(root, violation.pointer);
    return isRounded(violation, value, said)
      ? []
      : [{ violation, value, said, owner: ownerOf(violation, value, body) }];
  });
  const contradictions = seen.filter(({ violation }) => isContradiction(root, violation));
  const rest = seen.filter((one) => !contradictions.includes(one));
  const groups = [...Map.groupBy(rest, ({ owner }) => general(owner))].map(([path, own]) => ({ path, own }));
  const strangers = groups.filter(({ own }) => isAnotherThing(own)).map(({ path }) => path);
  const told = groups.filter(({ path }) => !strangers.some((stranger) => path.startsWith(`${stranger}/`)));
  const isNull = ({ value, violation }: Judged, path: string): boolean =>
    value === null && violation.keyword !== 'required' && !strangers.includes(path);
  const nulls = told.flatMap(({ path, own }) => own.filter((one) => isNull(one, path)));
  const others = told.map(({ path, own }) => own.filter((one) => !isNull(one, path)));
  return [
    ...others.flatMap((own) => describe(own, (one) => causeOf(root, one, body, range))),
    ...describe(nulls, () => [range, 'null']).map((fault) => ({ ...fault, message: describeNulls(nulls) })),
    ...describe(contradictions, () => ['closed under allOf'], 'no object can keep both parts of the allOf'),
  ];
}

interface Judged {
  readonly violation: Violation;
  readonly value: unknown;
  /** Value of the keyword in the contract. */
  readonly said: unknown;
  /** The object of the body that the violation is about. */
  readonly owner: string;
}

function describe(own: readonly Judged[], cause: (one: Judged) => Cause, hint?: string): Fault[] {
  const [first] = own;
  if (first === undefined) return [];
  const sentences = [...Map.groupBy(own, ({ violation }) => `${violation.pointer} ${violation.detail}`).values()];
  const parts = sentences.slice(0, 4).flatMap(([one], index) => {
    if (one === undefined) return [];
    const { at, message } = one.violation;
    return index === 0 || message === first.violation.message ? [message] : [`${at || 'the whole'} ${message}`];
  });
  const left = sentences.length - parts.length;
  const more = own.length - sentences.length;
  const message = [
    [...new Set(parts)].join('; '),
    left > 0 ? `, and ${counted(left, 'more sentence')}` : '',
    more > 0 ? `, and so at ${counted(more, 'more place')}` : '',
    hint === undefined ? '' : `: ${hint}`,
  ].join('');
  const causes = new Map(own.map((one) => [canonical(cause(one)), cause(one)] as const));
  return [{ first: first.violation, message, causes: [...causes.values()], isSure: own.some(isLaw) }];
}

function describeNulls(nulls: readonly Judged[]): string {
  const places = [...new Set(nulls.map(({ violation }) => general(violation.at) || 'the whole'))];
  return `null came where none is declared: ${nameSome(places, 6)}`;
}

/** Formats with one spelling that every reader shares; of others, and of an empty text, `format` is a note (JSON Schema 2020-12, 7.2.1). */
const shared = new Set<unknown>(['date', 'date-time', 'time']);

function isLaw({ violation, value, said }: Judged): boolean {
  return violation.keyword !== 'format' || (shared.has(said) && value !== '');
}

/** Keywords about an object as a whole rather than about one value in it. */
const aboutObjects = new Set(['additionalProperties', 'unevaluatedProperties', 'required', 'dependentRequired']);

/** Keywords by which an object is wrong as the member of another. */
const aboutOneValue = new Set(['type', 'enum', 'const']);

/** Another thing was sent than the one described: so little of it fits that its members say nothing more. */
function isAnotherThing(own: readonly Judged[]): boolean {
  const sentences = new Set(own.map(({ violation }) => `${violation.pointer} ${violation.detail}`));
  const missing = new Set(
    own.filter(({ violation }) => violation.keyword === 'required').map((one) => one.violation.detail),
  );
  return missing.size > 1 || (missing.size > 0 && sentences.size > 2);
}

function causeOf(root: JsonObject, { violation, value, said, owner }: Judged, body: unknown, range: string): Cause {
  const { keyword, pointer, detail, at } = violation;
  const isRejection = /^[45]/.test(range);
  const whole = readPointer(body, owner);
  const kind = isRejection && isObject(whole) ? Object.keys(whole).sort().join() : signatureOf(root, pointer);
  if (aboutObjects.has(keyword)) return [range, keyword, detail, kind];
  const name = splitPointer(at).findLast((token) => !/^\d+$/.test(token)) ?? '';
  if (keyword === 'type') return [range, keyword, name, typeOf(value), canonical(said)];
  if (keyword === 'format') return [range, keyword, canonical(said), outlineOf(value)];
  if (keyword === 'anyOf' || keyword === 'oneOf') return [range, keyword, name, kind];
  return [range, keyword, name, canonical(said) ?? ''];
}

/** The nearest object around a violation: what is wrong with a member is wrong with the object. */
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
const wordsAlone = new Set(['description', 'title', 'example', 'examples', 'default', 'externalDocs', 'deprecated']);

/** The schema that a keyword stands in, by what it says: the same for copies of it at other places. */
function signatureOf(root: JsonObject, pointer: Pointer): string {
  const known = signatures.get(root) ?? new Map<Pointer, string>();
  signatures.set(root, known);
  const parent = joinPointer('#', ...splitPointer(pointer).slice(0, -1));
  const schema: unknown = readPointer(root, parent);
  const told = isObject(schema)
    ? Object.fromEntries(Object.entries(schema).filter(([keyword]) => !wordsAlone.has(keyword)))
    : schema;
  const signature = known.get(parent) ?? hashOf(canonical(told) ?? '');
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

/** Whether they hold for a number depends on its last digit, or on what stands within them. */
const exact = new Set(['multipleOf', 'exclusiveMinimum', 'exclusiveMaximum', 'anyOf', 'oneOf', 'not']);

/**
 * Parsing has rounded the number, and what is wrong with it may be our own doing. That it is no text, lies beyond a bound and is
 * none of some others stays true: rounding keeps the order of what it rounds.
 */
function isRounded({ keyword }: Violation, value: unknown, said: unknown): boolean {
  if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return false;
  const isNumber = keyword === 'type' && [said].flat().some((type) => type === 'number' || type === 'integer');
  return isNumber || exact.has(keyword);
}

/**
 * An object closed by `additionalProperties: false` as a part of an `allOf` forbids what the other parts describe (JSON Schema
 * 2020-12, core, 10.3.2.3): it is the contract that is at fault.
 */
function isContradiction(root: JsonObject, { keyword, pointer, detail }: Violation): boolean {
  if (keyword !== 'additionalProperties') return false;
  const closed = joinPointer('#', ...splitPointer(pointer).slice(0, -1));
  return (compositionsOf(root).get(closed) ?? []).some((whole) => declares(root, whole, detail, closed, 0));
}

const compositions = new WeakMap<JsonObject, ReadonlyMap<Pointer, readonly Place[]>>();

/** Each part of an `allOf` with the schemas that it is a part of. */
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

/** Whether a schema describes a property elsewhere than in one of its parts. */
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
