import type { Contract, Operation } from '../contract/contract.ts';
import { parentPaths } from './addresses.ts';
import { mostItems, type Scalar, type Scalars } from './read-items.ts';
import { answeredComponents, isIdName, normal, nounOf, nounsOfPath, type Slot, singular } from './slots.ts';

export interface Item {
  readonly scalars: Scalars;
  /** Values of the path parameters that it was read under, outer first. */
  readonly parents: readonly Scalar[];
  /** This run made it: it may be changed and deleted. */
  readonly owned: boolean;
}

export interface Collection {
  readonly path: string;
  readonly noun: string;
  /** Its place among those seen, the first 0. */
  readonly age: number;
  readonly items: readonly Item[];
  /** Component schemas of the answers that it was read from. */
  readonly components: ReadonlySet<string>;
}

export interface Related {
  readonly collection: Collection;
  readonly why: 'noun' | 'type' | 'path';
  readonly isNamed: boolean;
}

export interface Mention {
  readonly value: Scalar;
  readonly item: Item;
}

/** Items that answers showed, by the path of their collection. It keeps scalars, never bodies, and a bounded number of each. */
export interface Collections {
  readonly all: ReadonlyMap<string, Collection>;
  /** @param from the operation whose answer showed it */
  readonly add: (path: string, item: Item, from: Operation) => void;
  readonly itemsAt: (path: string) => readonly Item[];
  /** Keeps those items of a collection that a test lets pass. */
  readonly keep: (path: string, isKept: (item: Item) => boolean) => void;
  readonly called: (noun: string) => readonly Collection[];
  /**
   * Other collections that may hold what a slot asks for: of its noun or of this stem first, then such as hold the same type, then
   * those directly beneath it.
   *
   * @param components schemas of a read of one object
   */
  readonly relatedTo: (slot: Slot, components: ReadonlySet<string>, stem: string) => readonly Related[];
  /** Values of members by their plain name: `authorid` of `authorId`, `author_id`, `author.id`, `authors[].id`. */
  readonly mentions: (name: string) => readonly Mention[];
  /** How often there was news of a collection (its path), of a component schema, or of a member's name (`.authorid`). */
  readonly newsOf: (topic: string) => number;
}

interface OpenCollection extends Collection {
  readonly items: Item[];
  readonly components: Set<string>;
  readonly keys: Set<string>;
}

/** `related`: in a contract of hundreds of collections that all hold the same type, the next one knows no better. */
const most = { related: 8, mentions: 12 } as const;

export function createCollections(contract: Contract): Collections {
  const all = new Map<string, OpenCollection>();
  const byNoun = new Map<string, OpenCollection[]>();
  const byComponent = new Map<string, OpenCollection[]>();
  const byParent = new Map<string, OpenCollection[]>();
  const mentioned = new Map<string, Mention[]>();
  const news = new Map<string, number>();
  const answered = new Map<Operation, ReadonlySet<string>>();

  const componentsOf = (operation: Operation): ReadonlySet<string> => {
    const known = answered.get(operation) ?? answeredComponents(contract.root, operation);
    answered.set(operation, known);
    return known;
  };

  const touch = (topic: string): void => {
    news.set(topic, (news.get(topic) ?? 0) + 1);
  };

  const open = (path: string): OpenCollection => {
    const known = all.get(path);
    if (known !== undefined) return known;
    const made = { path, noun: nounOf(path), age: all.size, items: [], components: new Set<string>() };
    const collection = { ...made, keys: new Set<string>() };
    all.set(path, collection);
    for (const name of nounsOfPath(path)) addTo(byNoun, name, collection);
    for (const parent of parentPaths(path)) addTo(byParent, parent, collection);
    return collection;
  };

  const mention = (item: Item, noun: string): void => {
    for (const [member, value] of item.scalars) {
      // What was sent and taken exists as well, where it names something.
      const isGiven = member.startsWith('@given.');
      if (member.startsWith('@') && !(isGiven && isIdName(member))) continue;
      const segments = member
        .replace(/^@given\./, '')
        .split('.')
        .map((part) => singular(normal(part)));
      const whole = segments.join('');
      const names = new Set([whole, segments.at(-1) ?? '', segments.length === 1 ? `${noun}${whole}` : whole]);
      for (const name of names) {
        const known = mentioned.get(name) ?? [];
        if (known.length >= most.mentions || known.some((other) => other.value === value)) continue;
        mentioned.set(name, [...known, { value, item }]);
        touch(`.${name}`);
      }
    }
  };

  return {
    all,
    itemsAt: (path) => all.get(path)?.items ?? [],
    keep: (path, isKept) => {
      const { items } = all.get(path) ?? { items: [] };
      items.splice(0, items.length, ...items.filter(isKept));
    },
    called: (noun) => byNoun.get(noun) ?? [],
    mentions: (name) => mentioned.get(name) ?? [],
    newsOf: (topic) => news.get(topic) ?? 0,
    add: (path, item, from) => {
      const collection = open(path);
      for (const component of componentsOf(from)) {
        if (collection.components.has(component)) continue;
        collection.components.add(component);
        addTo(byComponent, component, collection);
      }
      const key = JSON.stringify([item.parents, [...item.scalars]]);
      if (collection.keys.has(key)) return;
      // What this run made has its place even in a full collection.
      if (collection.items.filter(({ owned }) => owned === item.owned).length >= mostItems) return;
      collection.keys.add(key);
      collection.items.push(item);
      touch(path);
      for (const name of nounsOfPath(path)) touch(`.${name}`);
      for (const parent of parentPaths(path)) touch(parent);
      for (const component of collection.components) {
        // Those further down the list are never asked: they are no news for a search of this type.
        const place = byComponent.get(component)?.indexOf(collection) ?? 0;
        if (place <= most.related) touch(component);
      }
      mention(item, collection.noun);
    },
    relatedTo: (slot, components, stem) => {
      const nouns = new Set([slot.noun, ...nounsOfPath(slot.collection), stem].filter((noun) => noun !== ''));
      const named = [...nouns].flatMap((noun) => byNoun.get(noun) ?? []);
      const typed = [...components].flatMap((one) => (byComponent.get(one) ?? []).slice(0, most.related + 1));
      const beneath = (byParent.get(slot.collection) ?? []).slice(0, most.related);
      const found = new Set([...named, ...typed, ...beneath].filter(({ path }) => path !== slot.collection));
      const related = [...found].map((collection): Related => {
        const isNamed = nounsOfPath(collection.path).some((noun) => nouns.has(noun));
        const isTyped = !components.isDisjointFrom(collection.components);
        return { collection, isNamed, why: isTyped ? 'type' : isNamed ? 'noun' : 'path' };
      });
      const order = ({ isNamed, why }: Related): number => (isNamed ? 0 : 4) + ['type', 'noun', 'path'].indexOf(why);
      return related.sort((a, b) => order(a) - order(b) || a.collection.age - b.collection.age).slice(0, most.related);
    },
  };
}

/** Members of an item that may be what it is addressed by, beyond doubt. */
export function idsAmong(scalars: Scalars, slot?: Slot): Scalars {
  const names = new Set(['id', 'uuid', 'guid', '@link', '@sent', '@value']);
  if (slot !== undefined) for (const name of [slot.parameter, `${slot.noun}id`]) names.add(normal(name));
  return new Map(
    [...scalars].filter(([member]) => {
      const last =
        member
          .replace(/^@given\./, '')
          .split('.')
          .at(-1) ?? '';
      return names.has(member) || names.has(normal(last));
    }),
  );
}

export function addTo<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [value]);
  else known.push(value);
}
