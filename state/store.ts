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

/** Members with an index, of one resource. A client may send any name. */
export const mostIndexes = 30;

/** Estimate for the memory of an item apart from its text. */
const overheadBytes = 200;

/** Items in their order. A store on a disk reads them as they are needed. */
export interface Listing<Item = StoredItem> {
  readonly length: number;
  readonly slice: (start: number, end: number) => readonly Item[];
  /** Index of the only item with this id; -1 if there is none, or several. */
  readonly indexOf: (key: string) => number;
}

/** The items of one memory, by resource, in the order in which they were created. */
export interface Store {
  readonly find: (resource: string, parents: readonly string[], key: string) => StoredItem | undefined;
  readonly list: (resource: string) => readonly StoredItem[];
  /** The items of these owners, by the resource's own path, if the store need not read all items for them. */
  readonly listing?: (resource: string, parents: readonly string[]) => Listing;
  /** @returns false if there is no room */
  readonly put: (resource: string, item: StoredItem) => boolean;
  /** The items whose member is this text. The first members that are asked for have an index. */
  readonly findBy: (resource: string, member: string, value: string) => readonly StoredItem[];
  readonly remove: (resource: string, item: StoredItem) => void;
  readonly size: () => { readonly items: number; readonly bytes: number };
  /**
   * A set of names, which lasts as long as the items.
   *
   * @param most if there are more, a store in memory forgets the oldest
   */
  readonly names: (kind: string, most?: number) => Names;
  /** Counts the ids that were made for a resource, from 1. */
  readonly count: (resource: string) => number;
  /** Answers for repeated requests, which last as long as the items. */
  readonly replies: Replies;
  /** Runs a change. If the change throws, a store on a disk keeps none of it. */
  readonly change: <Result>(work: () => Result) => Result;
}

export interface Replies {
  /** @returns the text that was kept, until its time is over */
  readonly find: (name: string, now: number) => string | undefined;
  /** @param now a store on a disk forgets the replies whose time is over then */
  readonly keep: (name: string, reply: Reply, now: number) => void;
}

export interface Reply {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

export type Names = Pick<Set<string>, 'has' | 'delete'> & { readonly add: (name: string) => void };

/** A store in memory. */
export function createStore(limits: Limits): Store {
  const resources = new Map<string, Map<string, Entry>>();
  /** Names of items by resource, member and value, for members that were searched. */
  const indexes = new Map<string, Map<string, Map<unknown, Set<string>>>>();
  const sets = new Map<string, Set<string>>();
  const counters = new Map<string, number>();
  const replies = createReplies(limits.bytes / 8);
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

  /** @returns undefined if there are too many indexes */
  const indexOf = (resource: string, member: string): ReadonlyMap<unknown, ReadonlySet<string>> | undefined => {
    const members = indexes.get(resource) ?? new Map<string, Map<unknown, Set<string>>>();
    indexes.set(resource, members);
    const known = members.get(member);
    if (known !== undefined || members.size >= mostIndexes) return known;
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
    find: (resource, parents, key) => resources.get(resource)?.get(nameOf(parents, key))?.item,
    list: (resource) => [...(resources.get(resource)?.values() ?? [])].map(({ item }) => item),
    put: (resource, item) => {
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
    findBy: (resource, member, value) => {
      const entries = entriesOf(resource);
      const found = indexOf(resource, member);
      if (found !== undefined) return [...(found.get(value) ?? [])].flatMap((name) => entries.get(name)?.item ?? []);
      return [...entries.values()].flatMap(({ item }) => (item.value[member] === value ? item : []));
    },
    remove,
    size: () => ({ items: count, bytes }),
    names: (kind, most = Number.POSITIVE_INFINITY) => {
      const names = sets.get(kind) ?? new Set<string>();
      sets.set(kind, names);
      return {
        has: (name) => names.has(name),
        delete: (name) => names.delete(name),
        add: (name) => {
          names.add(name);
          const [oldest] = names;
          if (names.size > most && oldest !== undefined) names.delete(oldest);
        },
      };
    },
    count: (resource) => {
      const next = (counters.get(resource) ?? 0) + 1;
      counters.set(resource, next);
      return next;
    },
    replies,
    change: (work) => work(),
  };
}

/** The name of an item among those of its resource. */
export function nameOf(parents: readonly string[], key: string): string {
  return JSON.stringify([...parents, key]);
}

/** The oldest are forgotten if all together are longer than the limit. */
function createReplies(mostBytes: number): Replies {
  const known = new Map<string, Reply>();
  let bytes = 0;

  const forget = (name: string): void => {
    bytes -= (known.get(name)?.text.length ?? 0) + name.length;
    known.delete(name);
  };

  return {
    find: (name, now) => {
      const reply = known.get(name);
      return reply === undefined || reply.until <= now ? undefined : reply.text;
    },
    keep: (name, reply) => {
      if (known.has(name)) forget(name);
      known.set(name, reply);
      bytes += reply.text.length + name.length;
      for (const [oldest] of known) {
        if (bytes <= mostBytes) break;
        forget(oldest);
      }
    },
  };
}
