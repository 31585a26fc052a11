import type { JsonObject } from '@lockstep/json/json-pointer';
import type { Random } from '@lockstep/values/random';
import type { IdOf, ItemBuilder, ItemFacts } from './build-item.ts';
import { type Address, idNodeOf, type Resource, readKey } from './find-resources.ts';
import type { Model } from './infer-roles.ts';
import { makeId } from './make-id.ts';
import { type SchemaReader, valueAtPlace } from './read-schemas.ts';
import type { Seeds } from './seed-items.ts';
import type { Limits, Store, StoredItem } from './store.ts';
import { plainName } from './template.ts';

interface MemoryParts {
  readonly reader: SchemaReader;
  readonly model: Model;
  readonly seeds: Seeds;
  readonly builder: ItemBuilder;
  readonly now: () => number;
  readonly random: Random;
  readonly limits: Limits;
  readonly store: Store;
  /** Before the path of each item. */
  readonly prefix: string;
}

export type ItemMemory = ReturnType<typeof createMemory>;

/** The items of all resources, with their owners. A resource gets its first items when it is used first. */
export function createMemory({ reader, model, seeds, builder, now, random, limits, store, prefix }: MemoryParts) {
  /** Names of resources. */
  const seeded = store.names('seeded');
  /** Owners that got the examples of a collection, by name and ids. */
  const seededScopes = store.names('seeded scopes');
  const creatable = new Set(
    [...model.plans.values()].flatMap(({ role, address, success }) =>
      role === 'create' || (role === 'replace' && success?.status === 201) ? [address.resource] : [],
    ),
  );
  /** Resources without the items of the examples. */
  const replaced = new Set<Resource>();
  /** Deleted items, which neither an example nor an open resource brings back. The oldest are forgotten. */
  const gone = store.names('gone', limits.items);

  const factsFor = (resource: Resource, more: Partial<ItemFacts> = {}): ItemFacts => ({
    now: now(),
    donor: seeds.donorOf(resource),
    path: undefined,
    owners: [],
    state: undefined,
    find: findByNoun,
    ...more,
    ...(more.path !== undefined && { path: prefix + more.path }),
  });

  function findByNoun(noun: string, id: unknown): JsonObject | undefined {
    const resource = model.resources.find((one) => one.noun === noun && one.parents.length === 0 && one.hasItemPath);
    if (resource === undefined || !seeded.has(resource.name)) return undefined;
    return store.find(resource.name, [], String(id))?.value;
  }

  const idFor = (resource: Resource, key: string): IdOf | undefined => {
    const { idPlace: place } = resource;
    if (place === undefined) return undefined;
    const node = idNodeOf(reader, resource);
    const isNumber = node !== undefined && reader.isOnly(node, 'number');
    return { place, value: isNumber && Number.isFinite(Number(key)) ? Number(key) : key };
  };

  /** The members of an item that name its owners, by the place of the owner in the path. */
  function ownersOf(
    resource: Resource,
    address: Address,
    parameters: readonly string[],
    values: readonly string[],
  ): readonly IdOf[] {
    return address.parents.flatMap((owner, index): readonly IdOf[] => {
      const value = values[index] ?? '';
      const found = ownerMember(resource, parameters[index] ?? '', owner);
      if (found === undefined) return [];
      const [, node] = found;
      const isNumber = reader.isOnly(node, 'number');
      const own = isNumber && /^\d+$/.test(value) ? Number(value) : value;
      return reader.accepts(own, node) ? [{ place: [found[0]], value: own }] : [];
    });
  }

  function ownerMember({ views, drafts }: Resource, parameter: string, owner: Resource | undefined) {
    const noun = owner?.noun ?? '';
    const wanted = [
      plainName(parameter),
      ...(noun === '' ? [] : [`${noun}id`, `${noun}uuid`, noun, `parent${noun}id`]),
    ].filter((name) => name !== 'id' && name !== 'name');
    for (const view of [...views, ...drafts]) {
      const members = [...reader.membersOf(view)];
      for (const name of wanted) {
        const found = members.find(
          ([own, node]) => plainName(own) === name && !reader.isObjectNode(node) && !reader.isOnly(node, 'array'),
        );
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  const ensureSeeded = (resource: Resource): void => {
    if (seeded.has(resource.name)) return;
    seeded.add(resource.name);
    for (const owner of resource.parents) if (owner !== undefined) ensureSeeded(owner);
    for (const seed of seeds.of(resource)) {
      if (!seed.isListed) continue;
      const key = seed.key ?? String(newId(resource, seed.parents) ?? '1');
      plant(resource, seed.parents, key, seed.value, seed.belongs);
    }
  };

  /** Where every id of an owner exists and nothing creates items, each owner has the examples: no request could fill its list. */
  const ensureScope = (resource: Resource, parents: readonly string[]): void => {
    ensureSeeded(resource);
    const owner = resource.parents.at(-1);
    const isFixed = resource.kind === 'collection' && parents.length > 0 && !creatable.has(resource);
    if (!isFixed || replaced.has(resource) || (owner !== undefined && !model.open.has(owner))) return;
    const name = goneName(resource, parents, '');
    if (seededScopes.has(name)) return;
    seededScopes.add(name);
    const listed = seeds.of(resource).filter((seed) => seed.isListed);
    if (listed.some((seed) => String(seed.parents) === String(parents))) return;
    const [first] = listed;
    for (const seed of listed)
      if (seed.key !== undefined && String(seed.parents) === String(first?.parents))
        plant(resource, parents, seed.key, seed.value, seed.belongs);
  };

  const plant = (
    resource: Resource,
    parents: readonly string[],
    key: string,
    example: JsonObject,
    belongs: StoredItem['belongs'],
  ): StoredItem | undefined => {
    const id = resource.kind === 'singleton' ? undefined : idFor(resource, key);
    const address = { name: resource.name, resource, parents: resource.parents };
    const owners = ownersOf(resource, address, parametersOf(resource), parents);
    const value = builder.adopt(resource, example, id, factsFor(resource, { owners }));
    const time = now();
    const item = { key, parents, belongs, value, isExample: true, version: 1, createdAt: time, changedAt: time };
    return store.put(resource.name, item) ? item : undefined;
  };

  /** Names of the path parameters of the owners. */
  function parametersOf(resource: Resource): readonly string[] {
    const plan = [...model.plans.values()].find(({ address }) => address.name === resource.name);
    return plan?.parents ?? [];
  }

  const goneName = (resource: Resource, parents: readonly string[], key: string): string =>
    JSON.stringify([resource.name, ...parents, key]);

  /** The item with these owners and this id. An open resource has every item that was not deleted. */
  const find = (resource: Resource, parents: readonly string[], key: string): StoredItem | undefined => {
    ensureScope(resource, parents);
    const known = store.find(resource.name, parents, key);
    if (known !== undefined || replaced.has(resource) || gone.has(goneName(resource, parents, key))) return known;
    const sample = seeds
      .of(resource)
      .find((seed) => !seed.isListed && seed.key === key && String(seed.parents) === String(parents));
    if (sample !== undefined) return plant(resource, parents, key, sample.value, sample.belongs);
    const [seed] = seeds.of(resource);
    return seed === undefined || !model.open.has(resource) ? undefined : plant(resource, parents, key, seed.value, {});
  };

  /** The ids of the owners by which an item at this address is stored. */
  const scopeOf = ({ resource, parents }: Address, values: readonly string[]): readonly string[] =>
    parents.length === resource.parents.length ? values : [];

  /** Whether items are at an address with these owners. */
  const belowTest = (
    address: Address,
    values: readonly string[],
    parameters: readonly string[],
  ): ((item: StoredItem) => boolean) => {
    const { resource } = address;
    const owners = String(values);
    if (address.parents.length === resource.parents.length) return ({ parents }) => String(parents) === owners;
    const index = address.parents.length - 1;
    const [name] = ownerMember(resource, parameters[index] ?? '', address.parents[index]) ?? [];
    return ({ belongs, value }) => {
      const known = belongs[address.name];
      return known === undefined
        ? name !== undefined && String(value[name]) === values[index]
        : String(known) === owners;
    };
  };

  function newId(resource: Resource, parents: readonly string[]): string | number | undefined {
    ensureSeeded(resource);
    const { idNodes, idPlace } = resource;
    const member = idNodeOf(reader, resource) ?? idNodes[0] ?? reader.nodeOf({ type: 'string' });
    const count = store.count(resource.name);
    const example = idPlace === undefined ? undefined : valueAtPlace(seeds.donorOf(resource), idPlace);
    const isTaken = (id: string): boolean =>
      store.find(resource.name, parents, id) !== undefined || gone.has(goneName(resource, parents, id));
    return makeId(reader, random, { member, parameters: idNodes, example, count, isTaken });
  }

  /** The items that an item owns, with its place among their owners. */
  function ownedBy(resource: Resource, { parents, key }: StoredItem) {
    const chain = String([...parents, key]);
    return model.resources.flatMap((child) => {
      const index = child.parents.indexOf(resource);
      if (index < 0) return [];
      const isOwned = (own: StoredItem): boolean =>
        index === parents.length ? String(own.parents.slice(0, index + 1)) === chain : own.parents[index] === key;
      return store
        .list(child.name)
        .filter(isOwned)
        .map((own) => ({ child, own, index }));
    });
  }

  return {
    factsFor,
    find,
    scopeOf,
    belowTest,
    ownersOf,
    newId,
    idFor,
    now,
    put: (resource: Resource, item: StoredItem): boolean => {
      const isStored = store.put(resource.name, item);
      if (isStored) gone.delete(goneName(resource, item.parents, item.key));
      return isStored;
    },
    /** Stores an item under another id, with all items that it owns. */
    rename: (resource: Resource, before: StoredItem, item: StoredItem): boolean => {
      store.remove(resource.name, before);
      if (!store.put(resource.name, item)) {
        store.put(resource.name, before);
        return false;
      }
      gone.add(goneName(resource, before.parents, before.key));
      gone.delete(goneName(resource, item.parents, item.key));
      for (const { child, own, index } of ownedBy(resource, before)) {
        const parents = own.parents.map((parent, at) => (at === index ? item.key : parent));
        store.remove(child.name, own);
        store.put(child.name, { ...own, parents });
      }
      return true;
    },
    /** Removes an item and all items that it owns. */
    remove: (resource: Resource, item: StoredItem): void => {
      store.remove(resource.name, item);
      gone.add(goneName(resource, item.parents, item.key));
      for (const { child, own } of ownedBy(resource, item)) store.remove(child.name, own);
    },
    list: (address: Address, values: readonly string[], parameters: readonly string[]): readonly StoredItem[] => {
      ensureScope(address.resource, scopeOf(address, values));
      const all = store.list(address.resource.name);
      return address.parents.length === 0 ? all : all.filter(belowTest(address, values, parameters));
    },
    /**
     * Replaces the examples of a resource by these items of one owner.
     *
     * @returns whether there was room for all
     */
    fill: (resource: Resource, parents: readonly string[], items: readonly JsonObject[]): boolean => {
      seeded.add(resource.name);
      replaced.add(resource);
      // Items with an id come first, so that no made id is one of theirs.
      const [made = [], given = []] = [false, true].map((hasKey) =>
        items.filter((item) => (readKey(resource, item) !== undefined) === hasKey),
      );
      return [...given, ...made].every((item, index) => {
        const key = readKey(resource, item) ?? String(newId(resource, parents) ?? index + 1);
        return plant(resource, parents, key, item, {}) !== undefined;
      });
    },
    isGone: (resource: Resource, parents: readonly string[], key: string): boolean =>
      gone.has(goneName(resource, parents, key)),
    /** Items of an address whose member has this value. */
    findBy: (
      address: Address,
      values: readonly string[],
      parameters: readonly string[],
      member: string,
      value: unknown,
    ): readonly StoredItem[] => {
      ensureSeeded(address.resource);
      const found = store.findBy(address.resource.name, member, value);
      return found.filter(belowTest(address, values, parameters));
    },
    /** Whether the owners of an address exist. @returns the first that does not */
    findMissingOwner: ({ parents }: Address, values: readonly string[]): string | undefined => {
      for (const [index, owner] of parents.entries()) {
        if (owner === undefined) continue;
        const scope = owner.parents.length === index ? values.slice(0, index) : [];
        const key = values[index] ?? '';
        if (owner.parents.length === scope.length && find(owner, scope, key) === undefined)
          return `no ${owner.noun} has the id ${key}`;
      }
      return undefined;
    },
    size: store.size,
  };
}
