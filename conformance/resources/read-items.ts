import { isObject, type JsonObject } from '../contract/document.ts';
import { normal, singular } from './slots.ts';

export type Scalar = string | number;

/** Scalars of one object by dotted member path; `@key` is its key in a map, `@value` an item that is a scalar itself. */
export type Scalars = ReadonlyMap<string, Scalar>;

/** The items of an answer's list, and the object around them or instead of them. */
export interface Items {
  readonly list: readonly Scalars[];
  readonly whole: Scalars | undefined;
  /** Whether the answer has a list, even an empty one. */
  readonly isList: boolean;
}

export const mostItems = 50;

const mostScalars = 60;
const longestText = 300;
const longestToken = 2_000;

/**
 * Reads the items of an answer, with any wrapper around them: `[…]`, `{payload: […]}`, `{data: {items: […]}}`, a map
 * `{"<id>": {…}}`.
 *
 * @param noun name of one item, in lower case: selects the list among others
 */
export function readItems(body: unknown, noun: string): Items {
  const found = findList(body, noun);
  const whole = isObject(body) ? readScalars(unwrap(body)) : new Map<string, Scalar>();
  const list = (found ?? []).slice(0, mostItems).filter((scalars) => scalars.size > 0);
  return { list, whole: whole.size === 0 ? undefined : whole, isList: found !== undefined };
}

/** Whether a value belongs to one object: a shorter text may be that of several. */
export function isTelling(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 6;
}

/**
 * Whether the answer to a create shows an object that was there before: it has another text in each member that was sent, as the cart of a
 * customer has. Status 201 means a new object.
 */
export function showsAnother(status: number | undefined, sent: Scalars, shown: Scalars): boolean {
  const pairs = [...sent].flatMap(([name, value]): (readonly [string, string])[] => {
    const other = shown.get(name);
    return isTelling(value) && isTelling(other) ? [[normal(value), normal(other)]] : [];
  });
  return status !== 201 && pairs.length > 0 && pairs.every(([a, b]) => !a.includes(b) && !b.includes(a));
}

/** `{data: {…}}` around one object is still that object. */
export function unwrap(body: JsonObject): JsonObject {
  let inner = body;
  for (let depth = 0; depth < 3; depth += 1) {
    const parts = Object.entries(inner);
    const objects = parts.filter(([, part]) => isObject(part));
    const [only] = objects;
    const isUsual = wrappers.test(only?.[0] ?? '');
    // `{ok: true, data: {…}}`: the other members hold no data of an object.
    const isRemark = ([name, part]: readonly [string, unknown]): boolean =>
      isObject(part) || isPlainRemark(part) || (isUsual && remarks.test(name) && isScalar(part));
    const isWrapper = objects.length === 1 && parts.every(isRemark);
    if (!isWrapper || only === undefined || Object.keys(inner).some((name) => /^_?(id|uuid|name)$/i.test(name))) break;
    inner = only[1] as JsonObject;
  }
  return inner;
}

/** `{code: 2000, message: 'Success', result: {…}}` */
const wrappers = /^(data|result|response|payload|item|record|content|entity)$/i;
const remarks = /^(code|status|status_?code|message|msg|success|request_?id|version|timestamp)$/i;

function isPlainRemark(part: unknown): boolean {
  return part === null || typeof part === 'boolean' || part === '' || (Array.isArray(part) && part.length === 0);
}

export function isScalar(value: unknown): value is Scalar {
  const isText = typeof value === 'string' && value !== '' && (value.length <= longestText || isToken(value));
  return isText || typeof value === 'number';
}

/** Whether a text may be an opaque token, as a JSON Web Token is. */
function isToken(text: string): boolean {
  return text.length <= longestToken && /^[\w.~+/=-]+$/.test(text);
}

/** Every scalar member, nested ones by a dotted path, the first of an array as `name[]`. */
export function readScalars(value: unknown): Map<string, Scalar> {
  const found = new Map<string, Scalar>();
  const walk = (part: unknown, path: string, depth: number): void => {
    if (found.size >= mostScalars || depth > 4) return;
    if (part === true && ofSystem.test(path)) found.set('@system', 1);
    if (isScalar(part)) {
      if (!found.has(path)) found.set(path === '' ? '@value' : path, part);
    } else if (Array.isArray(part)) walk(part[0], `${path}[]`, depth + 1);
    else if (isObject(part)) {
      const entries = Object.entries(part);
      const join = (name: string): string => (path === '' ? name : `${path}.${name}`);
      // The object's own scalars come before nested ones.
      for (const [name, inner] of entries) if (isScalar(inner)) walk(inner, join(name), depth + 1);
      for (const [name, inner] of entries) if (!isScalar(inner)) walk(inner, join(name), depth + 1);
    }
  };
  walk(value, '', 0);
  return found;
}

/** Members that mark an item as part of the deployment itself. */
const ofSystem = /(^|\.|is_?)(system|built_?in|default|protected|internal|immutable|read_?only|locked|reserved)$/i;

/** Usual names of the list in an answer. */
const ofItems = /^(results?|items|data|records|rows|entries|content|payload|hits|objects)$/i;

/** The list of an answer, with any wrapper around it: undefined if there is none, or only a map. @param noun as of `readItems` */
export function readList(body: unknown, noun: string): readonly unknown[] | undefined {
  return Array.isArray(body) ? body : isObject(body) ? chooseList(arraysIn(body, 0, []), noun)?.array : undefined;
}

function chooseList(lists: readonly FoundList[], noun: string): FoundList | undefined {
  return (
    lists.find(({ name, array }) => singular(normal(name)) === noun && array.length > 0) ??
    lists.find(({ array }) => array.some(isObject)) ??
    // An empty page next to the names of its columns.
    lists.find(({ name, array }) => array.length === 0 && ofItems.test(name)) ??
    lists.find(({ array }) => array.some(isScalar)) ??
    lists.find(({ name }) => singular(normal(name)) === noun)
  );
}

function findList(body: unknown, noun: string): Scalars[] | undefined {
  if (Array.isArray(body)) return body.map(readScalars);
  if (!isObject(body)) return undefined;
  const lists = arraysIn(body, 0, []);
  const chosen = chooseList(lists, noun);
  const map = chosen === undefined || chosen.array.length === 0 ? mapIn(body, 0) : undefined;
  if (map !== undefined) {
    const entries = Object.entries(map);
    // A single member is likelier a wrapper than a map with one entry.
    return entries.map(([key, value]) =>
      entries.length > 1 ? readScalars(value).set('@key', key) : readScalars(value),
    );
  }
  if (chosen === undefined && lists.length === 0) return undefined;
  return (chosen?.array ?? []).map(readScalars);
}

interface FoundList {
  readonly name: string;
  readonly array: readonly unknown[];
}

/** Arrays under the members of wrappers, the outer before the inner. */
function arraysIn(value: JsonObject, depth: number, path: readonly string[]): FoundList[] {
  const entries = Object.entries(value);
  const here = entries.flatMap(([name, part]): FoundList[] => (Array.isArray(part) ? [{ name, array: part }] : []));
  if (depth >= 3 || here.some(({ array }) => array.some(isObject))) return here;
  const inner = entries.flatMap(([name, part]) => (isObject(part) ? arraysIn(part, depth + 1, [...path, name]) : []));
  return [...here, ...inner];
}

/** A map by id: an object whose members are objects of one shape. A single member counts if it has no nested object. */
function mapIn(value: JsonObject, depth: number): JsonObject | undefined {
  const parts = Object.values(value);
  if (parts.length > 0 && parts.every(isObject)) {
    const [first, ...others] = parts as JsonObject[];
    const names = Object.keys(first ?? {});
    const isAlike = others.every((other) => names.some((name) => Object.hasOwn(other, name)));
    const hasPlain = names.some((name) => isScalar(first?.[name]));
    if (
      isAlike &&
      hasPlain &&
      (others.length > 0 || !parts.some((part) => Object.values(part as object).some(isObject)))
    ) {
      return value;
    }
  }
  if (depth >= 2) return undefined;
  for (const part of parts) {
    const found = isObject(part) ? mapIn(part, depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
