// Parts of a value that the contract annotates: secrets, and values that a rule generates.
import { readPattern } from '@lockstep/values/pattern';
import {
  arrayAt,
  childOf,
  isObject,
  type JsonObject,
  joinPointer,
  memberOf,
  objectAt,
  type Place,
  type Pointer,
  parseJson,
  placeAt,
} from '../contract/document.ts';
import { isErrorCode, isSensitive, isVolatile, ruleOf } from '../contract/extensions.ts';

export interface AnnotatedValue {
  readonly at: string;
  readonly value: unknown;
  readonly schema: JsonObject;
  readonly pointer: Pointer;
  /** False within one of several branches, which may not be the one that applies. */
  readonly sure: boolean;
}

/** Parts that no output may show: `x-sensitive`, `writeOnly` or passwords. Schemas without such parts are not walked. */
export function secretsIn(root: JsonObject, schema: Pointer, value: unknown): Generator<AnnotatedValue> {
  return findMarked(root, isSecret, schema, value);
}

/** Whether a value of this schema can hold a secret. */
export function holdsSecrets(root: JsonObject, schema: Pointer): boolean {
  return markedIn(root, isSecret)(placeAt(root, schema)) !== undefined;
}

/** Whether a value of this schema can have a property that only the server sets. */
export function holdsReadOnly(root: JsonObject, schema: Pointer): boolean {
  return markedIn(root, isReadOnly)(placeAt(root, schema)) !== undefined;
}

/** Whether a value of this schema can have a part that differs between two reads. */
export function holdsVolatile(root: JsonObject, schema: Pointer): boolean {
  return markedIn(root, isVolatile)(placeAt(root, schema)) !== undefined;
}

/** Codes for programs in an error. */
export function errorCodesIn(root: JsonObject, schema: Pointer, value: unknown): Generator<AnnotatedValue> {
  return findMarked(root, isErrorCode, schema, value);
}

/** Parts whose schema has an `x-rule`. */
export function ruledValues(root: JsonObject, schema: Pointer, value: unknown): Generator<AnnotatedValue> {
  return findMarked(root, hasRule, schema, value);
}

type Mark = (schema: JsonObject) => boolean;

const isSecret: Mark = (schema) => isSensitive(schema) || schema.writeOnly === true || schema.format === 'password';
const isReadOnly: Mark = (schema) => schema.readOnly === true;
const hasRule: Mark = (schema) => ruleOf(schema) !== undefined;

/** A schema that is marked, or leads to a marked one. */
interface Marked extends Place {
  readonly value: JsonObject;
  readonly isMarked: boolean;
  /** Steps to other `Marked` schemas, those for the same value first. */
  steps: readonly Step[];
}

interface Step {
  readonly to: Place;
  /** False for one of several branches. */
  readonly isSure: boolean;
  /** Parts of a value that the other schema describes, each with its name or index; undefined for the value itself. */
  readonly parts:
    | ((value: unknown) => readonly (readonly [token: string | number | undefined, part: unknown])[])
    | undefined;
}

type Look = (place: Place) => Marked | undefined;

const known = new WeakMap<JsonObject, Map<Mark, Look>>();

/** Finds, once per schema, the marked schemas and those that lead to them: no others are walked. */
function markedIn(root: JsonObject, mark: Mark): Look {
  const byMark = known.get(root) ?? new Map<Mark, Look>();
  known.set(root, byMark);
  const look = byMark.get(mark) ?? createLook(root, mark);
  byMark.set(mark, look);
  return look;
}

function createLook(root: JsonObject, mark: Mark): Look {
  const all = new Map<Pointer, Marked | undefined>();
  let mayHave: boolean | undefined;
  return (start) => {
    mayHave ??= isMarkedAnywhere(root, mark);
    if (!mayHave || all.has(start.pointer)) return all.get(start.pointer);
    const found = new Map<Pointer, Marked>();
    const users = new Map<Pointer, Pointer[]>();
    const waiting = [start];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { value, pointer } = next;
      if (!isObject(value) || found.has(pointer) || all.has(pointer)) continue;
      const steps = [...stepsFrom(root, next, value)];
      found.set(pointer, { value, pointer, isMarked: mark(value), steps });
      for (const { to } of steps) users.set(to.pointer, [...(users.get(to.pointer) ?? []), pointer]);
      waiting.push(...steps.map(({ to }) => to));
    }
    const leads = (one: Marked): boolean =>
      one.isMarked || one.steps.some(({ to }) => all.get(to.pointer) !== undefined);
    const kept = new Set([...found.values()].filter(leads).map(({ pointer }) => pointer));
    for (const pointer of kept) for (const user of users.get(pointer) ?? []) kept.add(user);
    for (const [pointer, one] of found) all.set(pointer, kept.has(pointer) ? one : undefined);
    for (const one of found.values()) one.steps = one.steps.filter(({ to }) => all.get(to.pointer) !== undefined);
    return all.get(start.pointer);
  };
}

/** Most documents mark nothing: this scan avoids following any schema. */
function isMarkedAnywhere(root: JsonObject, mark: Mark): boolean {
  const waiting: unknown[] = [root];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (isObject(part) && mark(part)) return true;
    for (const inner of Object.values(part as object))
      if (typeof inner === 'object' && inner !== null) waiting.push(inner);
  }
  return false;
}

function* stepsFrom(root: JsonObject, place: Place, schema: JsonObject): Generator<Step> {
  const listed = (keyword: string): readonly unknown[] => arrayAt(schema, keyword);
  const named = objectAt(schema, 'properties');
  const step = (tokens: readonly (string | number)[], isSure: boolean, parts?: Step['parts']): Step => {
    return { to: childOf(place, ...tokens), isSure, parts };
  };
  if (typeof schema.$ref === 'string' && schema.$ref.startsWith('#'))
    yield { to: placeAt(root, schema.$ref), isSure: true, parts: undefined };
  for (const keyword of ['allOf', 'anyOf', 'oneOf'])
    for (const index of listed(keyword).keys()) yield step([keyword, index], keyword === 'allOf');
  for (const keyword of ['then', 'else']) if (keyword in schema) yield step([keyword], false);
  for (const name in objectAt(schema, 'dependentSchemas')) yield step(['dependentSchemas', name], false);
  if ('contentSchema' in schema)
    yield step(['contentSchema'], false, (value) => (typeof value === 'string' ? [[undefined, parseJson(value)]] : []));
  for (const name in named)
    yield step(['properties', name], true, (value) => (isObject(value) ? [[name, memberOf(value, name)]] : []));
  for (const source in objectAt(schema, 'patternProperties'))
    yield step(['patternProperties', source], true, (value) =>
      membersOf(value).filter(([name]) => readPattern(source)?.test(name)),
    );
  if ('additionalProperties' in schema)
    yield step(['additionalProperties'], true, (value) =>
      membersOf(value).filter(([name]) => !Object.hasOwn(named, name)),
    );
  for (const index of listed('prefixItems').keys())
    yield step(['prefixItems', index], true, (value) => itemsOf(value).slice(index, index + 1));
  if ('items' in schema) yield step(['items'], true, (value) => itemsOf(value).slice(listed('prefixItems').length));
}

function membersOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function itemsOf(value: unknown): [number, unknown][] {
  return Array.isArray(value) ? [...value.entries()] : [];
}

function* findMarked(root: JsonObject, mark: Mark, schema: Pointer, value: unknown): Generator<AnnotatedValue> {
  const look = markedIn(root, mark);
  const marked = look(placeAt(root, schema));
  if (marked !== undefined) yield* walk(look, marked, { at: '', value, sure: true, levels: 0, hops: 0 }, new Map());
}

/** A location in the value, its depth, and the number of steps between schemas since it was reached. */
interface Here extends Pick<AnnotatedValue, 'at' | 'value' | 'sure'> {
  readonly levels: number;
  readonly hops: number;
}

const most = { levels: 64, hops: 1_200 };

/** @param met visited locations of each schema, since branches may lead back to a schema that contains them */
function* walk(look: Look, marked: Marked, here: Here, met: Map<Marked, Set<string>>): Generator<AnnotatedValue> {
  const { at, value, sure, levels, hops } = here;
  const places = met.get(marked) ?? new Set();
  met.set(marked, places);
  if (value === undefined || levels > most.levels || hops > most.hops || places.has(at)) return;
  places.add(at);
  if (marked.isMarked) yield { at, value, schema: marked.value, pointer: marked.pointer, sure };
  for (const { to, isSure, parts } of marked.steps) {
    const next = look(to);
    if (next === undefined) continue;
    if (parts === undefined) yield* walk(look, next, { ...here, sure: sure && isSure, hops: hops + 1 }, met);
    else
      for (const [token, part] of parts(value)) {
        const below = { value: part, sure: sure && isSure, levels: levels + 1, hops: 0 };
        yield* walk(look, next, { ...below, at: token === undefined ? at : joinPointer(at, token) }, met);
      }
  }
}
