import { parentPaths } from './addresses.ts';
import { isTelling, mostItems, type Scalar, type Scalars } from './read-items.ts';
import { isIdName, normal, nounOf, nounsOfPath, rankName, type Slot, singular, worstRank } from './slots.ts';

export interface Item {
  readonly scalars: Scalars;
  /** Values of the path parameters of the request that showed it, outer first. */
  readonly parents: readonly Scalar[];
  /** Whether this run created it, and may change and delete it. */
  readonly owned: boolean;
}

export interface Collection {
  readonly path: string;
  readonly noun: string;
  /** Its index among the collections seen. */
  readonly age: number;
  readonly items: readonly Item[];
}

export interface Related {
  readonly collection: Collection;
  /** Whether the noun matches, not only the path. */
  readonly isNamed: boolean;
}

export interface Mention {
  readonly value: Scalar;
  readonly item: Item;
}

/** Items seen in answers, by the path of their collection. Only scalars are kept, a bounded number of each. */
export interface Collections {
  readonly all: ReadonlyMap<string, Collection>;
  readonly add: (path: string, item: Item) => void;
  readonly itemsAt: (path: string) => readonly Item[];
  /** Removes the items of a collection for which `isKept` is false. */
  readonly keep: (path: string, isKept: (item: Item) => boolean) => void;
  readonly called: (noun: string) => readonly Collection[];
  /** Other collections that may hold values for a slot: those of its noun or this stem first, then those directly beneath it. */
  readonly relatedTo: (slot: Slot, stem: string) => readonly Related[];
  /** Values of members by their plain name: `authorid` of `authorId`, `author_id`, `author.id`, `authors[].id`. */
  readonly mentions: (name: string) => readonly Mention[];
  /** Number of additions to a collection (its path) or to a member's name (`.authorid`). */
  readonly additionsOf: (topic: string) => number;
}

interface OpenCollection extends Collection {
  readonly items: Item[];
  readonly keys: Set<string>;
}

/** `related` is bounded, as a contract may have hundreds of collections. */
const most = { related: 8, mentions: 12 } as const;

export function createCollections(): Collections {
  const all = new Map<string, OpenCollection>();
  const byNoun = new Map<string, OpenCollection[]>();
  const byParent = new Map<string, OpenCollection[]>();
  const mentioned = new Map<string, Mention[]>();
  const additions = new Map<string, number>();

  const touch = (topic: string): void => {
    additions.set(topic, (additions.get(topic) ?? 0) + 1);
  };

  const open = (path: string): OpenCollection => {
    const known = all.get(path);
    if (known !== undefined) return known;
    const collection = { path, noun: nounOf(path), age: all.size, items: [], keys: new Set<string>() };
    all.set(path, collection);
    for (const name of nounsOfPath(path)) addTo(byNoun, name, collection);
    for (const parent of parentPaths(path)) addTo(byParent, parent, collection);
    return collection;
  };

  const mention = (item: Item, noun: string): void => {
    for (const [member, value] of item.scalars) {
      // An id that was sent and accepted exists as well.
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
    additionsOf: (topic) => additions.get(topic) ?? 0,
    add: (path, item) => {
      const collection = open(path);
      const key = JSON.stringify([item.parents, [...item.scalars]]);
      if (collection.keys.has(key)) return;
      // Owned items are counted apart, so that a full collection still accepts them.
      if (collection.items.filter(({ owned }) => owned === item.owned).length >= mostItems) return;
      collection.keys.add(key);
      collection.items.push(item);
      touch(path);
      for (const name of nounsOfPath(path)) touch(`.${name}`);
      for (const parent of parentPaths(path)) touch(parent);
      mention(item, collection.noun);
    },
    relatedTo: (slot, stem) => {
      const nouns = new Set([slot.noun, ...nounsOfPath(slot.collection), stem].filter((noun) => noun !== ''));
      const named = [...nouns].flatMap((noun) => byNoun.get(noun) ?? []);
      const beneath = (byParent.get(slot.collection) ?? []).slice(0, most.related);
      const found = new Set([...named, ...beneath].filter(({ path }) => path !== slot.collection));
      const related = [...found].map((collection): Related => {
        const isNamed = nounsOfPath(collection.path).some((noun) => nouns.has(noun));
        return { collection, isNamed };
      });
      const order = ({ isNamed }: Related): number => (isNamed ? 0 : 1);
      return related.sort((a, b) => order(a) - order(b) || a.collection.age - b.collection.age).slice(0, most.related);
    },
  };
}

/** Members of an item that are certainly ids of it: `owner.id` of a book is the id of an owner. */
export function idsAmong(scalars: Scalars, slot?: Slot): Scalars {
  const names = new Set(['id', 'uuid', 'guid', '@link', '@sent', '@value']);
  if (slot !== undefined) {
    const wanted = normal(slot.parameter);
    // `{feed_key}` asks for the `key` of a feed, `{username}` for no `name`.
    const words = slot.parameter.split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u).map(normal);
    const start = words.findIndex((_, index) => words.slice(0, index).join('') === slot.noun);
    for (const name of [wanted, words.slice(Math.max(0, start)).join(''), `${slot.noun}id`]) names.add(name);
  }
  const isOwn = (member: string): boolean => slot === undefined || rankName(member, slot) < Number.POSITIVE_INFINITY;
  return new Map(
    [...scalars].filter(([member]) => {
      const last =
        member
          .replace(/^@given\./, '')
          .split('.')
          .at(-1) ?? '';
      return names.has(member) || (names.has(normal(last)) && isOwn(member));
    }),
  );
}

/** Last words of a name that a server may have for the id of a new object, and words of names that mean something else. */
const ofMadeId = /.(id|code|number|reference|ref)$/;
const ofOthers =
  /^(request|trace|correlation|response|result|status|error|verif|confirm|recover|invit|activat|pass|auth|access)/;

interface Made {
  readonly shown: Scalars;
  readonly sent: Scalars;
  readonly parents: readonly Scalar[];
  readonly slot: Slot;
}

/**
 * A guess at the id of a new object that has no usual name, `customer_code` of a profile: the only member of the answer that may be
 * one, and that neither the request nor its path has.
 */
export function madeIdOf({ shown, sent, parents, slot }: Made): readonly [member: string, value: Scalar] | undefined {
  const known = new Set([...sent.values(), ...parents].map(String));
  const found = [...shown].filter(([member, value]) => {
    const name = normal(member);
    const isId = ofMadeId.test(name) && !ofOthers.test(name) && /^[\w-]+$/.test(member);
    return isId && !sent.has(member) && !known.has(String(value));
  });
  const hasId = [...shown.keys()].some((member) => rankName(member, slot) < worstRank);
  const [only] = found;
  // A short number may be the id of another object.
  return found.length === 1 && !hasId && isTelling(only?.[1]) && /\D/.test(only[1]) ? only : undefined;
}

export function addTo<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [value]);
  else known.push(value);
}
