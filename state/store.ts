import type { JsonObject } from '@lockstep/json/json-pointer';

/** An item of a resource. It is replaced, never changed. */
export interface StoredItem {
  readonly key: string;
  /** Ids of its owners by the resource's own path, the outermost first. */
  readonly parents: readonly string[];
  /** Ids of its owners by another path of the collection: that path and the ids. */
  readonly belongs: Readonly<Record<string, readonly string[]>>;
  readonly value: JsonObject;
  /** Whether it is an example that nobody has changed. */
  readonly isExample: boolean;
  /** Counts its changes, from 1. */
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly changedAt: number;
}

export interface Limits {
  readonly items: number;
  /** Of the items as JSON. */
  readonly bytes: number;
}

export const usualLimits: Limits = { items: 50_000, bytes: 64 * 1024 * 1024 };

interface Entry {
  readonly item: StoredItem;
  readonly bytes: number;
}

/** Estimate for the memory of an item apart from its text. */
const overheadBytes = 200;

export type Store = ReturnType<typeof createStore>;

/** The items of one memory, by resource, in the order in which they were created. */
export function createStore(limits: Limits) {
  const resources = new Map<string, Map<string, Entry>>();
  /** Names of items by resource, member and value, for members that were searched. */
  const indexes = new Map<string, Map<string, Map<unknown, Set<string>>>>();
  let count = 0;
  let bytes = 0;

  const entriesOf = (resource: string): Map<string, Entry> => {
    const known = resources.get(resource) ?? new Map<string, Entry>();
    resources.set(resource, known);
    return known;
  };

  const index = (resource: string, name: string, { value }: StoredItem, isAdded: boolean): void => {
    for (const [member, byValue] of indexes.get(resource) ?? []) {
      const names = byValue.get(value[member]) ?? new Set();
      if (isAdded) byValue.set(value[member], names.add(name));
      else names.delete(name);
      if (names.size === 0) byValue.delete(value[member]);
    }
  };

  const indexOf = (resource: string, member: string): ReadonlyMap<unknown, ReadonlySet<string>> => {
    const members = indexes.get(resource) ?? new Map<string, Map<unknown, Set<string>>>();
    indexes.set(resource, members);
    const known = members.get(member);
    if (known !== undefined) return known;
    const made = new Map<unknown, Set<string>>();
    for (const [name, { item }] of entriesOf(resource))
      made.set(item.value[member], (made.get(item.value[member]) ?? new Set()).add(name));
    members.set(member, made);
    return made;
  };

  const remove = (resource: string, item: StoredItem): void => {
    const entries = entriesOf(resource);
    const name = nameOf(item.parents, item.key);
    const entry = entries.get(name);
    if (entry === undefined) return;
    entries.delete(name);
    index(resource, name, entry.item, false);
    count -= 1;
    bytes -= entry.bytes;
  };

  return {
    find: (resource: string, parents: readonly string[], key: string): StoredItem | undefined =>
      resources.get(resource)?.get(nameOf(parents, key))?.item,
    list: (resource: string): readonly StoredItem[] =>
      [...(resources.get(resource)?.values() ?? [])].map(({ item }) => item),
    /** @returns false if there is no room */
    put: (resource: string, item: StoredItem): boolean => {
      const entries = entriesOf(resource);
      const name = nameOf(item.parents, item.key);
      const before = entries.get(name);
      const size = JSON.stringify(item.value).length + name.length + overheadBytes;
      const added = before === undefined ? 1 : 0;
      const more = size - (before?.bytes ?? 0);
      if (more > 0 && (count + added > limits.items || bytes + more > limits.bytes)) return false;
      if (before !== undefined) index(resource, name, before.item, false);
      entries.set(name, { item, bytes: size });
      index(resource, name, item, true);
      count += added;
      bytes += more;
      return true;
    },
    /** The items whose member has this value. */
    findBy: (resource: string, member: string, value: unknown): readonly StoredItem[] => {
      const entries = entriesOf(resource);
      return [...(indexOf(resource, member).get(value) ?? [])].flatMap((name) => entries.get(name)?.item ?? []);
    },
    remove,
    clear: (): void => {
      resources.clear();
      indexes.clear();
      count = 0;
      bytes = 0;
    },
    size: (): { readonly items: number; readonly bytes: number } => ({ items: count, bytes }),
  };
}

function nameOf(parents: readonly string[], key: string): string {
  return JSON.stringify([...parents, key]);
}
