import { type ContractDocument, isObject, type JsonObject, readPointer } from '@lockstep/json/json-pointer';
import type { JudgeValue } from '@lockstep/runtime/validation/judge-value';
import { readPattern } from '@lockstep/runtime/validation/read-pattern';
import { makeTexts, samplePattern } from './make-text.ts';

export type MadeValue =
  | { readonly kind: 'value'; readonly value: unknown }
  /** Nothing that was tried fits: most often because nothing can. */
  | { readonly kind: 'hopeless'; readonly why: string };

/** @param seed 0, or left out: the plainest value, always the same; any other number: one of many */
export type MakeValue = (schema: unknown, seed?: number) => MadeValue;

/** Schemas that a value must fit all at once. */
type Demands = readonly unknown[];

/** Beyond this, no value of a contract is needed; a schema that requires itself without end stops here. */
const deepest = 24;

/** Members that nobody requires are made down to here: a tree that is all of them grows with every level. */
const deepestOptional = 3;

/** Schemas looked at for one value, about 20 ms of them. */
const mostSteps = 1_200;

/** Alternatives within alternatives, for one value: more are a circle. */
const mostChoices = 40;

/** Longer lists repeat one item. */
const mostDifferentItems = 100;

/** More items than this no answer has: a list of 300 million would fill the memory before the mock is ready. */
const mostItems = 10_000;

/**
 * Makes values that fit a schema, by trying: each part of a value is made in the plainest way first and judged, and what doesn't fit is
 * made in the next way. Work is bounded: a schema for which nothing is found in time is told as hopeless.
 *
 * Written here because the generators at hand follow a format and ignore the pattern beside it, don't know `not`, `if`, `oneOf` that
 * excludes, or `contains`, and don't end on schemas that refer to themselves.
 */
export function createValueMaker(document: ContractDocument, judge: JudgeValue): MakeValue {
  return (schema, seed = 0) => {
    let made: MadeValue = { kind: 'hopeless', why: '' };
    // What is optional may be what costs too much, or what contradicts.
    for (const optionalDepth of [deepestOptional, 1, 0]) {
      made = createAttempt(document, judge, seed, optionalDepth)(schema);
      if (made.kind === 'value') return made;
    }
    return made;
  };
}

interface Place {
  readonly depth: number;
  /** References on the way from the root. */
  readonly refs: ReadonlySet<string>;
}

interface Flat {
  /** Schemas without reference or composition. */
  readonly parts: readonly JsonObject[];
  /** Of each list one alternative must be taken. */
  readonly choices: readonly (readonly unknown[])[];
  readonly refs: ReadonlySet<string>;
}

const hopeless = (why: string): MadeValue => ({ kind: 'hopeless', why });

function createAttempt(
  document: ContractDocument,
  judge: JudgeValue,
  seed: number,
  optionalDepth: number,
): (schema: unknown) => MadeValue {
  const random = createRandom(seed);
  let steps = 0;
  /** Why the last member could not be made. */
  let because: string | undefined;
  return (schema) => make([schema], { depth: 0, refs: new Set() });

  function make(demands: Demands, place: Place): MadeValue {
    steps += 1;
    if (steps > mostSteps) return hopeless('no value was found in time');
    if (place.depth > deepest) return hopeless('it asks for a value in itself without end');
    const flat = flatten(document, demands, place.refs);
    if (flat === undefined) return hopeless('nothing is allowed here');
    return choose(demands, flat, { ...place, refs: flat.refs });
  }

  function choose(demands: Demands, flat: Flat, place: Place, chosen = 0): MadeValue {
    const [choice, ...others] = flat.choices;
    if (choice === undefined) return makeSimple(demands, flat.parts, place);
    let last: MadeValue = hopeless('no alternative can be had');
    for (const alternative of order(choice, place)) {
      if (steps > mostSteps || chosen > mostChoices) break;
      steps += 1;
      const inner = flatten(document, [alternative], place.refs);
      if (inner === undefined) continue;
      const made = choose(
        demands,
        { parts: [...flat.parts, ...inner.parts], choices: [...inner.choices, ...others], refs: inner.refs },
        { ...place, refs: inner.refs },
        chosen + 1,
      );
      if (made.kind === 'value') return made;
      last = made;
    }
    return last;
  }

  /** What leads back to where one is comes last, `null` after all that says more. */
  function order(alternatives: readonly unknown[], { refs, depth }: Place): readonly unknown[] {
    const cost = (alternative: unknown): number => {
      const { $ref, type } = isObject(alternative) ? alternative : {};
      if (typeof $ref === 'string' && refs.has($ref)) return 3;
      if (type === 'null') return depth > deepestOptional ? 0 : 2;
      return depth > deepestOptional && typeof $ref === 'string' ? 2 : 1;
    };
    const shuffled = seed === 0 ? alternatives : shuffle(alternatives, random);
    return shuffled.toSorted((a, b) => cost(a) - cost(b));
  }

  /** The first way of making it that fits everything asked for. */
  function makeSimple(demands: Demands, parts: readonly JsonObject[], place: Place): MadeValue {
    let why: string | undefined;
    for (const value of propose(parts, place)) {
      const fault = demands.map((demand) => judge(value, demand)).find((found) => found !== undefined);
      // What an alternative asks for stands in the parts alone.
      const own = fault ?? parts.map((part) => judge(value, part)).find((found) => found !== undefined);
      // JSON has no -0.
      if (own === undefined) return { kind: 'value', value: value === 0 ? 0 : value };
      why ??= `${own.at === '' ? '' : `${own.at}: `}${own.why}`;
      steps += 1;
      if (steps > mostSteps) break;
    }
    return hopeless(why ?? because ?? 'nothing fits all that is asked for');
  }

  function* propose(parts: readonly JsonObject[], place: Place): Generator<unknown> {
    const fixed = parts.flatMap((part) => ('const' in part ? [part.const] : []));
    const listed = parts.flatMap((part) => (Array.isArray(part.enum) ? part.enum : []));
    if (fixed.length > 0) return yield* fixed.slice(0, 1);
    if (listed.length > 0) return yield* seed === 0 ? listed : shuffle(listed, random);
    if (seed === 0) yield* parts.flatMap(documentedValues);
    const types = allowedTypes(parts);
    for (const type of types) {
      if (type === 'string') yield* makeTexts(parts, seed === 0 ? 0 : 1 + Math.floor(random() * 1e6));
      else if (type === 'object') yield* proposeObjects(parts, place);
      else if (type === 'array') yield* proposeLists(parts, place);
      else if (type === 'boolean') yield* seed !== 0 && random() < 0.5 ? [false, true] : [true, false];
      else if (type === 'null') yield null;
      else yield* proposeNumbers(parts, type === 'integer', seed === 0 ? undefined : random);
    }
  }

  function* proposeObjects(parts: readonly JsonObject[], place: Place): Generator<unknown> {
    const required = new Set(parts.flatMap((part) => namesOf(part.required)));
    const described = new Set(parts.flatMap(({ properties }) => Object.keys(isObject(properties) ? properties : {})));
    const least = Math.max(0, ...parts.map(({ minProperties }) => Number(minProperties ?? 0)));
    const most = Math.min(...parts.map(({ maxProperties }) => Number(maxProperties ?? Infinity)));
    const made = new Map<string, unknown>();
    const isOptionalMade = place.depth < optionalDepth;
    for (const name of required) {
      const member = makeMember(parts, name, place);
      if (member.kind === 'hopeless') {
        because = member.why;
        return;
      }
      made.set(name, member.value);
    }
    const whole = new Map(made);
    const optional = [...described].filter((name) => !required.has(name));
    for (const name of optional) {
      if (whole.size >= most || !(isOptionalMade || whole.size < least)) break;
      if (seed !== 0 && random() < 0.3 && whole.size >= least) continue;
      const schemas = memberDemands(parts, name);
      if (whole.size >= least && schemas.some((schema) => leadsBack(schema, place))) continue;
      const member = makeMember(parts, name, place);
      if (member.kind === 'value') whole.set(name, member.value);
    }
    for (const name of extraNames(parts)) {
      if (whole.size >= least || whole.has(name)) continue;
      const member = makeMember(parts, name, place);
      if (member.kind === 'value') whole.set(name, member.value);
    }
    addDependents(whole);
    yield Object.fromEntries(whole);
    addDependents(made);
    yield Object.fromEntries(made);
    for (const [name, value] of whole) yield Object.fromEntries([...made, [name, value]]);
    for (const name of whole.keys())
      if (!required.has(name)) yield Object.fromEntries([...whole].filter(([other]) => other !== name));
    // What is not described may be forbidden by what a schema beside it excludes.
    for (const name of ['a', 'b']) yield Object.fromEntries([...made, [name, 'string']]);

    function addDependents(object: Map<string, unknown>): void {
      for (const { dependentRequired } of parts)
        for (const [name, needed] of Object.entries(isObject(dependentRequired) ? dependentRequired : {}))
          for (const other of object.has(name) ? namesOf(needed) : []) {
            const member = object.has(other) ? undefined : makeMember(parts, other, place);
            if (member?.kind === 'value') object.set(other, member.value);
          }
    }
  }

  function makeMember(parts: readonly JsonObject[], name: string, { depth, refs }: Place): MadeValue {
    return make(memberDemands(parts, name), { depth: depth + 1, refs });
  }

  function leadsBack(schema: unknown, { refs }: Place): boolean {
    if (!isObject(schema)) return false;
    const { $ref, items } = schema;
    return (
      (typeof $ref === 'string' && refs.has($ref)) || (items !== undefined && leadsBack(items, { refs, depth: 0 }))
    );
  }

  function* proposeLists(parts: readonly JsonObject[], place: Place): Generator<unknown> {
    const inner = { depth: place.depth + 1, refs: place.refs };
    const least = Math.max(0, ...parts.map(({ minItems }) => Number(minItems ?? 0)));
    const most = Math.min(...parts.map(({ maxItems }) => Number(maxItems ?? Infinity)));
    const isUnique = parts.some(({ uniqueItems }) => uniqueItems === true);
    const contained = parts.flatMap(({ contains, minContains }) =>
      contains === undefined
        ? []
        : Array.from({ length: Math.min(Number(minContains ?? 1), mostDifferentItems) }, () => contains),
    );
    const prefix = Math.max(
      0,
      ...parts.map(({ prefixItems }) => (Array.isArray(prefixItems) ? prefixItems.length : 0)),
    );
    if (least > mostItems) {
      because = 'it asks for more items than are made';
      return;
    }
    const wanted = place.depth < optionalDepth ? 1 + Math.floor(seed === 0 ? 0 : random() * 3) : 0;
    const lengths = new Set([
      Math.max(least, contained.length, Math.min(Math.max(wanted, prefix), most)),
      least + contained.length,
      least,
    ]);
    for (const length of lengths) {
      const items = makeItems(length);
      if (items !== undefined) yield items;
    }
    if (least === 0) yield [];

    function makeItems(length: number): unknown[] | undefined {
      const items: unknown[] = [];
      while (items.length < length) {
        const index = items.length;
        const asked = contained.length > 0 && length - index <= contained.length ? [contained[length - index - 1]] : [];
        const demands = [...itemDemands(parts, index), ...asked];
        const made = isUnique ? makeAnother(demands, items) : make(demands, inner);
        if (made.kind === 'hopeless') return undefined;
        items.push(made.value);
        // All that follow are asked for the same.
        const isRest = !isUnique && contained.length === 0 && index >= prefix;
        if (isRest && length - items.length > mostDifferentItems) while (items.length < length) items.push(made.value);
      }
      return items;
    }

    function makeAnother(demands: Demands, items: readonly unknown[]): MadeValue {
      const others = { not: { enum: items } };
      const made = make(items.length === 0 ? demands : [...demands, others], inner);
      if (made.kind === 'value' || items.length === 0) return made;
      const known = new Set(items.map((item) => JSON.stringify(item)));
      for (let turn = 1; turn < 40 && steps < mostSteps; turn += 1) {
        const another = createAttempt(document, judge, seed + items.length * 64 + turn, 1)({ allOf: demands });
        steps += 20;
        if (another.kind === 'value' && !known.has(JSON.stringify(another.value))) return another;
      }
      return made;
    }
  }
}

/** @returns undefined where nothing is allowed */
function flatten(document: ContractDocument, demands: Demands, known: ReadonlySet<string>): Flat | undefined {
  const parts: JsonObject[] = [];
  const choices: (readonly unknown[])[] = [];
  const refs = new Set(known);
  const seen = new Set<unknown>();
  return demands.every(add) ? { parts, choices, refs } : undefined;

  function add(schema: unknown): boolean {
    if (schema === false) return false;
    if (!isObject(schema) || seen.has(schema)) return true;
    seen.add(schema);
    const { $ref, allOf, anyOf, oneOf, if: condition, discriminator, ...own } = schema;
    parts.push(own);
    for (const list of [anyOf, oneOf])
      if (Array.isArray(list) && list.length > 0) choices.push(discriminate(list, discriminator));
    if (condition !== undefined)
      choices.push([{ allOf: [condition, schema.then ?? true] }, { not: condition, allOf: [schema.else ?? true] }]);
    for (const [name, part] of Object.entries(isObject(schema.dependentSchemas) ? schema.dependentSchemas : {}))
      choices.push([{ required: [name], allOf: [part] }, { properties: { [name]: false } }]);
    if (typeof $ref === 'string') {
      refs.add($ref);
      if (!add(readPointer(document, $ref))) return false;
    }
    return !Array.isArray(allOf) || allOf.every(add);
  }
}

/** Each form with the value of the member that names it (OpenAPI 3.1, 4.8.25), then as it is. */
function discriminate(forms: readonly unknown[], discriminator: unknown): readonly unknown[] {
  const { propertyName, mapping } = isObject(discriminator) ? discriminator : {};
  if (typeof propertyName !== 'string') return forms;
  const targets = Object.entries(isObject(mapping) ? mapping : {});
  const named = forms.flatMap((form) => {
    const $ref = isObject(form) ? form.$ref : undefined;
    if (typeof $ref !== 'string') return [];
    const name = $ref.split('/').at(-1) ?? '';
    const tag = targets.find(([, target]) => target === $ref || target === name)?.[0] ?? name;
    return [{ allOf: [form], properties: { [propertyName]: { const: tag } } }];
  });
  return [...named, ...forms];
}

const everyType = ['string', 'object', 'array', 'integer', 'boolean', 'number', 'null'] as const;
type Type = (typeof everyType)[number];

/** Keywords that speak of one type alone: where no type is named, it is meant. */
const tellingKeywords: readonly { readonly type: Type; readonly names: readonly string[] }[] = [
  { type: 'object', names: ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties'] },
  { type: 'array', names: ['items', 'prefixItems', 'minItems', 'contains', 'uniqueItems'] },
  { type: 'string', names: ['pattern', 'minLength', 'maxLength', 'format'] },
  { type: 'integer', names: ['minimum', 'maximum', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum'] },
];

/** In the order in which they are tried. */
function allowedTypes(parts: readonly JsonObject[]): readonly Type[] {
  const named = parts.flatMap(({ type }) => (type === undefined ? [] : [[type].flat()]));
  const [first] = named;
  const meant = tellingKeywords.filter(({ names }) =>
    parts.some((part) => names.some((name) => part[name] !== undefined)),
  );
  // As a contract lists them, but for `null`, which says least.
  const candidates = first === undefined ? [...meant.map(({ type }) => type), ...everyType] : [...first, ...everyType];
  const isAllowed = (type: unknown): type is Type =>
    named.every((types) => types.some((one) => one === type || (one === 'number' && type === 'integer')));
  const allowed = [...new Set(candidates)].filter(isAllowed);
  return [...allowed.filter((type) => type !== 'null'), ...allowed.filter((type) => type === 'null')];
}

function documentedValues({ example, examples, default: usual }: JsonObject): readonly unknown[] {
  return [example, ...(Array.isArray(examples) ? examples : []), usual].filter((value) => value !== undefined);
}

/** All that several schemas say of one member. */
function memberDemands(parts: readonly JsonObject[], name: string): Demands {
  return parts.flatMap(({ properties, patternProperties, additionalProperties }): Demands => {
    const own = isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
    const matching = Object.entries(isObject(patternProperties) ? patternProperties : {})
      .filter(([pattern]) => matches(pattern, name))
      .map(([, schema]) => schema);
    const known = [...own, ...matching];
    return known.length > 0 || additionalProperties === undefined ? known : [additionalProperties];
  });
}

function itemDemands(parts: readonly JsonObject[], index: number): Demands {
  return parts.flatMap(({ prefixItems, items }): Demands => {
    const prefix = Array.isArray(prefixItems) ? prefixItems : [];
    return index < prefix.length ? [prefix[index]] : items === undefined ? [] : [items];
  });
}

/** Names for members that nobody has described, where a number of them is asked for. */
function extraNames(parts: readonly JsonObject[]): readonly string[] {
  const patterns = parts.flatMap(({ patternProperties }) =>
    Object.keys(isObject(patternProperties) ? patternProperties : {}),
  );
  const named = parts.flatMap(({ propertyNames }) => (isObject(propertyNames) ? [propertyNames] : []));
  const numbered = Array.from({ length: 12 }, (_, index) => `member${index + 1}`);
  return [
    ...patterns.flatMap((pattern) => samplePattern(pattern, 0)),
    ...named.flatMap((schema) => [...makeTexts([schema], 0)]),
    ...named.flatMap((schema) => (Array.isArray(schema.enum) ? schema.enum.map(String) : [])),
    ...['a', 'b', 'c'],
    ...numbered,
  ];
}

function* proposeNumbers(
  parts: readonly JsonObject[],
  isInteger: boolean,
  random: (() => number) | undefined,
): Generator<number> {
  const bounds = (names: readonly string[]): number[] =>
    parts.flatMap((part) => names.flatMap((name) => (typeof part[name] === 'number' ? [part[name]] : [])));
  const least = Math.max(-Infinity, ...bounds(['minimum', 'exclusiveMinimum']));
  const most = Math.min(Infinity, ...bounds(['maximum', 'exclusiveMaximum']));
  const step = Math.max(...bounds(['multipleOf']), isInteger ? 1 : 0);
  const from = Number.isFinite(least) ? least : Number.isFinite(most) ? most - 100 : 0;
  const to = Number.isFinite(most) ? most : from + 100;
  if (random !== undefined) {
    const value = from + random() * (to - from);
    yield isInteger ? Math.round(value) : Number(value.toFixed(2));
    if (step > 0) yield Math.round(value / step) * step;
  }
  yield* [0, 1];
  if (step > 0) {
    const first = Math.ceil(from / step);
    for (const multiple of [first, first + 1, Math.floor(to / step), Math.floor(to / step) - 1])
      yield Number((multiple * step).toPrecision(15));
    const product = bounds(['multipleOf']).reduce((whole, one) => whole * one, 1);
    for (const multiple of [Math.ceil(from / product), Math.ceil(from / product) + 1]) yield multiple * product;
  }
  yield* [from, to, (from + to) / 2, Math.ceil(from), Math.floor(to), from + 1, from + 0.5, to - 1, -1, 2, 3, 10, 0.5];
}

function namesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function matches(pattern: string, name: string): boolean {
  try {
    return readPattern(pattern).test(name);
  } catch {
    return false;
  }
}

function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

/** Mulberry32: 32 bits of state, enough to tell one mock answer from another. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
