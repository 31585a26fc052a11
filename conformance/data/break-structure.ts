// The ways in which a list or an object, or a composition of schemas, breaks one keyword.
import { isNever, negated } from '@lockstep/values/negate';
import { freeNameOf, isSchema, type Schema, schemasIn } from '@lockstep/values/shape';
import { arrayAt, isObject, type JsonObject, memberOf, objectAt } from '../contract/document.ts';
import { type Breaker, type Breaking, ranks, type Way } from './break-scalar.ts';

/** Larger lists and objects are not sent. */
const mostParts = 1_000;

/** Pairs of branches that are tried for one `oneOf`. */
const mostPairs = 6;

export const structureBreakers: Readonly<Record<string, Breaker>> = {
  required: {
    rank: ranks.required,
    type: 'object',
    isEach: true,
    *ways({ schema, value }) {
      for (const name of arrayAt(schema, 'required')) yield without(value, String(name));
    },
  },
  dependentRequired: { rank: ranks.required, type: 'object', isEach: true, ways: breakDependent },
  additionalProperties: { rank: ranks.rest, type: 'object', ways: addUndeclared },
  unevaluatedProperties: { rank: ranks.rest, type: 'object', ways: addUndeclared },
  properties: {
    rank: ranks.rest,
    type: 'object',
    isEach: true,
    ways: addForbidden,
    isBroken: ({ schema }, value) => forbiddenIn(schema).some(({ name }) => memberOf(value, name) !== undefined),
  },
  propertyNames: { rank: ranks.rest, type: 'object', ways: addInvalidName },
  minProperties: { rank: ranks.length, type: 'object', ways: removeMembers },
  maxProperties: { rank: ranks.length, type: 'object', ways: addMembers },
  minItems: {
    rank: ranks.length,
    type: 'array',
    *ways({ schema, value }) {
      const least = Number(schema.minItems);
      if (least > 0) yield { how: 'one item too few', candidates: [listOf(value).slice(0, least - 1)] };
    },
  },
  maxItems: { rank: ranks.length, type: 'array', ways: addItems },
  uniqueItems: { rank: ranks.rest, type: 'array', ways: repeatItem },
  items: {
    rank: ranks.rest,
    type: 'array',
    ways: addClosedItem,
    // Without `prefixItems`, the judge names each item.
    isBroken: ({ schema }, value) => listOf(value).length > arrayAt(schema, 'prefixItems').length,
  },
  unevaluatedItems: { rank: ranks.rest, type: 'array', ways: addClosedItem },
  contains: { rank: ranks.rest, type: 'array', ways: removeContained },
  maxContains: { rank: ranks.rest, type: 'array', judgedAs: 'contains', ways: addContained },
  anyOf: {
    rank: ranks.choice,
    *ways(breaking) {
      const branches = schemasIn(breaking.schema.anyOf);
      yield { how: 'no branch of anyOf holds', candidates: made(breaking, branches.map(negated)) };
    },
    isBroken: ({ schema, holds }, value) => !schemasIn(schema.anyOf).some((branch) => holds(branch, value)),
  },
  oneOf: {
    rank: ranks.choice,
    *ways(breaking) {
      const branches = schemasIn(breaking.schema.oneOf);
      yield { how: 'no branch of oneOf holds', candidates: made(breaking, branches.map(negated)) };
      const pairs = branches.flatMap((one, index) => branches.slice(index + 1).map((other) => [one, other]));
      const both = pairs.slice(0, mostPairs).values();
      yield { how: 'two branches of oneOf hold', candidates: both.flatMap((pair) => made(breaking, pair)) };
    },
    isBroken: ({ schema, holds }, value) =>
      schemasIn(schema.oneOf).filter((branch) => holds(branch, value)).length !== 1,
  },
  not: {
    rank: ranks.rest,
    *ways(breaking) {
      const excluded = breaking.schema.not;
      if (isSchema(excluded)) yield { how: 'the excluded schema holds', candidates: made(breaking, [excluded]) };
    },
  },
};

/** A value that satisfies the other keywords of the schema, and further schemas. */
function* made({ keyword, schema, build }: Breaking, also: readonly Schema[]): Iterable<unknown> {
  const { [keyword]: _, $id: __, ...rest } = schema;
  yield build({ ...rest, allOf: [...schemasIn(rest.allOf), ...also] });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function membersOf(value: unknown): readonly (readonly [name: string, value: unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}

function without(value: unknown, name: string): Way {
  const rest = membersOf(value).filter(([other]) => other !== name);
  return { how: `without ${JSON.stringify(name)}`, candidates: [Object.fromEntries(rest)] };
}

/** The object with more members. Names such as `__proto__` are members too. */
function withMembers(value: unknown, added: readonly (readonly [name: string, value: unknown])[]): JsonObject {
  return Object.fromEntries([...membersOf(value), ...added]);
}

function* breakDependent({ schema, value, build }: Breaking): Iterable<Way> {
  for (const [name, needed] of Object.entries(objectAt(schema, 'dependentRequired'))) {
    const isPresent = isObject(value) && Object.hasOwn(value, name);
    const { $id: _, ...rest } = schema;
    const whole = isPresent ? value : build({ ...rest, required: [...arrayAt(schema, 'required'), name] });
    for (const other of Array.isArray(needed) ? needed : []) {
      const { how, candidates } = without(whole, String(other));
      yield { how: `${JSON.stringify(name)} ${how}`, candidates };
    }
  }
}

function* addUndeclared({ keyword, schema, value, shape, wire }: Breaking): Iterable<Way> {
  if (schema[keyword] !== false) return;
  const names = ['undeclared', 'x-undeclared', '0'].map((name) => freeNameOf(shape, name));
  const extra = wire === 'json' ? [true, 'word'] : ['word'];
  const candidates = names.flatMap((name) => extra.map((one) => withMembers(value, [[name, one]])));
  yield { how: 'an undeclared property', candidates };
}

/** Properties that no value may have: a condition often forbids one by `false`, or by `not` of everything. */
function forbiddenIn(schema: JsonObject): readonly Required<Way>['forbidden'][] {
  return Object.entries(objectAt(schema, 'properties')).flatMap(([name, part]) => {
    if (part === false) return [{ name, by: [] }];
    const excluded = memberOf(part, 'not');
    const isAll = excluded === true || (isObject(excluded) && Object.keys(excluded).length === 0);
    return isAll ? [{ name, by: ['not'] }] : [];
  });
}

function* addForbidden({ schema, value, shape, build }: Breaking): Iterable<Way> {
  for (const forbidden of forbiddenIn(schema)) {
    const { name } = forbidden;
    const others = (shape.properties.get(name) ?? []).filter((part) => !isNever(part));
    const member = build({ allOf: others }) ?? 'word';
    const how = `${JSON.stringify(name)}, which is forbidden here`;
    yield { how, candidates: [withMembers(value, [[name, member]])], forbidden };
  }
}

function* addInvalidName({ schema, value, shape, holds, member }: Breaking): Iterable<Way> {
  const part = schema.propertyNames;
  if (!isSchema(part)) return;
  const names = ['undeclared', 'UNDECLARED', 'not-declared', '0', 'a b', '!', 'x', 'x'.repeat(300)]
    .map((name) => freeNameOf(shape, name))
    .filter((name) => !holds(part, name));
  const candidates = names.values().map((name) => withMembers(value, [[name, member(name) ?? 'word']]));
  yield { how: 'an invalid name of a property', candidates };
}

function* removeMembers({ schema, value, shape }: Breaking): Iterable<Way> {
  const least = Number(schema.minProperties);
  if (!(least > 0)) return;
  const all = membersOf(value);
  const kept = all.filter(([name]) => shape.required.has(name));
  const others = all.filter(([name]) => !shape.required.has(name));
  const fewer = Object.fromEntries([...kept, ...others].slice(0, least - 1));
  yield { how: 'one property too few', candidates: [fewer] };
}

function* addMembers({ schema, value, shape, member }: Breaking): Iterable<Way> {
  const greatest = Number(schema.maxProperties);
  const present = isObject(value) ? Object.keys(value) : [];
  if (!(greatest < mostParts)) return;
  const declared = [...shape.properties.keys()].filter((name) => !present.includes(name));
  const free = Array.from({ length: greatest + 1 }, (_, index) => freeNameOf(shape, `key${index}`));
  const isFree = (name: string): boolean => !present.includes(name);
  const added = function* (names: readonly string[]): Iterable<unknown> {
    const members = names.values().map((name) => [name, member(name)] as const);
    const some = members.filter(([, one]) => one !== undefined).take(Math.max(0, greatest + 1 - present.length));
    yield withMembers(value, [...some]);
  };
  const names = [...declared, ...free.filter(isFree)];
  yield { how: 'one property too many', candidates: added(names) };
}

function* addItems({ schema, value, build }: Breaking): Iterable<Way> {
  const length = Number(schema.maxItems) + 1;
  if (!(length <= mostParts)) return;
  const { $id: _, maxItems: __, ...rest } = schema;
  const candidates = function* (): Iterable<unknown> {
    const own = listOf(value);
    const longer = listOf(build({ ...rest, type: 'array', minItems: length }));
    if (longer.length < length) return;
    yield [...own, ...longer.slice(own.length)].slice(0, length);
    yield longer.slice(0, length);
  };
  yield { how: 'one item too many', candidates: candidates() };
}

function* repeatItem({ schema, value, build }: Breaking): Iterable<Way> {
  if (schema.uniqueItems !== true) return;
  const { $id: _, ...rest } = schema;
  const candidates = function* (): Iterable<unknown> {
    const own = listOf(value);
    if (own.length > 0) yield [...own, own[0]];
    if (own.length > 1) yield [...own.slice(0, -1), own[0]];
    const pair = listOf(build({ ...rest, type: 'array', minItems: Math.max(2, Number(rest.minItems ?? 0)) }));
    if (pair.length > 1) yield [...pair.slice(0, -1), pair[0]];
  };
  yield { how: 'an item twice', candidates: candidates() };
}

/** Branches may declare more items. */
const mostFurther = 4;

function* addClosedItem({ keyword, schema, value, shape, build }: Breaking): Iterable<Way> {
  if (schema[keyword] !== false) return;
  const { $id: _, [keyword]: __, ...rest } = schema;
  const own = listOf(value);
  const least = Math.max(own.length, ...shape.lists.map(({ prefix }) => prefix.length)) + 1;
  const lengths = Array.from({ length: mostFurther }, (_, index) => least + index).values();
  const candidates = lengths.flatMap((length) => {
    const longer = listOf(build({ ...rest, type: 'array', minItems: length }));
    return [[...own, ...longer.slice(own.length)], longer].filter((list) => list.length >= length);
  });
  yield { how: 'an item after the last declared one', candidates };
}

function* removeContained({ schema, value, build, holds }: Breaking): Iterable<Way> {
  const part = schema.contains;
  const least = Number(schema.minContains ?? 1);
  if (!isSchema(part) || !(least > 0)) return;
  const { $id: _, contains: __, minContains: ___, maxContains: ____, ...rest } = schema;
  const candidates = function* (): Iterable<unknown> {
    const others = listOf(value).filter((item) => !holds(part, item));
    const contained = listOf(value).filter((item) => holds(part, item));
    yield [...contained.slice(0, least - 1), ...others];
    const few = least === 1 ? { items: negated(part) } : { contains: part, maxContains: least - 1, minContains: 0 };
    yield build({ ...rest, type: 'array', allOf: [...schemasIn(rest.allOf), few] });
  };
  yield { how: 'too few items that contains asks for', candidates: candidates() };
}

function* addContained({ schema, value, build, holds }: Breaking): Iterable<Way> {
  const part = schema.contains;
  const greatest = Number(schema.maxContains);
  if (!isSchema(part) || !(greatest < mostParts)) return;
  const { $id: _, maxContains: __, ...rest } = schema;
  const candidates = function* (): Iterable<unknown> {
    const contained = listOf(value).filter((item) => holds(part, item));
    const [first] = contained;
    const missing = greatest + 1 - contained.length;
    if (first !== undefined) yield [...listOf(value), ...Array.from({ length: missing }, () => first)];
    yield build({ ...rest, type: 'array', minContains: greatest + 1 });
  };
  yield { how: 'too many items that contains counts', candidates: candidates() };
}
