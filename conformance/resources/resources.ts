import { type Contract, type Operation, responseFor } from '../contract/contract.ts';
import { isObject, type Seen } from '../contract/document.ts';
import { addressKey, isSameParents, linkedValues, parentPaths, pathValues, readAddress } from './addresses.ts';
import { isScalar, mostItems, readItems, readScalars, type Scalar, type Scalars } from './read-items.ts';
import {
  answeredComponents,
  isIdName,
  normal,
  nounOf,
  nounsOfPath,
  plainPath,
  rankName,
  type Slot,
  singular,
  slotsOf,
  stemOf,
  unnamed,
} from './slots.ts';

/**
 * What accepted answers showed: items of collections, what they were read under, what this run made of them, and by which
 * member a path takes them. It keeps scalars, never bodies, and a bounded number of each. Everything follows from the
 * exchanges in their order.
 */
export interface Resources {
  /** Takes an answered request into account, in the order of the plan. */
  readonly observe: (exchange: Observed) => void;
  /**
   * Rises when something new may help this operation; without a change its targets are the same as before.
   *
   * @param names plain names of other resources that it speaks of, `author`
   */
  readonly revisionFor: (operation: Operation, names?: readonly string[]) => number;
  readonly slots: ReadonlyMap<string, SlotState>;
  readonly collections: ReadonlyMap<string, Collection>;
  /**
   * Other collections that may hold what a slot asks for: of its noun or of this stem first, then such as hold the same type, then
   * those directly beneath it.
   */
  readonly relatedTo: (state: SlotState, stem: string) => readonly Related[];
  /** Whether anything was seen that may be an id in this path. */
  readonly mayAddress: (operation: Operation) => boolean;
  /** Slots and collections whose items go by a noun: `{authorId}` and `/authors` for `author`. */
  readonly called: (noun: string) => {
    readonly slots: readonly SlotState[];
    readonly collections: readonly Collection[];
  };
  /** Whether some path needs an item of this collection. */
  readonly isWanted: (collection: string) => boolean;
  /** Values that links of accepted answers name for an operation. */
  readonly linksTo: (operation: Operation) => readonly Linked[];
  /** Whether an item of this name, `author`, was seen; whether a collection of the contract may hold one. */
  readonly knows: (noun: string) => boolean;
  readonly mayKnow: (noun: string) => boolean;
  /** Values of members by their plain name: `authorid` of `authorId`, `author_id`, `author.id`, `authors[].id`. */
  readonly mentions: (name: string) => readonly Mention[];
  /** What an object that was read last under these parameters looked like; undefined where it was not, or was too large. */
  readonly lastRead: (path: string, values: Readonly<Record<string, unknown>>) => unknown;
  /** How many creates were accepted at a path or beneath it: what was listed before them may show more now. */
  readonly createdAt: (path: string) => number;
  /** Whether an item says of itself that it belongs to the deployment. */
  readonly isOfSystem: (operation: Operation, values: Readonly<Record<string, unknown>>) => boolean;
  /** Whether a request is about something that this run made, or about what lies beneath it. */
  readonly isMade: (operation: Operation, seen: Seen) => boolean;
  /** What this run made and has not deleted, the last one first. */
  readonly made: () => readonly Made[];
  /** `book#1` for an id that a server chose, the same in every run whatever the id is; undefined for any other value. */
  readonly symbolOf: (path: string, parameter: string, value: unknown) => string | undefined;
}

export interface Observed {
  readonly operation: Operation;
  readonly seen: Seen;
}

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

export interface Linked {
  /** By parameter name, without the `path.` or `query.` that a link may put before it. */
  readonly values: Readonly<Record<string, Scalar>>;
  readonly owned: boolean;
}

/** Something that this run made, with how to undo it. */
export interface Made {
  readonly collection: string;
  readonly symbol: string;
  /** The DELETE of its path with the values of its parameters; undefined where the contract has none, or no id is known. */
  readonly undo: { readonly operation: Operation; readonly values: Readonly<Record<string, Scalar>> } | undefined;
}

export interface Mention {
  readonly value: Scalar;
  readonly item: Item;
  readonly collection: string;
}

/** What trials told about a slot. */
export interface SlotState {
  readonly slot: Slot;
  /** Component schemas of a read of one object. */
  readonly components: ReadonlySet<string>;
  /** A read of one object is declared: a guess can be tried on it before anything is changed. */
  readonly isReadable: boolean;
  /** Addresses that were answered 2xx, the last one first. */
  readonly proven: readonly Proven[];
  /** Addresses that were refused and never accepted. */
  readonly refused: ReadonlySet<string>;
  /** Addresses of what is gone. */
  readonly deleted: ReadonlySet<string>;
  /** Member path to what trials of its values said. */
  readonly pairings: ReadonlyMap<string, { readonly yes: number; readonly no: number }>;
}

export interface Proven {
  readonly values: readonly Scalar[];
  readonly owned: boolean;
}

interface OpenSlot extends SlotState {
  readonly proven: Proven[];
  readonly refused: Set<string>;
  readonly deleted: Set<string>;
  readonly pairings: Map<string, { yes: number; no: number }>;
  revision: number;
}

/** What an operation's revision is made of. */
interface About {
  readonly slots: readonly OpenSlot[];
  readonly topics: readonly string[];
}

interface OpenCollection extends Collection {
  readonly items: Item[];
  readonly components: Set<string>;
  readonly keys: Set<string>;
}

const most = {
  /** Other collections that are asked for an id: in a contract of hundreds that all hold the same type, the next one knows no better. */
  related: 8,
  proven: 12,
  refused: 200,
  links: 12,
  mentions: 12,
  linkedItems: 6,
  reads: 200,
  readLength: 20_000,
} as const;

/** Statuses that say of an address that nothing stands there or that it cannot be one. */
const aboutAddress = new Set([400, 404, 410, 422]);

export function createResources(contract: Contract): Resources {
  const slots = readSlots(contract);
  const collections = new Map<string, OpenCollection>();
  const links = new Map<string, Linked[]>();
  const linkRevisions = new Map<string, number>();
  const mentioned = new Map<string, Mention[]>();
  const reads = new Map<string, unknown>();
  const symbols = new Map<string, Map<string, string>>();
  const byNoun = new Map<string, OpenCollection[]>();
  const byComponent = new Map<string, OpenCollection[]>();
  const byParent = new Map<string, OpenCollection[]>();
  const wanted = new Set([...slots.values()].map(({ slot }) => slot.collection));
  const about = new Map<Operation, About>();
  const slotsCalled = new Map<string, OpenSlot[]>();
  for (const state of slots.values()) {
    const { collection, parameter } = state.slot;
    for (const noun of new Set([...nounsOfPath(collection), stemOf(parameter)])) addTo(slotsCalled, noun, state);
  }
  const templates = [...slots.values()].map(({ slot }) => slot).sort((a, b) => b.key.length - a.key.length);
  const nouns = new Set(contract.operations.flatMap(({ path }) => nounsOfPath(plainPath(path))));
  const topics = new Map<string, number>();
  const answered = new Map<Operation, ReadonlySet<string>>();
  const componentsOf = (operation: Operation): ReadonlySet<string> => {
    const known = answered.get(operation) ?? answeredComponents(contract.root, operation);
    answered.set(operation, known);
    return known;
  };

  /** News of a collection (its path), of a component schema, or of a member's name (`.authorid`). */
  const created = new Map<string, number>();
  const touch = (topic: string): void => {
    topics.set(topic, (topics.get(topic) ?? 0) + 1);
  };

  const addItem = (
    path: string,
    scalars: Scalars,
    parents: readonly Scalar[],
    owned: boolean,
    from: Operation,
  ): void => {
    const collection = collections.get(path) ?? openCollection(path);
    for (const component of componentsOf(from)) {
      if (collection.components.has(component)) continue;
      collection.components.add(component);
      addTo(byComponent, component, collection);
    }
    const item: Item = { scalars, parents, owned };
    const key = JSON.stringify([parents, [...scalars]]);
    if (collection.keys.has(key)) return;
    // What this run made has its place even in a full collection.
    const isFull = collection.items.filter((other) => other.owned === owned).length >= mostItems;
    if (isFull) return;
    collection.keys.add(key);
    collection.items.push(item);
    touch(path);
    for (const name of nounsOfPath(path)) touch(`.${name}`);
    for (const segment of parentPaths(path)) touch(segment);
    for (const component of collection.components) {
      // Those further down the list are never asked: no news for whoever looks for this type.
      const place = byComponent.get(component)?.indexOf(collection) ?? 0;
      if (place <= most.related) touch(component);
    }
    mention(item, collection);
  };

  const openCollection = (path: string): OpenCollection => {
    const noun = nounOf(path);
    const collection = {
      path,
      noun,
      age: collections.size,
      items: [],
      components: new Set<string>(),
      keys: new Set<string>(),
    };
    collections.set(path, collection);
    for (const name of nounsOfPath(path)) addTo(byNoun, name, collection);
    for (const parent of parentPaths(path)) addTo(byParent, parent, collection);
    return collection;
  };

  const mention = (item: Item, { path, noun }: OpenCollection): void => {
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
        mentioned.set(name, [...known, { value, item, collection: path }]);
        touch(`.${name}`);
      }
    }
  };

  const observeLinks = ({ operation, seen }: Observed): void => {
    const response = seen.status === undefined ? undefined : responseFor(operation, seen.status);
    for (const { to, parameters } of response?.links ?? []) {
      for (let index = 0; index < most.linkedItems; index += 1) {
        const values = linkedValues(parameters, index, seen);
        const known = links.get(to) ?? [];
        if (values === undefined || known.length >= most.links) break;
        if (known.some((other) => JSON.stringify(other.values) === JSON.stringify(values))) continue;
        links.set(to, [...known, { values, owned: operation.method === 'post' }]);
        linkRevisions.set(to, (linkRevisions.get(to) ?? 0) + 1);
      }
    }
  };

  /** An address in a text, `/v1/books/7` or `https://host/v1/books/7`, as an item of the collection that it stands in. */
  const observeAddress = (text: string, owned: boolean, from: Operation, only?: string): boolean => {
    const found = readAddress(text, templates);
    const last = found?.values.at(-1);
    if (found === undefined || last === undefined || (only !== undefined && found.slot.collection !== only))
      return false;
    addItem(found.slot.collection, new Map([['@link', last]]), found.values.slice(0, -1), owned, from);
    return true;
  };

  const observeCreate = ({ operation, seen }: Observed, parents: readonly Scalar[], scalars: Scalars): void => {
    const path = plainPath(operation.path);
    for (let above = path; ; above = above.slice(0, above.lastIndexOf('/'))) {
      created.set(above, (created.get(above) ?? 0) + 1);
      if (above === '') break;
    }
    const location = seen.responseHeaders?.location;
    const isTold = typeof location === 'string' && observeAddress(location, true, operation);
    const sent = isObject(seen.requestBody) ? readScalars(seen.requestBody) : new Map<string, Scalar>();
    const made = new Map(scalars);
    // A created thing whose answer carries no id may go by the name that it was given.
    for (const [member, value] of sent) if (!made.has(member)) made.set(`@given.${member}`, value);
    if (isTold && scalars.size === 0) return;
    const before = collections.get(path)?.items ?? [];
    // An id that stood in the list before is no id of something new.
    const isNew = ![...idsAmong(scalars)].some(([member, value]) =>
      before.some((item) => !item.owned && item.scalars.get(member) === value && isSameParents(item.parents, parents)),
    );
    if (made.size > 0) addItem(path, made, parents, isNew, operation);
  };

  const isOwned = (slot: Slot, values: readonly Scalar[]): boolean => {
    const items = collections.get(slot.collection)?.items ?? [];
    const last = values.at(-1);
    const parents = values.slice(0, -1);
    const pairings = slots.get(slot.key)?.pairings;
    const isId = (item: Item, member: string): boolean =>
      idsAmong(item.scalars, slot).has(member) ||
      (rankName(member, slot) < unnamed && (pairings?.get(member)?.yes ?? 0) > 0);
    const mine = items.some(
      (item) =>
        item.owned &&
        isSameParents(item.parents, parents) &&
        [...item.scalars].some(([member, value]) => String(value) === String(last) && isId(item, member)),
    );
    return mine || ownedAbove(slot, values);
  };

  /** Everything beneath what this run made is this run's. */
  const ownedAbove = (slot: Slot, values: readonly Scalar[]): boolean => {
    const above = slotsOf(slot.key).flatMap(({ key }) => (key === slot.key ? [] : (slots.get(key) ?? [])));
    return above.some(({ slot: outer }) => isOwned(outer, values.slice(0, slotsOf(outer.key).length)));
  };

  const learnAddress = (operation: Operation, values: readonly Scalar[], status: number): void => {
    const path = plainPath(operation.path);
    slotsOf(operation.path).forEach((slot, index) => {
      const state = slots.get(slot.key);
      const address = values.slice(0, index + 1);
      if (state === undefined || address.length <= index) return;
      const isWhole = path === state.slot.key;
      const key = addressKey(address);
      const isYes = status >= 200 && status < 300;
      // What an empty list says of its parent proves nothing; what a child's refusal says of it neither.
      if (!isWhole && !isYes) return;
      for (const member of membersWith(state, address)) {
        const known = state.pairings.get(member) ?? { yes: 0, no: 0 };
        state.pairings.set(member, isYes ? { ...known, yes: known.yes + 1 } : { ...known, no: known.no + 1 });
      }
      state.revision += 1;
      const at = state.proven.findIndex((other) => addressKey(other.values) === key);
      if (!isYes) {
        if (at >= 0) state.proven.splice(at, 1);
        if (state.refused.size < most.refused) state.refused.add(key);
        return;
      }
      if (operation.method === 'delete' && isWhole) return;
      state.refused.delete(key);
      if (at >= 0 || (!isWhole && state.isReadable && state.proven.length > 0)) return;
      state.proven.unshift({ values: address, owned: isOwned(state.slot, address) });
      if (state.proven.length > most.proven) state.proven.pop();
    });
  };

  const membersWith = ({ slot }: OpenSlot, address: readonly Scalar[]): string[] => {
    const last = String(address.at(-1));
    const items = collections.get(slot.collection)?.items ?? [];
    return [
      ...new Set(
        items.flatMap(({ scalars }) =>
          [...scalars].flatMap(([member, value]) => (String(value) === last ? [member] : [])),
        ),
      ),
    ];
  };

  const forget = (path: string, values: readonly Scalar[]): void => {
    const key = plainPath(path);
    slots.get(key)?.refused.add(addressKey(values));
    slots.get(key)?.deleted.add(addressKey(values));
    const startsHere = (others: readonly Scalar[]): boolean =>
      values.every((value, index) => String(others[index]) === String(value));
    for (const state of slots.values()) {
      if (state.slot.key !== key && !state.slot.key.startsWith(`${key}/`)) continue;
      const kept = state.proven.filter((proven) => !startsHere(proven.values));
      if (kept.length !== state.proven.length) state.revision += 1;
      state.proven.splice(0, state.proven.length, ...kept);
    }
    for (const collection of collections.values()) {
      const isSame = slots.get(key)?.slot.collection === collection.path;
      if (!isSame && !collection.path.startsWith(`${key}/`)) continue;
      const last = String(values.at(-1));
      const kept = collection.items.filter(({ parents, scalars }) =>
        isSame
          ? !isSameParents(parents, values.slice(0, -1)) ||
            ![...idsAmong(scalars, slots.get(key)?.slot)].some(([, value]) => String(value) === last)
          : !startsHere(parents),
      );
      collection.items.splice(0, collection.items.length, ...kept);
    }
  };

  const observeBody = (observed: Observed, values: readonly Scalar[]): void => {
    const { operation, seen } = observed;
    const path = plainPath(operation.path);
    const state = slots.get(path);
    const isItem = state !== undefined && path.endsWith('{}');
    const { list, whole, isList } = readItems(seen.responseBody, nounOf(path));
    // A search is a read: what it shows is not the run's.
    if (operation.method === 'post' && !isItem && operation.extensions.effect !== 'none') {
      observeCreate(observed, values, Array.isArray(seen.responseBody) ? (list[0] ?? new Map()) : (whole ?? new Map()));
      return;
    }
    if (isItem) {
      const last = values.at(-1);
      if (last === undefined || operation.method === 'delete') return;
      const isOwn = isOwned(state.slot, values) || (operation.method === 'put' && seen.status === 201);
      const scalars = new Map(whole ?? []).set('@sent', last);
      addItem(state.slot.collection, scalars, values.slice(0, -1), isOwn, operation);
      return;
    }
    if (operation.method === 'delete') return;
    for (const scalars of list) addItem(path, scalars, values, false, operation);
    if (!isList && whole !== undefined) addItem(path, whole, values, false, operation);
  };

  const rememberRead = ({ operation, seen }: Observed): void => {
    if (operation.method !== 'get' || !isObject(seen.responseBody)) return;
    if (JSON.stringify(seen.responseBody).length > most.readLength) return;
    const key = readKey(operation.path, seen.path);
    reads.delete(key);
    reads.set(key, seen.responseBody);
    const [oldest] = reads.keys();
    if (reads.size > most.reads && oldest !== undefined) reads.delete(oldest);
  };

  const symbolFor = ({ key, noun }: Slot, value: Scalar): string => {
    const known = symbols.get(key) ?? new Map<string, string>();
    symbols.set(key, known);
    const symbol = known.get(String(value)) ?? `${noun === '' ? 'id' : noun}#${known.size + 1}`;
    known.set(String(value), symbol);
    return symbol;
  };

  const relatedTo: Resources['relatedTo'] = ({ slot, components }, stem) => {
    const nouns = new Set([slot.noun, ...nounsOfPath(slot.collection), stem].filter((noun) => noun !== ''));
    const named = [...nouns].flatMap((noun) => byNoun.get(noun) ?? []);
    const typed = [...components].flatMap((component) => (byComponent.get(component) ?? []).slice(0, most.related + 1));
    const beneath = (byParent.get(slot.collection) ?? []).slice(0, most.related);
    const isTyped = (collection: Collection): boolean => [...components].some((one) => collection.components.has(one));
    const found = new Map<Collection, Related>();
    for (const collection of [...named, ...typed, ...beneath]) {
      if (collection.path === slot.collection || found.has(collection)) continue;
      const isNamed = nounsOfPath(collection.path).some((noun) => nouns.has(noun));
      found.set(collection, { collection, isNamed, why: isTyped(collection) ? 'type' : isNamed ? 'noun' : 'path' });
    }
    const order = ({ isNamed, why }: Related): number =>
      (isNamed ? 0 : 4) + (why === 'type' ? 0 : why === 'noun' ? 1 : 2);
    const sorted = [...found.values()].sort((a, b) => order(a) - order(b) || a.collection.age - b.collection.age);
    return sorted.slice(0, most.related);
  };

  /** News of these concern an operation; slots are the same for as long as the run lasts. */
  const aboutOf = (operation: Operation): About => {
    const own = slotsOf(operation.path).flatMap(({ key }) => slots.get(key) ?? []);
    const told = own.flatMap(({ slot, components }) => [
      slot.collection,
      ...components,
      ...wantedNames(slot).map((name) => `.${name}`),
    ]);
    return { slots: own, topics: told };
  };

  const describeMade = (state: OpenSlot, item: Item): Made | undefined => {
    const { slot, pairings } = state;
    const doubtOf = (member: string): number => ((pairings.get(member)?.yes ?? 0) > 0 ? 0 : rankName(member, slot));
    const [best] = [...item.scalars].sort(([a], [b]) => doubtOf(a) - doubtOf(b));
    if (best === undefined || doubtOf(best[0]) >= unnamed) return undefined;
    const operation = contract.operations.find(
      ({ method, path }) => method === 'delete' && plainPath(path) === slot.key,
    );
    const address = [...item.parents, best[1]];
    const named = slotsOf(operation?.path ?? '').map(({ parameter }, index) => [parameter, address[index]] as const);
    const isWhole = operation !== undefined && named.every(([, value]) => value !== undefined);
    const undo = isWhole ? { operation, values: Object.fromEntries(named) as Record<string, Scalar> } : undefined;
    return { collection: slot.collection, symbol: symbolFor(slot, best[1]), undo };
  };

  return {
    slots,
    collections,
    createdAt: (path) => created.get(plainPath(path)) ?? 0,
    called: (noun) => ({ slots: slotsCalled.get(noun) ?? [], collections: byNoun.get(noun) ?? [] }),
    isOfSystem: ({ path }, values) => {
      const last = slotsOf(path).at(-1);
      const value = last === undefined ? undefined : values[last.parameter];
      return (collections.get(last?.collection ?? '')?.items ?? []).some(
        ({ scalars }) =>
          scalars.has('@system') && [...scalars.values()].some((other) => String(other) === String(value)),
      );
    },
    isMade: (operation, seen) => {
      const slot = slotsOf(operation.path).at(-1);
      return slot !== undefined && isOwned(slot, pathValues(operation, seen));
    },
    made: () => {
      const found = [...slots.values()].flatMap((state) =>
        (collections.get(state.slot.collection)?.items ?? [])
          .filter(({ owned }) => owned)
          .flatMap((item) => describeMade(state, item) ?? []),
      );
      const seen = new Set<string>();
      return found.filter(({ symbol }) => !seen.has(symbol) && seen.add(symbol)).reverse();
    },
    mayAddress: (operation) =>
      (links.get(operation.id)?.length ?? 0) > 0 ||
      slotsOf(operation.path).some(({ key, collection, parameter }) => {
        const state = slots.get(key);
        if (state === undefined) return false;
        const isSeen = state.proven.length > 0 || (collections.get(collection)?.items.length ?? 0) > 0;
        return (
          isSeen ||
          relatedTo(state, stemOf(parameter)).length > 0 ||
          wantedNames(state.slot).some((name) => mentioned.has(name))
        );
      }),
    isWanted: (collection) => wanted.has(collection),
    relatedTo,
    linksTo: ({ id }) => links.get(id) ?? [],
    knows: (noun) => (topics.get(`.${noun}`) ?? 0) > 0,
    mayKnow: (noun) => nouns.has(noun),
    mentions: (name) => mentioned.get(name) ?? [],
    lastRead: (path, values) => reads.get(readKey(path, values)),
    revisionFor: (operation, names = []) => {
      const known = about.get(operation) ?? aboutOf(operation);
      about.set(operation, known);
      let sum = linkRevisions.get(operation.id) ?? 0;
      for (const topic of known.topics) sum += topics.get(topic) ?? 0;
      for (const { revision } of known.slots) sum += revision;
      for (const name of names) sum += topics.get(`.${name}`) ?? 0;
      return sum;
    },
    observe: (observed) => {
      const { operation, seen } = observed;
      const { status } = seen;
      if (status === undefined) return;
      const values = pathValues(operation, seen);
      const isYes = status >= 200 && status < 300;
      if (isYes) {
        observeBody(observed, values);
        observeLinks(observed);
        rememberRead(observed);
      }
      if (isYes || aboutAddress.has(status)) learnAddress(operation, values, status);
      if (isYes && operation.method === 'delete') forget(operation.path, values);
    },
    symbolOf: (path, parameter, value) => {
      const slot = slotsOf(path).find((candidate) => candidate.parameter === parameter);
      if (slot === undefined || !isScalar(value)) return undefined;
      const items = collections.get(slot.collection)?.items ?? [];
      if (!items.some(({ scalars }) => [...scalars.values()].some((other) => String(other) === String(value))))
        return undefined;
      return symbolFor(slot, value);
    },
  };
}

/** Members of an item that may be what it is addressed by, beyond doubt rather than by trial. */
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

/** Plain names of members elsewhere that may hold what a slot asks for. A bare `id` or `name` says nothing. */
export function wantedNames({ parameter, noun }: Slot): string[] {
  const name = normal(parameter);
  const stem = stemOf(parameter);
  const isBare = stem === '' || /^(id|uuid|guid|name|key|slug|code|ref|number|value|type)$/.test(name);
  return [...new Set(isBare ? [`${noun}${name}`, `${noun}id`, noun] : [name, `${stem}id`, stem, `${noun}id`])].filter(
    (wanted) => wanted.length > 2,
  );
}

function readSlots(contract: Contract): Map<string, OpenSlot> {
  const slots = new Map<string, OpenSlot>();
  for (const operation of contract.operations) {
    for (const slot of slotsOf(operation.path)) {
      const known = slots.get(slot.key);
      const isRead = operation.method === 'get' && plainPath(operation.path) === slot.key;
      const components = isRead ? answeredComponents(contract.root, operation, 1) : new Set<string>();
      if (known === undefined) {
        const state = { slot, components, isReadable: isRead, revision: 0 };
        slots.set(slot.key, { ...state, proven: [], refused: new Set(), deleted: new Set(), pairings: new Map() });
      } else if (isRead) slots.set(slot.key, { ...known, components, isReadable: true });
    }
  }
  return slots;
}

function addTo<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [value]);
  else known.push(value);
}

function readKey(path: string, values: Readonly<Record<string, unknown>>): string {
  return `${plainPath(path)} ${JSON.stringify(slotsOf(path).map(({ parameter }) => values[parameter]))}`;
}
