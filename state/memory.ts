import { createHash } from 'node:crypto';
import type { JsonObject } from '@lockstep/json/json-pointer';
import { createRandom, type Random } from '@lockstep/values/random';
import type { ItemBuilder } from './build-item.ts';
import type { Model } from './infer-roles.ts';
import { makeId } from './make-id.ts';
import type { ItemFacts } from './make-member.ts';
import type { StateMover } from './move-state.ts';
import { belowTest, findShownBelow, isSameIds, ownersOf, parametersOf, scopeOf } from './owners.ts';
import { replaceAtPlace, type SchemaReader, valueAtPlace } from './read-schemas.ts';
import { type Address, type IdOf, idNodeOf, type Resource, readKey } from './resource.ts';
import type { Seed, Seeds } from './seed-items.ts';
import { type Limits, type Listing, nameOf, type Store, type StoredItem } from './store.ts';

/** Unchanged examples that are kept, so that repeated reads do not build them. */
const mostUnstored = 100;

interface MemoryParts {
  readonly reader: SchemaReader;
  readonly model: Model;
  readonly seeds: Seeds;
  readonly builder: ItemBuilder;
  readonly mover: StateMover;
  readonly now: () => number;
  readonly random: Random;
  readonly limits: Limits;
  readonly store: Store;
  /** Before the path of each item. */
  readonly prefix: string;
}

export type ItemMemory = ReturnType<typeof createMemory>;

/** The items of all resources, with their owners. A resource gets its first items when it is used first. */
export function createMemory({
  reader,
  model,
  seeds,
  builder,
  mover,
  now,
  random,
  limits,
  store,
  prefix,
}: MemoryParts) {
  const openedAt = now();
  /** Names of resources. */
  const seeded = store.names('seeded');
  /** Made ids of examples that have none. The contract alone decides them: a store on a disk has them after a restart. */
  const seedKeys = new Map<Seed, string>();
  /** Examples below other owners than those of the contract, until somebody changes them: reads need no room in the store. */
  const unstored = new Map<string, StoredItem>();
  const creatable = new Set(
    [...model.plans.values()].flatMap(({ role, address, isCreatedByPut }) =>
      role === 'create' || isCreatedByPut ? [address.resource] : [],
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
    start: [],
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

  const ensureSeeded = (resource: Resource): void => {
    if (seeded.has(resource.name)) return;
    seeded.add(resource.name);
    for (const owner of resource.parents) if (owner !== undefined) ensureSeeded(owner);
    for (const seed of seeds.of(resource)) {
      if (!seed.isListed) continue;
      plant(resource, seed.parents, keyOf(resource, seed), seed.value, seed.belongs);
    }
  };

  const keyOf = (resource: Resource, seed: Seed): string => {
    const key = seed.key ?? seedKeys.get(seed) ?? String(makeIdOf(resource, createRandom(1), 1, () => false) ?? '1');
    seedKeys.set(seed, key);
    return key;
  };

  /** Keys and examples of an owner. Where nothing creates items, each owner has those of the contract: no request could fill its list. */
  const seedsBelow = (resource: Resource, parents: readonly string[]): readonly (readonly [string, Seed])[] => {
    const isFixed = resource.kind === 'collection' && parents.length > 0 && !creatable.has(resource);
    if (!isFixed || parents.length !== resource.parents.length || replaced.has(resource)) return [];
    ensureSeeded(resource);
    const listed = seeds.of(resource).filter((seed) => seed.isListed);
    if (listed.some((seed) => isSameIds(seed.parents, parents))) return [];
    const [first] = listed;
    return listed
      .filter((seed) => isSameIds(seed.parents, first?.parents ?? []))
      .map((seed) => [keyOf(resource, seed), seed] as const);
  };

  const build = (
    resource: Resource,
    [parents, key]: readonly [readonly string[], string],
    { value: example, belongs }: Pick<Seed, 'value' | 'belongs'>,
    time = now(),
  ): StoredItem => {
    const id = resource.kind === 'singleton' ? undefined : idFor(resource, key);
    const address = { name: resource.name, resource, parents: resource.parents };
    const owners = ownersOf(reader, address, parametersOf(model, resource), parents);
    const value = builder.adopt(resource, example, id, factsFor(resource, { owners, now: time }));
    return { key, parents, belongs, value, isExample: true, version: 1, createdAt: time, changedAt: time };
  };

  /** @returns undefined if there is no room */
  const plant = (
    resource: Resource,
    parents: readonly string[],
    key: string,
    example: JsonObject,
    belongs: StoredItem['belongs'],
  ): StoredItem | undefined => {
    const item = build(resource, [parents, key], { value: example, belongs });
    changes += 1;
    return store.put(resource.name, item) ? item : undefined;
  };

  /** An example with other ids. If it is forgotten, it is built again with the same times. */
  const imagine = (resource: Resource, parents: readonly string[], key: string, seed: Seed): StoredItem => {
    const name = goneName(resource, parents, key);
    const isOwn = seed.key === key && seed.belongs;
    const item = unstored.get(name) ?? build(resource, [parents, key], { ...seed, belongs: isOwn || {} }, openedAt);
    unstored.set(name, item);
    const [oldest] = unstored.keys();
    if (unstored.size > mostUnstored && oldest !== undefined) unstored.delete(oldest);
    return item;
  };

  /** Ids of any length take little room. */
  const goneName = (resource: Resource, parents: readonly string[], key: string): string => {
    const name = JSON.stringify([resource.name, ...parents, key]);
    return name.length > 100 ? createHash('sha256').update(name).digest('base64url') : name;
  };

  /** An example of the contract that is not stored. */
  const exampleFor = (resource: Resource, parents: readonly string[], key: string): Seed | undefined => {
    if (replaced.has(resource)) return undefined;
    const isSample = ({ isListed, key: own, parents: owners }: Seed): boolean =>
      !isListed && own === key && isSameIds(owners, parents);
    return seeds.of(resource).find(isSample) ?? seedsBelow(resource, parents).find(([own]) => own === key)?.[1];
  };

  /** The example that an id without a stored item means. An open resource has every item that was not deleted. */
  const seedFor = (resource: Resource, parents: readonly string[], key: string): Seed | undefined => {
    if (replaced.has(resource) || gone.has(goneName(resource, parents, key))) return undefined;
    const all = seeds.of(resource);
    const any = model.open.has(resource) ? (all.find((seed) => seed.key === key) ?? all[0]) : undefined;
    return exampleFor(resource, parents, key) ?? any;
  };

  /** The item as it is now. */
  const present = (resource: Resource, item: StoredItem): StoredItem => {
    const moved = mover.move(resource, item, factsFor(resource));
    if (moved !== item) put(resource, moved);
    return moved;
  };

  /** The item with these owners and this id. */
  const find = (resource: Resource, parents: readonly string[], key: string): StoredItem | undefined => {
    ensureSeeded(resource);
    const known = store.find(resource.name, parents, key);
    if (known !== undefined) return present(resource, known);
    const seed = seedFor(resource, parents, key);
    return seed && imagine(resource, parents, key, seed);
  };

  /** Whether requests below an item are answered. */
  const exists = (resource: Resource, parents: readonly string[], key: string): boolean => {
    ensureSeeded(resource);
    const isKnown = store.find(resource.name, parents, key) ?? seedFor(resource, parents, key);
    return isKnown !== undefined || seeds.isNamed(resource, [...parents, key]);
  };

  /** Whether an item of its own has this id: an open resource answers every id. */
  function isUsed(resource: Resource, parents: readonly string[], key: string): boolean {
    ensureSeeded(resource);
    const item = store.find(resource.name, parents, key) ?? exampleFor(resource, parents, key);
    return item !== undefined;
  }

  function newId(resource: Resource, parents: readonly string[]): string | number | undefined {
    const isTaken = (id: string): boolean => isUsed(resource, parents, id) || gone.has(goneName(resource, parents, id));
    return makeIdOf(resource, random, store.count(resource.name), isTaken);
  }

  function makeIdOf(resource: Resource, chance: Random, count: number, isTaken: (id: string) => boolean) {
    const { idNodes, innerIdNodes, idPlace } = resource;
    const member = idNodeOf(reader, resource) ?? idNodes[0] ?? reader.nodeOf({ type: 'string' });
    const example = idPlace === undefined ? undefined : valueAtPlace(seeds.donorOf(resource), idPlace);
    return makeId(reader, chance, { member, parameters: [...idNodes, ...innerIdNodes], example, count, isTaken });
  }

  /** The items that these items of one resource own, with the place of the resource among their owners. */
  function ownedBy(resource: Resource, items: readonly StoredItem[]) {
    const depth = resource.parents.length;
    const keys = new Set(items.map(({ key }) => key));
    const names = new Set(items.map(({ parents, key }) => nameOf(parents, key)));
    return model.resources.flatMap((child) => {
      const index = child.parents.indexOf(resource);
      if (index < 0 || items.length === 0) return [];
      const isOwned = ({ parents }: StoredItem): boolean => {
        const key = parents[index] ?? '';
        return index === depth ? names.has(nameOf(parents.slice(0, index), key)) : keys.has(key);
      };
      return store
        .list(child.name)
        .filter(isOwned)
        .map((own) => ({ child, own, index }));
    });
  }

  /** The value of an item below other owners. */
  function valueBelow(address: Address, { value }: StoredItem, owners: readonly string[]): JsonObject {
    return ownersOf(reader, address, parametersOf(model, address.resource), owners).reduce<JsonObject>(
      (whole, own) => Object(replaceAtPlace(whole, own.place, own.value)),
      value,
    );
  }

  /** Steps that take back what an unfinished request has stored. */
  let undoing: (() => void)[] | undefined;
  let changes = 0;

  function put(resource: Resource, item: StoredItem): boolean {
    const name = goneName(resource, item.parents, item.key);
    const before = store.find(resource.name, item.parents, item.key);
    if (!store.put(resource.name, item)) return false;
    changes += 1;
    const wasGone = gone.delete(name);
    undoing?.push(() => {
      if (before === undefined) store.remove(resource.name, item);
      else store.put(resource.name, before);
      if (wasGone) gone.add(name);
    });
    return true;
  }

  return {
    factsFor,
    find,
    isUsed,
    startOf: (resource: Resource): ItemFacts['start'] => mover.startOf(resource, now()),
    newId,
    idFor,
    now,
    replies: store.replies,
    /** Number of changes of items so far. */
    changes: (): number => changes,
    put,
    /**
     * Stores all items of a request or none of them.
     *
     * @param write calls `put`, and never `remove`
     * @param isDone whether its result stays
     */
    attempt: <Result>(write: () => Result, isDone: (result: Result) => boolean): Result => {
      const undo: (() => void)[] = [];
      undoing = undo;
      let isKept = false;
      try {
        const result = write();
        isKept = isDone(result);
        return result;
      } finally {
        undoing = undefined;
        if (!isKept) {
          changes += 1;
          for (const step of undo.reverse()) step();
        }
      }
    },
    /**
     * Stores an item under another id, with all items that it owns, and with those that other paths show below it.
     *
     * @returns false if there is no room for all; then each is as before, last in its list
     */
    rename: (resource: Resource, before: StoredItem, item: StoredItem): boolean => {
      const owned = ownedBy(resource, [before]).map(({ child, own, index }) => {
        const parents = own.parents.with(index, item.key);
        const address = { name: child.name, resource: child, parents: child.parents };
        return { name: child.name, from: own, to: { ...own, parents, value: valueBelow(address, own, parents) } };
      });
      const moves = [{ name: resource.name, from: before, to: item }, ...owned];
      const shown = findShownBelow(reader, model, store.list, { owner: resource, before, key: item.key });
      changes += 1;
      for (const { name, from } of moves) store.remove(name, from);
      if (![...moves, ...shown].every(({ name, to }) => store.put(name, to))) {
        for (const { name, to } of moves) store.remove(name, to);
        for (const { name, from } of [...moves, ...shown]) store.put(name, from);
        return false;
      }
      gone.add(goneName(resource, before.parents, before.key));
      gone.delete(goneName(resource, item.parents, item.key));
      return true;
    },
    /** Removes items of one resource, and all items that they own. */
    remove: (resource: Resource, items: readonly StoredItem[]): void => {
      changes += 1;
      for (const item of items) {
        store.remove(resource.name, item);
        gone.add(goneName(resource, item.parents, item.key));
      }
      for (const { child, own } of ownedBy(resource, items)) store.remove(child.name, own);
    },
    list: (address: Address, values: readonly string[], parameters: readonly string[]): readonly StoredItem[] => {
      const { resource } = address;
      ensureSeeded(resource);
      const all = store.list(resource.name).map((item) => present(resource, item));
      if (address.parents.length === 0) return all;
      const scope = scopeOf(address, values);
      const below = seedsBelow(resource, scope).flatMap(([key]) => find(resource, scope, key) ?? []);
      const known = new Set(below.map(({ key }) => key));
      return [
        ...below,
        ...all.filter(belowTest(reader, address, values, parameters)).filter(({ key }) => !known.has(key)),
      ];
    },
    /** The same items, if the store can read a page of them: no other path shows them there, and no state changes in time. */
    listing: (address: Address, values: readonly string[]): Listing | undefined => {
      const { resource, parents } = address;
      const isOwnPath = parents.length === resource.parents.length;
      if (store.listing === undefined || !isOwnPath || mover.startOf(resource, now()).length > 0) return undefined;
      ensureSeeded(resource);
      return seedsBelow(resource, values).length > 0 ? undefined : store.listing(resource.name, values);
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
      value: string,
    ): readonly StoredItem[] => {
      ensureSeeded(address.resource);
      const found = store.findBy(address.resource.name, member, value);
      return found.filter(belowTest(reader, address, values, parameters));
    },
    /** Whether the owners of an address exist. @returns the first that does not */
    findMissingOwner: ({ parents }: Pick<Address, 'parents'>, values: readonly string[]): string | undefined => {
      for (const [index, owner] of parents.entries()) {
        if (owner === undefined) continue;
        const scope = owner.parents.length === index ? values.slice(0, index) : [];
        const key = values[index] ?? '';
        if (owner.parents.length === scope.length && !exists(owner, scope, key))
          return `no ${owner.noun} has the id ${key}`;
      }
      return undefined;
    },
    size: store.size,
    /** Runs a request as one change of the store. */
    change: store.change,
  };
}
