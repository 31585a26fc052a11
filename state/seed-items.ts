import { followMember, followRef, isObject, type JsonObject, readPointer } from '@lockstep/json/json-pointer';
import { type ContractTools, jsonContentOf, type StateOperation, successOf } from './contract-tools.ts';
import type { Below, Model, Plan } from './infer-roles.ts';
import { once } from './once.ts';
import { isSameIds } from './owners.ts';
import { type SchemaReader, valueAtPlace } from './read-schemas.ts';
import { idNames, idNodeOf, type Resource, readKey } from './resource.ts';
import { readIds } from './template.ts';

/** An item of the contract's examples, or made by its schema. */
export interface Seed {
  readonly parents: readonly string[];
  /** Undefined if the item has no id yet. */
  readonly key: string | undefined;
  /** Ids of owners by other paths of the collection. */
  readonly belongs: Readonly<Record<string, readonly string[]>>;
  readonly value: JsonObject;
  /** False for the item of a sample request, if the examples have others: it exists when it is read first. */
  readonly isListed: boolean;
}

/** Examples of one resource. A list example of a large contract may have hundreds of items. */
const mostSeeds = 50;

/** Addresses of sample requests for which a resource gets an item. */
const mostSamples = 6;

export type Seeds = ReturnType<typeof createSeeds>;

/** Finds the items that a resource has at first: those of the examples, and those that the sample requests of the contract name. */
export function createSeeds(tools: ContractTools, reader: SchemaReader, { plans, below }: Model) {
  const all = [...plans.values()];
  const known = new Map<Resource, readonly Seed[]>();
  const donorOf = once((resource: Resource): JsonObject => examplesOf(resource)[0] ?? {});
  const unfitOf = once((resource: Resource): ReadonlySet<string> => {
    const { named, others } = samplesOf(resource);
    return new Set([...named, ...others].filter((ids) => !isValid(resource, ids)).map((ids) => JSON.stringify(ids)));
  });

  return {
    of: seedsOnce,
    /** Whether a sample request names this item, although no item has such an id: a text where ids are numbers. */
    isNamed: (resource: Resource, ids: readonly string[]): boolean => unfitOf(resource).has(JSON.stringify(ids)),
    /** An item of the examples, which proposes values; empty if there is none. */
    donorOf,
  };

  function seedsOnce(resource: Resource): readonly Seed[] {
    const before = known.get(resource);
    if (before !== undefined) return before;
    // A resource may be an owner of itself.
    known.set(resource, []);
    const seeds = seedsOf(resource);
    known.set(resource, seeds);
    return seeds;
  }

  function sampleOf({ operation }: Pick<Plan, 'operation'>, names: readonly string[]): readonly string[] {
    return names.map((name) => String(tools.sampleParameter(operation, name)));
  }

  /** Ids of owners and item in the sample requests of operations with a role, and in those of the others. */
  function samplesOf(resource: Resource) {
    const count = resource.parents.length;
    const ownedIn = ({ operation, parents, parameters }: Below): readonly (readonly string[])[] =>
      parents.flatMap((owner, index) => {
        if (owner !== resource) return [];
        const values = sampleOf({ operation }, parameters.slice(0, index + 1));
        return count === index ? [values] : count === 0 ? [values.slice(-1)] : [];
      });
    const named = all.flatMap((plan): readonly (readonly string[])[] => {
      const { operation, address, parents, key } = plan;
      const owned = ownedIn({ operation, parents: address.parents, parameters: parents });
      if (address.resource !== resource || key === undefined) return owned;
      const values = sampleOf(plan, [...(parents.length === count ? parents : []), key]);
      return values.length === count + 1 ? [...owned, values] : owned;
    });
    return { named, others: [...below.values()].flatMap(ownedIn) };
  }

  /** Ids of owners and item that items can have. */
  function tuplesOf(resource: Resource): readonly (readonly string[])[] {
    const { named, others } = samplesOf(resource);
    const isOwn = (tuple: readonly string[]): boolean => isValid(resource, tuple);
    const ofPlans = distinct(named.filter(isOwn)).slice(0, mostSamples);
    // All of these: without its owner, the documented request would be rejected.
    return distinct([...ofPlans, ...others.filter(isOwn)]);
  }

  /** Whether items can have the ids of a sample request, which may be placeholders. */
  function isValid({ parents, ...resource }: Resource, ids: readonly string[]): boolean {
    return (
      parents.every((owner, index) => owner === undefined || isId(owner, ids[index])) &&
      (ids.length === parents.length || isId(resource, ids.at(-1)))
    );
  }

  function isId(resource: Pick<Resource, 'idPlace' | 'idNodes' | 'views' | 'drafts'>, id = ''): boolean {
    const member = idNodeOf(reader, resource);
    return [...resource.idNodes, ...(member === undefined ? [] : [member])].every((node) =>
      readIds(id).some((value) => reader.accepts(value, node)),
    );
  }

  /** Ids of owners that exist at first. */
  function firstOwners(plan: Plan): readonly string[] {
    const sample = sampleOf(plan, plan.parents);
    return plan.address.parents.map((owner, index) => {
      const given = sample[index] ?? '';
      if (owner === undefined || isId(owner, given)) return given;
      return seedsOnce(owner)[0]?.key ?? given;
    });
  }

  /** Ids of owners that lists show at first; where nothing lists an owner, of one that exists. */
  function listedOwners(plan: Plan): readonly string[] {
    const others = firstOwners(plan);
    const chain: string[] = [];
    for (const [index, owner] of plan.address.parents.entries()) {
      const scope = owner?.parents.length === index ? chain : [];
      const seeds = owner === undefined ? [] : seedsOnce(owner);
      const seed = seeds.find(({ isListed, parents }) => isListed && isSameIds(parents, scope));
      chain.push(seed?.key ?? others[index] ?? '');
    }
    return chain;
  }

  function seedsOf(resource: Resource): readonly Seed[] {
    const own = all.filter(({ address }) => address.resource === resource);
    const tuples = tuplesOf(resource);
    const scoped = own.find(({ address }) => address.parents.length === resource.parents.length);
    const [sample] = tuples;
    const owners = [...(scoped === undefined ? [] : [listedOwners(scoped)]), ...(sample ? [sample.slice(0, -1)] : [])];
    const scopes = distinct(owners.filter((scope) => scope.length === resource.parents.length));
    const views = own.filter(({ address }) => address.parents.length > resource.parents.length);
    const belongs = Object.fromEntries(views.map((plan) => [plan.address.name, listedOwners(plan)]));
    const examples = examplesOf(resource);
    const base = examples[0] ?? madeFor(resource);
    if (resource.kind === 'singleton')
      return scopes.map((parents) => ({ parents, key: '', belongs: {}, value: base, isListed: true }));
    // The member may allow ids that no path can have.
    const baseKey = [readKey(resource, base)].find((key) => isId(resource, key));
    const shown = new Map<string, JsonObject>();
    for (const value of examples) {
      const key = readKey(resource, value);
      if (key !== undefined && shown.size < mostSeeds && !shown.has(key)) shown.set(key, value);
    }
    for (const id of listedIds(own)) if (shown.size < mostSeeds && !shown.has(id)) shown.set(id, base);
    if (shown.size === 0 && baseKey !== undefined && isExampleId(resource, baseKey)) shown.set(baseKey, base);
    const listed = scopes.flatMap((parents) =>
      [...shown].map(([key, value]): Seed => ({ parents, key, value, belongs, isListed: true })),
    );
    const isListed = listed.length === 0;
    const named = tuples.flatMap((tuple): readonly Seed[] => {
      const [parents, key = ''] = [tuple.slice(0, -1), tuple.at(-1)];
      const isKnown = listed.some((one) => one.key === key && isSameIds(one.parents, parents));
      return isKnown ? [] : [{ parents, key, belongs, value: base, isListed }];
    });
    const found = [...listed, ...named];
    const bare = scopes.filter((scope) => !found.some((one) => one.isListed && isSameIds(one.parents, scope)));
    return [...found, ...bare.map((parents) => ({ parents, key: baseKey, belongs, value: base, isListed: true }))];
  }

  function distinct(tuples: readonly (readonly string[])[]): readonly (readonly string[])[] {
    return [...new Map(tuples.map((tuple) => [JSON.stringify(tuple), tuple])).values()];
  }

  /** The examples of a list of ids, or all members of its enum. */
  function listedIds(own: readonly Plan[]): readonly string[] {
    return own.flatMap(({ operation, list, role, address }) => {
      if (role !== 'list' || list === undefined || reader.isObjectNode(reader.itemOf(list.node))) return [];
      const examples = jsonContentOf(successOf(tools, operation))?.examples ?? [];
      const ids = [...examples, ...reader.form.branch(list.node).examples].flatMap((example) => [
        valueAtPlace(example, list.place) ?? example,
      ]);
      const found = ids.length > 0 ? ids : (reader.form.branch(reader.itemOf(list.node)).values ?? []);
      return found
        .flat()
        .filter((id) => typeof id === 'string' || typeof id === 'number')
        .map(String)
        .filter((id) => isId(address.resource, id));
    });
  }

  /** Whether the schema of the id has this example. */
  function isExampleId(resource: Resource, key: string): boolean {
    const node = idNodeOf(reader, resource);
    return node !== undefined && reader.form.branch(node).examples.map(String).includes(key);
  }

  function madeFor({ views }: Resource): JsonObject {
    const [view] = views;
    const made = view === undefined ? undefined : reader.make(view);
    return isObject(made) ? made : {};
  }

  /** Items of the examples of answers, then of requests and schemas. */
  function examplesOf(resource: Resource): readonly JsonObject[] {
    const own = all.filter(({ address, role }) => address.resource === resource && role !== 'action');
    const keys = resource.kind === 'singleton' ? [] : idNames(resource.idParameter, resource.noun);
    const shown = own.flatMap(({ operation, list, entry, role }) => {
      if (role === 'delete') return [];
      const content = jsonContentOf(successOf(tools, operation));
      if (content === undefined) return [];
      const node = reader.nodeOf(content.schema);
      const values = [...content.examples, ...reader.form.branch(node).examples];
      const part = list ?? reader.findItem(node, resource.noun, keys);
      return values
        .flatMap((value) => [valueAtPlace(value, part?.place ?? [])].flat())
        .map((value) => ({ role, value: valueAtPlace(value, entry?.place ?? []) }));
    });
    const described = [...resource.views, ...resource.drafts].flatMap((node) => reader.form.branch(node).examples);
    const inOrder = [
      ...shown.filter(({ role }) => role === 'list').map(({ value }) => value),
      ...shown.filter(({ role }) => role !== 'list').map(({ value }) => value),
      ...described,
    ].filter((value): value is JsonObject => isObject(value) && isUsable(resource, value));
    if (inOrder.length > 0) return fullest(resource, inOrder);
    return own.flatMap(({ operation, draft }) =>
      readBodyExamples(operation)
        .map((value) => valueAtPlace(value, draft?.place ?? []))
        .filter((value): value is JsonObject => isObject(value) && isUsable(resource, value)),
    );
  }

  /** Each item once, with the members of all its examples. */
  function fullest(resource: Resource, examples: readonly JsonObject[]): readonly JsonObject[] {
    const found = new Map<unknown, JsonObject>();
    for (const example of examples) {
      const key = readKey(resource, example) ?? example;
      found.set(key, { ...example, ...found.get(key) });
    }
    return [...found.values()];
  }

  function readBodyExamples({ pointer }: StateOperation): readonly unknown[] {
    const operation = readPointer(tools.document, pointer);
    const body = isObject(operation) ? followMember(tools.document, operation, 'requestBody') : {};
    return Object.values(followMember(tools.document, body, 'content')).flatMap((content) => {
      if (!isObject(content)) return [];
      if (Object.hasOwn(content, 'example')) return [content.example];
      const named = Object.values(followMember(tools.document, content, 'examples'));
      return named.map((one) => followRef(tools.document, one).value);
    });
  }

  /** Whether an answer can show an example with its own id. */
  function isUsable({ views, idPlace, idNodes }: Resource, value: JsonObject): boolean {
    const [view] = views;
    const id = idPlace === undefined ? undefined : valueAtPlace(value, idPlace);
    const isId = typeof id === 'string' || typeof id === 'number';
    const isReachable =
      id === undefined || (isId && idNodes.every((node) => readIds(id).some((one) => reader.accepts(one, node))));
    return isReachable && (view === undefined || reader.isObjectNode(view)) && Object.keys(value).length > 0;
  }
}
