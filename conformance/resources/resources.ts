import { type Contract, type Operation, responseFor } from '../contract/contract.ts';
import { isObject, type Seen } from '../contract/document.ts';
import { isSameParents, linkedValues, pathValues, readAddress } from './addresses.ts';
import {
  type Collections,
  createCollections,
  type Item,
  idsAmong,
  type Mention,
  madeIdOf,
  type Related,
} from './collections.ts';
import { isScalar, readItems, readScalars, type Scalar, type Scalars, showsAnother } from './read-items.ts';
import { normal, nounOf, nounsOfPath, operationAt, plainPath, rankName, type Slot, slotsOf, stemOf } from './slots.ts';
import { createTrials, type SlotState, startsWith, type Trials } from './trials.ts';

/**
 * Resources seen in accepted answers: items of collections, their parents, whether this run created them, and the member by which
 * a path addresses them. A bounded number of scalars is kept, and the last bodies for `lastRead`. The state depends only on the
 * exchanges and their order.
 */
export interface Resources {
  /** Records an answered request, in the order of the plan. */
  readonly observe: (exchange: Observed) => void;
  /**
   * A number that rises when new values may help this operation. While it stays, the targets stay the same.
   *
   * @param names plain names of other resources that the operation refers to, `author`
   */
  readonly revisionFor: (operation: Operation, names?: readonly string[]) => number;
  readonly slots: Trials['slots'];
  readonly collections: Collections['all'];
  /** Other collections that may hold values for a slot. */
  readonly relatedTo: (state: SlotState, stem: string) => readonly Related[];
  /** Whether a value was seen that may be an id in this path. */
  readonly mayAddress: (operation: Operation) => boolean;
  /** Slots and collections of a noun: `{authorId}` and `/authors` for `author`. */
  readonly called: (noun: string) => {
    readonly slots: ReturnType<Trials['called']>;
    readonly collections: ReturnType<Collections['called']>;
  };
  /** Whether some path needs an item of this collection. */
  readonly isWanted: (collection: string) => boolean;
  /** Values for an operation from the links of accepted answers. */
  readonly linksTo: (operation: Operation) => readonly Linked[];
  /** Whether an item of this name, `author`, was seen; whether a collection of the contract may hold one. */
  readonly knows: (noun: string) => boolean;
  readonly mayKnow: (noun: string) => boolean;
  readonly mentions: (name: string) => readonly Mention[];
  /** The object as last read with these parameters; undefined if it was never read, or was too large. */
  readonly lastRead: (path: string, values: Readonly<Record<string, unknown>>) => unknown;
  /** Number of creates accepted at a path or beneath it: an older list of it may be outdated. */
  readonly createdAt: (path: string) => number;
  /** Whether a member of the item marks it as part of the deployment. */
  readonly isOfSystem: (operation: Operation, values: Readonly<Record<string, unknown>>) => boolean;
  /** Whether a request is about an object that this run created, or about one beneath it. */
  readonly isOwned: (operation: Operation, seen: Seen) => boolean;
  /** Objects that this run created and has not deleted, the last one first. */
  readonly created: () => readonly Created[];
  /** `book#1` for an id that a server chose, the same in every run; undefined for any other value. */
  readonly symbolOf: (path: string, parameter: string, value: unknown) => string | undefined;
}

export interface Observed {
  readonly operation: Operation;
  readonly seen: Seen;
}

export interface Linked {
  /** By parameter name, without the prefix `path.` or `query.` of a link. */
  readonly values: Readonly<Record<string, Scalar>>;
  readonly owned: boolean;
}

/** An object that this run created. */
export interface Created {
  readonly collection: string;
  readonly symbol: string;
  /** The DELETE of its path with the parameter values; undefined if the contract has none, or no id is known. */
  readonly undo: { readonly operation: Operation; readonly values: Readonly<Record<string, Scalar>> } | undefined;
}

const most = { links: 12, linkedItems: 6, reads: 200, readLength: 20_000 } as const;

/** Statuses that mean that an address does not exist or is invalid. */
const aboutAddress = new Set([400, 404, 410, 422]);

export function createResources(contract: Contract): Resources {
  const collections = createCollections();
  const trials = createTrials(contract, collections);
  const { slots, isOwned } = trials;
  const { itemsAt } = collections;
  const links = new Map<string, Linked[]>();
  const reads = new Map<string, unknown>();
  const symbols = new Map<string, Map<string, string>>();
  /** Slots and ids of deleted objects. */
  const gone = new Set<string>();
  const createdByPath = new Map<string, number>();
  const topics = new Map<Operation, readonly string[]>();
  const wanted = new Set([...slots.values()].map(({ slot }) => slot.collection));
  const nouns = new Set(contract.operations.flatMap(({ path }) => nounsOfPath(plainPath(path))));
  const templates = [...slots.values()].map(({ slot }) => slot).sort((a, b) => b.key.length - a.key.length);

  const observeLinks = ({ operation, seen }: Observed): void => {
    const response = seen.status === undefined ? undefined : responseFor(operation, seen.status);
    for (const { to, parameters } of response?.links ?? []) {
      for (let index = 0; index < most.linkedItems; index += 1) {
        const values = linkedValues(parameters, index, seen);
        const known = links.get(to) ?? [];
        if (values === undefined || known.length >= most.links) break;
        if (known.some((other) => JSON.stringify(other.values) === JSON.stringify(values))) continue;
        links.set(to, [...known, { values, owned: operation.method === 'post' }]);
      }
    }
  };

  /** Adds the item that a `Location` names: `/v1/books/7` or `https://host/v1/books/7`. */
  const observeLocation = ({ seen }: Observed, owned: boolean): boolean => {
    const location = seen.responseHeaders?.location;
    const found = typeof location === 'string' ? readAddress(location, templates) : undefined;
    const last = found?.values.at(-1);
    if (found === undefined || last === undefined) return false;
    const item = { scalars: new Map([['@link', last]]), parents: found.values.slice(0, -1), owned };
    collections.add(found.slot.collection, item);
    return true;
  };

  const observeCreate = (observed: Observed, parents: readonly Scalar[], scalars: Scalars): void => {
    const { operation, seen } = observed;
    const path = plainPath(operation.path);
    for (let above = path; ; above = above.slice(0, above.lastIndexOf('/'))) {
      createdByPath.set(above, (createdByPath.get(above) ?? 0) + 1);
      if (above === '') break;
    }
    const sent = isObject(seen.requestBody) ? readScalars(seen.requestBody) : new Map<string, Scalar>();
    const isAnother = showsAnother(seen.status, sent, scalars);
    const hasLocation = observeLocation(observed, !isAnother);
    const known = new Map(scalars);
    // If the answer has no id, the object may be addressed by a member that was sent.
    for (const [member, value] of sent) if (!known.has(member)) known.set(`@given.${member}`, value);
    const slot = slots.get(`${path}/{}`)?.slot;
    const made = slot && madeIdOf({ shown: scalars, sent, parents, slot });
    if (made !== undefined && !hasLocation) known.set('@made', made[1]);
    if (hasLocation && scalars.size === 0) return;
    const before = itemsAt(path).filter((item) => !item.owned && isSameParents(item.parents, parents));
    // An id that was listed before does not belong to a new object.
    const isKnown = ([member, value]: readonly [string, Scalar]): boolean =>
      before.some((item) => item.scalars.get(member) === value);
    const owned = !isAnother && ![...idsAmong(scalars, slot), ...(made === undefined ? [] : [made])].some(isKnown);
    if (known.size > 0) collections.add(path, { scalars: known, parents, owned });
  };

  const observeBody = (observed: Observed, values: readonly Scalar[]): void => {
    const { operation, seen } = observed;
    const path = plainPath(operation.path);
    const slot = path.endsWith('{}') ? slots.get(path)?.slot : undefined;
    const { list, whole, isList } = readItems(seen.responseBody, nounOf(path));
    // A search by POST (`x-effect: none`) creates nothing.
    if (operation.method === 'post' && slot === undefined && operation.extensions.effect !== 'none') {
      const item = Array.isArray(seen.responseBody) ? list[0] : whole;
      observeCreate(observed, values, item ?? new Map());
    } else if (operation.method === 'delete') return;
    else if (slot !== undefined) {
      const last = values.at(-1);
      if (last === undefined) return;
      const owned = isOwned(slot, values) || (operation.method === 'put' && seen.status === 201);
      const scalars = new Map(whole ?? []).set('@sent', last);
      collections.add(slot.collection, { scalars, parents: values.slice(0, -1), owned });
    } else {
      const shown = isList || whole === undefined ? list : [whole];
      for (const scalars of shown) collections.add(path, { scalars, parents: values, owned: false });
    }
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

  const forget = (path: string, values: readonly Scalar[]): void => {
    trials.forget(path, values);
    const key = plainPath(path);
    const slot = slots.get(key)?.slot;
    gone.add(`${key} ${values.at(-1)}`);
    const isGone = ({ parents, scalars }: Item): boolean =>
      isSameParents(parents, values.slice(0, -1)) &&
      [...idsAmong(scalars, slot).values()].some((value) => String(value) === String(values.at(-1)));
    for (const collection of collections.all.keys()) {
      if (collection === slot?.collection) collections.keep(collection, (item) => !isGone(item));
      else if (collection.startsWith(`${key}/`))
        collections.keep(collection, ({ parents }) => !startsWith(parents, values));
    }
  };

  const symbolFor = ({ key, noun }: Slot, value: Scalar): string => {
    const known = symbols.get(key) ?? new Map<string, string>();
    symbols.set(key, known);
    const symbol = known.get(String(value)) ?? `${noun === '' ? 'id' : noun}#${known.size + 1}`;
    known.set(String(value), symbol);
    return symbol;
  };

  const describeCreated = ({ slot, pairings }: SlotState, item: Item): Created | undefined => {
    const doubtOf = (member: string): number => ((pairings.get(member)?.yes ?? 0) > 0 ? 0 : rankName(member, slot));
    const [best] = [...item.scalars].sort(([a], [b]) => doubtOf(a) - doubtOf(b));
    if (best === undefined || doubtOf(best[0]) === Number.POSITIVE_INFINITY) return undefined;
    const operation = operationAt(contract, 'delete', slot.key);
    const address = [...item.parents, best[1]];
    const named = slotsOf(operation?.path ?? '').map(({ parameter }, index) => [parameter, address[index]] as const);
    const isWhole = operation !== undefined && named.every(([, value]) => value !== undefined);
    const undo = isWhole ? { operation, values: Object.fromEntries(named) as Record<string, Scalar> } : undefined;
    return { collection: slot.collection, symbol: symbolFor(slot, best[1]), undo };
  };

  /** Topics whose additions may help an operation; they stay the same for the whole run. */
  const topicsOf = (operation: Operation): readonly string[] => {
    const known = topics.get(operation);
    if (known !== undefined) return known;
    const found = slotsOf(operation.path).flatMap(({ key }) => {
      const state = slots.get(key);
      if (state === undefined) return [];
      return [state.slot.collection, ...wantedNames(state.slot).map((name) => `.${name}`)];
    });
    topics.set(operation, found);
    return found;
  };

  const relatedTo: Resources['relatedTo'] = ({ slot }, stem) => collections.relatedTo(slot, stem);

  return {
    slots,
    collections: collections.all,
    relatedTo,
    mentions: collections.mentions,
    called: (noun) => ({ slots: trials.called(noun), collections: collections.called(noun) }),
    createdAt: (path) => createdByPath.get(plainPath(path)) ?? 0,
    isWanted: (collection) => wanted.has(collection),
    linksTo: ({ id, path }) =>
      (links.get(id) ?? []).filter(
        ({ values }) => !slotsOf(path).some(({ key, parameter }) => gone.has(`${key} ${values[parameter]}`)),
      ),
    knows: (noun) => collections.additionsOf(`.${noun}`) > 0,
    mayKnow: (noun) => nouns.has(noun),
    lastRead: (path, values) => reads.get(readKey(path, values)),
    isOfSystem: ({ path }, values) => {
      const last = slotsOf(path).at(-1);
      const value = last === undefined ? undefined : values[last.parameter];
      return itemsAt(last?.collection ?? '').some(({ scalars }) => scalars.has('@system') && hasValue(scalars, value));
    },
    isOwned: (operation, seen) => {
      const slot = slotsOf(operation.path).at(-1);
      return slot !== undefined && isOwned(slot, pathValues(operation, seen));
    },
    created: () => {
      const found = [...slots.values()].flatMap((state) =>
        itemsAt(state.slot.collection)
          .filter(({ owned }) => owned)
          .flatMap((item) => describeCreated(state, item) ?? []),
      );
      const seen = new Set<string>();
      return found.filter(({ symbol }) => !seen.has(symbol) && seen.add(symbol)).reverse();
    },
    mayAddress: (operation) =>
      (links.get(operation.id)?.length ?? 0) > 0 ||
      slotsOf(operation.path).some(({ key, collection, parameter }) => {
        const state = slots.get(key);
        if (state === undefined) return false;
        return (
          state.proven.length > 0 ||
          itemsAt(collection).length > 0 ||
          relatedTo(state, stemOf(parameter)).length > 0 ||
          wantedNames(state.slot).some((name) => collections.mentions(name).length > 0)
        );
      }),
    revisionFor: (operation, names = []) => {
      let sum = links.get(operation.id)?.length ?? 0;
      for (const topic of topicsOf(operation)) sum += collections.additionsOf(topic);
      for (const { key } of slotsOf(operation.path)) sum += slots.get(key)?.revision ?? 0;
      for (const name of names) sum += collections.additionsOf(`.${name}`);
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
      if (isYes || aboutAddress.has(status)) trials.learn(operation, values, status);
      if (isYes && operation.method === 'delete') forget(operation.path, values);
      else if (isYes) gone.delete(`${plainPath(operation.path)} ${values.at(-1)}`);
    },
    symbolOf: (path, parameter, value) => {
      const slot = slotsOf(path).find((candidate) => candidate.parameter === parameter);
      if (slot === undefined || !isScalar(value)) return undefined;
      return itemsAt(slot.collection).some(({ scalars }) => hasValue(scalars, value))
        ? symbolFor(slot, value)
        : undefined;
    },
  };
}

function hasValue(scalars: Scalars, value: unknown): boolean {
  return [...scalars.values()].some((other) => String(other) === String(value));
}

/** Plain names of members elsewhere that may hold values for a slot. A bare `id` or `name` gets the noun before it. */
export function wantedNames({ parameter, noun }: Slot): string[] {
  const name = normal(parameter);
  const stem = stemOf(parameter);
  const isBare = stem === '' || /^(id|uuid|guid|name|key|slug|code|ref|number|value|type)$/.test(name);
  return [...new Set(isBare ? [`${noun}${name}`, `${noun}id`, noun] : [name, `${stem}id`, stem, `${noun}id`])].filter(
    (wanted) => wanted.length > 2,
  );
}

function readKey(path: string, values: Readonly<Record<string, unknown>>): string {
  return `${plainPath(path)} ${JSON.stringify(slotsOf(path).map(({ parameter }) => values[parameter]))}`;
}
