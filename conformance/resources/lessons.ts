import type { Contract, MediaContent, Operation, Parameter } from '../contract/contract.ts';
import { type Place, type Pointer, placeAt } from '../contract/document.ts';
import { isObject, type JsonObject } from '../contract/json.ts';
import type { Seen } from '../contract/runtime-expression.ts';
import { flattenSchema } from '../data/flatten-schema.ts';
import { replaceAt } from '../data/time.ts';
import { buildFrom, type DataTools } from '../data/value-ladder.ts';
import { isScalar } from './read-items.ts';
import { type Complaint, type Rule, readComplaints } from './read-refusal.ts';
import { isIdName, normal, stemOf } from './slots.ts';

/** What refusals said of one place of a request, taken together. */
export interface Lesson {
  readonly about: LessonPlace;
  /** It must be there. */
  readonly required: boolean;
  /** It must not be there. */
  readonly forbidden: boolean;
  /** How often it had to be another than before: no other object may have it. */
  readonly unique: number;
  /** How often nothing was found under it: it names something that exists. */
  readonly reference: number;
  /** How often it was named without a word of use. */
  readonly wrong: number;
  /** Keywords of JSON Schema that hold besides those of the contract. */
  readonly keywords: JsonObject;
}

export type LessonPlace =
  | { readonly kind: 'parameter'; readonly parameter: Parameter }
  /** `schema` is undefined where the contract does not know the member. */
  | { readonly kind: 'body'; readonly tokens: readonly string[]; readonly schema: Pointer | undefined };

/** Lessons of one operation, or those of all by the schema that they are about. */
export type Lessons = Map<string, Lesson>;

/** What all operations learned about schemas that they share. */
export interface SharedLessons {
  /** Takes a refusal into account, in the order of the plan. */
  readonly observe: (operation: Operation, seen: Seen, body: unknown) => void;
  readonly about: (schema: Pointer) => Lesson | undefined;
  /** Where the server wants more than the contract says, as sentences. */
  readonly notes: () => readonly string[];
}

const mostNotes = 200;

export function createSharedLessons(contract: Contract): SharedLessons {
  const bySchema = new Map<Pointer, Lesson>();
  const notes = new Map<string, string>();
  return {
    about: (schema) => bySchema.get(schema),
    notes: () => [...notes.values()],
    observe: (operation, seen, body) => {
      const own: Lessons = new Map();
      learn(contract, operation, seen, body, own);
      for (const [place, lesson] of own) {
        const { about } = lesson;
        if (notes.size < mostNotes && Object.keys(lesson.keywords).length + Number(lesson.required) > 0) {
          notes.set(`${operation.id} ${place}`, `${operation.id}: ${place} ${describe(lesson)}`);
        }
        if (about.kind !== 'body' || about.schema === undefined) continue;
        const known = bySchema.get(about.schema);
        // That it must be another, or is missing here, says nothing of other operations.
        bySchema.set(about.schema, {
          ...lesson,
          keywords: { ...known?.keywords, ...lesson.keywords },
          required: lesson.required || known?.required === true,
        });
      }
    },
  };
}

function describe({ required, keywords }: Lesson): string {
  const also = Object.keys(keywords).length > 0 ? JSON.stringify(keywords) : '';
  return [required ? 'is wanted' : '', also].filter((part) => part !== '').join(', ');
}

/**
 * Adds what a refusal says to what is known.
 *
 * @returns what it did: `new` where the next request will be another one, `path` where it speaks of an id in the path
 */
export function learn(
  contract: Contract,
  operation: Operation,
  seen: Seen,
  refusal: unknown,
  lessons: Lessons,
): 'new' | 'path' | 'nothing' {
  let came: 'new' | 'path' | 'nothing' = 'nothing';
  const complaints = readComplaints(refusal);
  for (const complaint of complaints) {
    if (complaint.path.length === 0) continue;
    const about = findPlace(contract, operation, seen, complaint);
    if (about === undefined) continue;
    if (about.kind === 'parameter' && about.parameter.in === 'path') {
      if (came === 'nothing') came = 'path';
      continue;
    }
    // Some answers show what was sent.
    if (about.kind === 'body' && complaint.says === String(valueAt(seen.requestBody, about.tokens))) continue;
    const key = keyOf(about);
    const before = lessons.get(key) ?? { ...nothing, about };
    const after = addRules(before, complaint.rules, isThere(about, seen));
    if (JSON.stringify(after) === JSON.stringify(before)) continue;
    lessons.set(key, after);
    came = 'new';
  }
  if (came === 'nothing' && addMentioned(contract, operation, seen, complaints, lessons)) return 'new';
  return came;
}

const nothing = { required: false, forbidden: false, unique: 0, reference: 0, wrong: 0, keywords: {} } as const;

/** "Either result or error must be provided", "Set delete_all=true": names of what was left out are taken in. */
function addMentioned(
  contract: Contract,
  operation: Operation,
  seen: Seen,
  complaints: readonly Complaint[],
  lessons: Lessons,
): boolean {
  const schema = bodySchemaOf(operation);
  const body = schema === undefined ? undefined : flattenSchema(contract.root, placeAt(contract.root, schema), 0);
  const places: (readonly [string, LessonPlace])[] = [
    ...operation.parameters
      .filter((parameter) => !parameter.required)
      .map((parameter) => [parameter.name, { kind: 'parameter', parameter }] as const),
    ...[...(body?.properties ?? [])].map(
      ([name, place]) => [name, { kind: 'body', tokens: [name], schema: place.pointer }] as const,
    ),
  ];
  for (const { says } of complaints) {
    if (
      !/must|require|need|provide|specif|suppl|missing|set|expect|at least|either|empty|should|cannot|please|give/i.test(
        says,
      )
    )
      continue;
    const left = places.filter(([name, about]) => {
      if (name.length < 2 || isThere(about, seen) || lessons.has(keyOf(about))) return false;
      return new RegExp(`(^|[^\\w])${name.replaceAll(/[^\w]/g, '\\$&')}($|[^\\w])`).test(says);
    });
    const isChoice = /\b(or|one of|either)\b/i.test(says) && !/\bboth\b/i.test(says);
    for (const [name, about] of isChoice ? left.slice(0, 1) : left.slice(0, 4)) {
      const told = new RegExp(`${name.replaceAll(/[^\w]/g, '\\$&')}\\s*=\\s*([\\w.-]+)`).exec(says)?.[1];
      const keywords: JsonObject = told === undefined ? {} : { enum: [spellTold(told)] };
      lessons.set(keyOf(about), { ...nothing, about, required: true, keywords });
    }
    if (left.length > 0) return true;
  }
  return false;
}

function spellTold(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

function addRules(lesson: Lesson, rules: readonly Rule[], isSent: boolean): Lesson {
  let after = lesson;
  for (const rule of rules) {
    if (rule.kind === 'keywords') after = { ...after, keywords: { ...after.keywords, ...rule.keywords } };
    else if (rule.kind === 'required') {
      // "Is required" of what was sent means that it was empty, or not what was wanted.
      after = isSent ? { ...after, wrong: after.wrong + 1 } : { ...after, required: true };
    } else if (rule.kind === 'forbidden') after = isSent ? { ...after, forbidden: true } : after;
    else if (rule.kind === 'unique') after = { ...after, unique: after.unique + 1 };
    else if (rule.kind === 'reference') after = { ...after, reference: after.reference + 1 };
  }
  if (rules.length === 0) after = isSent ? { ...after, wrong: after.wrong + 1 } : { ...after, required: true };
  // What keeps being refused for the same reason is no lesson any more.
  return after.wrong > 3 || after.unique > 4 || after.reference > 4 ? lesson : after;
}

function keyOf(about: LessonPlace): string {
  return about.kind === 'parameter'
    ? `${about.parameter.in} ${about.parameter.name}`
    : `body /${about.tokens.join('/')}`;
}

const partNames: Readonly<Record<string, readonly Parameter['in'][] | 'body'>> = {
  body: 'body',
  requestbody: 'body',
  payload: 'body',
  json: 'body',
  dto: 'body',
  form: 'body',
  query: ['query'],
  querystring: ['query'],
  queryparams: ['query'],
  querystringparameters: ['query'],
  path: ['path'],
  pathparams: ['path'],
  params: ['path', 'query'],
  header: ['header'],
  headers: ['header'],
  cookie: ['cookie'],
  cookies: ['cookie'],
};

/** Where in the request a complaint points to, by the names of the contract and of what was sent. */
function findPlace(
  contract: Contract,
  operation: Operation,
  seen: Seen,
  { path, rules }: Complaint,
): LessonPlace | undefined {
  const [first, ...rest] = path;
  if (first === undefined) return undefined;
  const part = partNames[normal(first)];
  const isNamed = part !== undefined && rest.length > 0;
  const tokens = isNamed ? rest : path;
  const places = part === undefined || part === 'body' ? undefined : part;
  const last = tokens.at(-1) ?? '';
  const parameter = operation.parameters.find(
    (candidate) => normal(candidate.name) === normal(last) && (places === undefined || places.includes(candidate.in)),
  );
  const inBody = findInBody(contract, operation, seen, tokens);
  const isBodyFirst = part === 'body' || tokens.length > 1 || parameter === undefined;
  if (isBodyFirst && inBody !== undefined) return inBody;
  if (parameter !== undefined) return { kind: 'parameter', parameter };
  if (inBody !== undefined) return inBody;
  // "No such thing" asks for no member.
  const isWanted = rules.some(({ kind }) => kind === 'required') && places === undefined && seen.status !== 404;
  // The server knows a member that the contract does not.
  return isWanted && isObject(seen.requestBody) && tokens.length === 1 && /^[\w$-]{1,60}$/.test(last)
    ? { kind: 'body', tokens, schema: undefined }
    : undefined;
}

function findInBody(
  contract: Contract,
  operation: Operation,
  { requestBody }: Seen,
  tokens: readonly string[],
): LessonPlace | undefined {
  const schema = bodySchemaOf(operation);
  if (schema === undefined) return undefined;
  const root = placeAt(contract.root, schema);
  for (let skip = 0; skip < tokens.length; skip += 1) {
    const found = alongSchema(contract, root, tokens.slice(skip));
    if (found !== undefined) return { kind: 'body', ...found };
  }
  const last = normal(tokens.at(-1) ?? '');
  const deep = pathsIn(requestBody).find((path) => normal(path.at(-1) ?? '') === last);
  const found = deep === undefined ? undefined : alongSchema(contract, root, deep);
  return deep === undefined ? undefined : { kind: 'body', tokens: deep, schema: found?.schema };
}

export function bodySchemaOf({ body }: Operation): Pointer | undefined {
  return body?.contents.find(({ schema }) => schema !== undefined)?.schema;
}

/** Follows names through properties and items; case and separators make no difference. */
export function alongSchema(
  contract: Contract,
  start: Place,
  names: readonly string[],
): { readonly tokens: readonly string[]; readonly schema: Pointer } | undefined {
  let place = start;
  const tokens: string[] = [];
  for (const name of names) {
    const step = stepInto(contract, place, name);
    if (step === undefined) return undefined;
    tokens.push(...step.tokens);
    place = step.place;
  }
  return { tokens, schema: place.pointer };
}

function stepInto(contract: Contract, place: Place, name: string): { tokens: string[]; place: Place } | undefined {
  for (const variant of [0, 1, 2, 3]) {
    const flat = flattenSchema(contract.root, place, variant);
    if (flat.items !== undefined) {
      if (/^\d+$/.test(name)) return { tokens: [name], place: flat.items };
      const inner = stepInto(contract, flat.items, name);
      if (inner !== undefined) return { tokens: ['0', ...inner.tokens], place: inner.place };
    }
    const own = flat.properties.get(name);
    if (own !== undefined) return { tokens: [name], place: own };
    // A server that speaks of the author means `author_id`.
    const alike =
      [...flat.properties].find(([known]) => normal(known) === normal(name)) ??
      [...flat.properties].find(([known]) => isIdName(known) && stemOf(known) === normal(name)) ??
      [...flat.properties].find(([known]) => isShortFor(name, known));
    if (alike !== undefined) return { tokens: [alike[0]], place: alike[1] };
  }
  return undefined;
}

/** `req_type` for `requestType`: each word begins the word of the name at its place. */
function isShortFor(short: string, name: string): boolean {
  const words = short.toLowerCase().split('_');
  const own = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_-]/);
  return (
    words.length > 1 &&
    words.length === own.length &&
    words.every((word, at) => word.length > 1 && own[at]?.startsWith(word) === true)
  );
}

function pathsIn(value: unknown): string[][] {
  const found: string[][] = [];
  const walk = (part: unknown, path: readonly string[]): void => {
    if (found.length > 300 || path.length > 6) return;
    if (path.length > 0) found.push([...path]);
    if (Array.isArray(part)) walk(part[0], [...path, '0']);
    else if (isObject(part)) for (const [name, inner] of Object.entries(part)) walk(inner, [...path, name]);
  };
  walk(value, []);
  return found.filter((path) => path.at(-1) !== '0');
}

function isThere(about: LessonPlace, seen: Seen): boolean {
  if (about.kind === 'body') return valueAt(seen.requestBody, about.tokens) !== undefined;
  const { name, in: where } = about.parameter;
  if (where === 'query') return seen.query[name] !== undefined;
  if (where === 'header') return seen.requestHeaders[name.toLowerCase()] !== undefined;
  return where === 'path';
}

export function valueAt(value: unknown, tokens: readonly string[]): unknown {
  return tokens.reduce<unknown>((part, token) => {
    if (Array.isArray(part)) return part[Number(token)];
    return isObject(part) && Object.hasOwn(part, token) ? part[token] : undefined;
  }, value);
}

interface Teaching {
  readonly tools: DataTools;
  /** Values that exist, for a name that speaks of another resource. */
  readonly referencesFor: (name: string, schema: Pointer | undefined) => readonly unknown[];
  /** How many bodies of this operation were made unique: no two are alike. */
  readonly count: number;
}

/** A body as the lessons want it. What the contract would not take is left as it was: it is told, not sent. */
export function applyToBody(
  { tools, referencesFor, count }: Teaching,
  content: MediaContent,
  body: unknown,
  lessons: Lessons,
): unknown {
  let made = body;
  const isValid = (value: unknown): boolean =>
    content.schema === undefined || tools.judge.accepts(content.schema, 'request', value);
  for (const lesson of lessons.values()) {
    const { about } = lesson;
    if (about.kind !== 'body' || about.tokens.length === 0) continue;
    const now = valueAt(made, about.tokens);
    const at = `/${about.tokens.map((token) => token.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
    if (lesson.forbidden) {
      const without = removeAt(made, about.tokens);
      if (isValid(without)) made = without;
      continue;
    }
    if (now === undefined && !lesson.required) continue;
    const name = about.tokens.findLast((token) => !/^\d+$/.test(token)) ?? '';
    for (const value of valuesFor({ tools, referencesFor, count }, lesson, name, about.schema, now)) {
      const changed = now === undefined ? addAt(made, about.tokens, value) : replaceAt(made, at, value);
      if (!isValid(changed)) continue;
      made = changed;
      break;
    }
  }
  return made;
}

/** A parameter's value as the lessons want it; undefined where it is to be left out. */
export function applyToParameter(teaching: Teaching, parameter: Parameter, value: unknown, lessons: Lessons): unknown {
  const lesson = lessons.get(keyOf({ kind: 'parameter', parameter }));
  if (lesson === undefined) return value;
  if (lesson.forbidden && !parameter.required) return undefined;
  if (value === undefined && !lesson.required) return undefined;
  const { tools } = teaching;
  for (const candidate of valuesFor(teaching, lesson, parameter.name, parameter.schema, value)) {
    if (parameter.schema === undefined || tools.judge.accepts(parameter.schema, 'request', candidate)) {
      return candidate;
    }
  }
  return value;
}

function* valuesFor(
  { tools, referencesFor, count }: Teaching,
  lesson: Lesson,
  name: string,
  schema: Pointer | undefined,
  now: unknown,
): Generator<unknown> {
  const { keywords, reference, unique, wrong } = lesson;
  if (reference > 0 || (/ids?$/i.test(name) && (wrong > 0 || now === undefined))) {
    const known = referencesFor(name, schema);
    const at = Math.max(0, reference + wrong - 1);
    const value = known[at % Math.max(1, known.length)];
    if (value !== undefined) yield* Array.isArray(now) ? [[value]] : [value, [value]];
  }
  if (Array.isArray(keywords.enum)) {
    const members = keywords.enum.filter((member) => member !== now);
    yield* members.slice(wrong % Math.max(1, members.length));
    yield* members.map(String);
  }
  const build = (variant: number): unknown => {
    const also = { ...keywords };
    delete also.enum;
    const tag = unique > 0 || count > 0 ? `${tools.tag}-${freshOf(tools, count + unique)}` : tools.tag;
    const seed = tools.seed + unique + wrong + count;
    const plain = buildFrom(tools, schema, { tag, seed, variant, optional: wrong % 2 === 1 }, name, also);
    // What is wanted has something in it.
    const isEmpty = Array.isArray(plain) ? plain.length === 0 : isObject(plain) && Object.keys(plain).length === 0;
    return isEmpty || plain === null
      ? buildFrom(tools, schema, { tag, seed, variant, optional: true }, name, also)
      : plain;
  };
  if (unique > 0 && isScalar(now)) {
    const fresh = freshOf(tools, count + unique);
    if (typeof now === 'number') yield now + 1_000 + unique;
    else {
      yield `${now}-${fresh}`;
      yield `${now}${fresh.replaceAll(/[^a-z]/g, '')}`;
    }
  }
  const wanted = now === undefined || Object.keys(keywords).length > 0 || wrong > 0 || unique > 0;
  if (wanted) for (const variant of [wrong, wrong + 1, 0]) yield build(variant);
}

/** Different in each run and at each call, and the same for the same clock. */
export function freshOf({ now, seed }: DataTools, count: number): string {
  return `${Math.floor(now / 1_000 + (seed % 1_000)).toString(36)}${count.toString(36)}`;
}

function removeAt(value: unknown, [token, ...rest]: readonly string[]): unknown {
  if (token === undefined) return value;
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === token ? removeAt(item, rest) : item));
  if (!isObject(value)) return value;
  if (rest.length > 0) return { ...value, [token]: removeAt(value[token], rest) };
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== token));
}

function addAt(value: unknown, [token, ...rest]: readonly string[], made: unknown): unknown {
  if (token === undefined) return made;
  if (/^\d+$/.test(token)) {
    const list = Array.isArray(value) ? value : [];
    return [addAt(list[0], rest, made), ...list.slice(1)];
  }
  const object = isObject(value) ? value : {};
  return { ...object, [token]: addAt(object[token], rest, made) };
}
