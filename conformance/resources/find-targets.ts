import type { Contract, Operation, Parameter } from '../contract/contract.ts';
import { follow, isObject, memberOf, placeAt } from '../contract/document.ts';
import type { Judge } from '../schema/create-judge.ts';
import { addressKey, isSameParents } from './addresses.ts';
import type { Item } from './collections.ts';
import { isScalar, type Scalar } from './read-items.ts';
import { type Resources, wantedNames } from './resources.ts';
import { guess, isIdName, normal, rankName, type Slot, singular, slotsOf, stemOf } from './slots.ts';
import type { SlotState } from './trials.ts';

/** Values for the parameters that name the object of a call. */
export interface Target {
  readonly label: 'linked' | 'recorded' | 'guessed' | 'generated' | 'example';
  /** By parameter name. The caller chooses the missing ones. */
  readonly values: Readonly<Record<string, Scalar>>;
  /** Whether this run created the named object, or one above it. */
  readonly owned: boolean;
  /** Whether the values were accepted before, linked, or read from a member that names an id: only these may be changed. */
  readonly sure: boolean;
  /** Whether the values were accepted before. */
  readonly proven?: boolean;
}

/** A target without values: the request has the contract's examples. */
export const exampleTarget: Target = { label: 'example', values: {}, owned: false, sure: false };

interface Tools {
  readonly contract: Contract;
  readonly judge: Judge;
}

/** Values for the first parameters of a path. */
interface Chain {
  readonly values: readonly Scalar[];
  /** 0 if accepted before; each guess adds to it. */
  readonly doubt: number;
  readonly order: number;
  readonly owned: boolean;
}

const mostChains = 24;
const mostTargets = 12;

/**
 * Targets of an operation, best first: links, addresses accepted before, items of the collection by the member whose name fits
 * best, foreign keys elsewhere. Each value is valid by its parameter's schema, and a child has the parent under which it was read.
 */
export function findTargets(tools: Tools, resources: Resources, operation: Operation): Target[] {
  const slots = slotsOf(operation.path);
  const needed = operation.parameters.filter(({ required }) => required);
  const inPath = (slot: Slot): Parameter | undefined =>
    needed.find((parameter) => parameter.in === 'path' && parameter.name === slot.parameter);
  const accepted = new Set(
    resources.slots.get(slots.at(-1)?.key ?? '')?.proven.map(({ values }) => addressKey(values)),
  );
  // Some operation has accepted the address: another linked object may be in a state that rejects every call.
  const isAccepted = ({ values }: Target): boolean =>
    accepted.has(addressKey(slots.flatMap(({ parameter }) => values[parameter] ?? [])));
  const linked = resources
    .linksTo(operation)
    .filter(({ values }) => needed.some(({ name }) => name in values))
    .map(({ values, owned }): Target => ({ label: 'linked', values, owned, sure: true }))
    .sort((a, b) => Number(isAccepted(b)) - Number(isAccepted(a)));
  const chains = slots.length === 0 ? [] : findChains(tools, resources, slots, inPath);
  const recorded = chains.map(({ values, doubt, owned }): Target => {
    const named = Object.fromEntries(slots.map(({ parameter }, index) => [parameter, values[index] as Scalar]));
    const sure = doubt < guess;
    const label = sure ? 'recorded' : 'guessed';
    return { label, values: named, owned, sure, proven: doubt === 0 };
  });
  const others = needed.filter((parameter) => parameter.in !== 'path');
  const all = [...linked, ...recorded];
  const distinct = uniqueBy(
    all.map((target) => fitTarget(tools, target, needed)).filter((target) => target !== undefined),
    ({ values }) => JSON.stringify(Object.entries(values).sort()),
  );
  const isSafe = operation.method === 'get' || operation.method === 'head';
  // Owned objects come first, but a read prefers sure ones of others to guesses.
  const rank = ({ owned, sure }: Target): number => (isSafe && !sure ? 2 : owned ? 0 : 1);
  const ranked = distinct
    .map((target, index) => ({ target, index }))
    .sort((a, b) => rank(a.target) - rank(b.target) || a.index - b.index)
    .map(({ target }) => target);
  const withOthers = addReferences(tools, resources, ranked.length === 0 ? [exampleTarget] : ranked, others);
  return withOthers.filter((target) => target !== exampleTarget).slice(0, mostTargets);
}

/** Adds ids for parameters outside of the path, the surest first. */
function addReferences(
  tools: Tools,
  resources: Resources,
  targets: readonly Target[],
  parameters: readonly Parameter[],
): Target[] {
  let found = [...targets];
  for (const parameter of parameters) {
    if (enumOf(tools.contract, parameter.schema).length > 0) continue;
    const values = referencesFor(tools, resources, parameter.name, parameter.schema).slice(0, 3);
    if (values.length === 0) continue;
    found = found.flatMap((target, index) =>
      target.values[parameter.name] === undefined
        ? (index === 0 ? values : values.slice(0, 1)).map((value) => ({
            ...target,
            label: target.label === 'example' ? ('recorded' as const) : target.label,
            values: { ...target.values, [parameter.name]: value },
          }))
        : [target],
    );
  }
  return found;
}

/**
 * Values for a name outside of a path: `authorId` asks for ids of authors, whatever answer showed them.
 *
 * @returns best first; empty if the name refers to no known resource
 */
export function referencesFor(
  tools: Tools,
  resources: Resources,
  name: string,
  schema: string | undefined,
  noun = stemOf(name),
): Scalar[] {
  if (noun === '') return [];
  const found: Scalar[] = [];
  const called = resources.called(noun);
  for (const state of called.slots) {
    for (const { values } of state.proven) {
      const last = values.at(-1);
      if (values.length === slotsOf(state.slot.key).length && last !== undefined) found.push(last);
    }
  }
  // `author: 7` asks for an id as `authorId: 7` does; only a name such as `authorSlug` asks for another member.
  const asked = /(slug|name|key|code)s?$/i.exec(name)?.[1] ?? 'id';
  const slot = { parameter: asked, key: '', collection: '', noun };
  for (const collection of called.collections) {
    found.push(...byMember(collection.items, { ...slot, noun: collection.noun }, undefined).map(({ value }) => value));
  }
  if (isIdName(name) || found.length > 0) {
    for (const mentioned of [normal(singular(name)), `${noun}id`]) {
      found.push(...resources.mentions(mentioned).map(({ value }) => value));
    }
  }
  return uniqueBy(
    found.map((value) => spell(tools, schema, value)).filter((value) => value !== undefined),
    String,
  );
}

function findChains(
  tools: Tools,
  resources: Resources,
  slots: readonly Slot[],
  parameterOf: (slot: Slot) => Parameter | undefined,
): Chain[] {
  let outer: Chain[] = [{ values: [], doubt: 0, order: 0, owned: false }];
  for (const slot of slots) {
    const state = resources.slots.get(slot.key);
    const parameter = parameterOf(slot);
    const schema = parameter?.schema;
    const fits = new Map<Scalar, boolean>();
    const isFit = (value: Scalar): boolean => {
      const known = fits.get(value) ?? (schema === undefined || spell(tools, schema, value) !== undefined);
      fits.set(value, known);
      return known;
    };
    const chosen = enumOf(tools.contract, schema);
    const found: Chain[] = [];
    const beneath = (value: Scalar, doubt: number, order: number, among = outer, owned = false): void => {
      for (const above of among.slice(0, 4)) {
        const values = [...above.values, value];
        found.push({ values, doubt: above.doubt + doubt, order: above.order + order, owned: owned || above.owned });
      }
    };
    if (chosen.length > 0) for (const [index, value] of chosen.slice(0, 4).entries()) beneath(value, 1, index);
    else if (state !== undefined) {
      found.push(...state.proven.map(({ values, owned }, order) => ({ values, doubt: 0, order: order / 100, owned })));
      found.push(...fromCollection(resources, state, slot, outer));
      for (const { value, doubt, order, item, owned } of fromElsewhere(resources, state, slot)) {
        // An item that holds both values proves that they belong together.
        const isTogether = ({ values }: Chain): boolean => [...item.scalars.values()].includes(values.at(-1) as Scalar);
        const together = outer.filter(isTogether);
        beneath(value, doubt, order, together, owned);
        const others = outer.filter((chain) => !isTogether(chain));
        beneath(value, doubt + (together.length > 0 ? 1 : 0), order + (together.length > 0 ? 4 : 0), others, owned);
      }
    }
    const rejected = state?.rejected ?? new Set<string>();
    const ordered = found
      .map((chain, index) => ({ chain, index }))
      .sort((a, b) => a.chain.order - b.chain.order || a.index - b.index);
    const kept = new Map<string, Chain>();
    for (const { chain } of ordered) {
      if (kept.size >= mostChains) break;
      const last = chain.values.at(-1);
      const key = JSON.stringify(chain.values);
      if (last === undefined || kept.has(key) || !isFit(last)) continue;
      if (!rejected.has(addressKey(chain.values))) kept.set(key, chain);
    }
    outer = [...kept.values()];
  }
  return outer;
}

/** Items of the collection itself, each with the parents under which it was read. */
function fromCollection(resources: Resources, state: SlotState, slot: Slot, outer: readonly Chain[]): Chain[] {
  const items = resources.collections.get(slot.collection)?.items ?? [];
  return byMember(ofKindFirst(items, slot), slot, state).flatMap(({ value, doubt, order, item }) => {
    const above = outer.find(({ values }) => isSameParents(values, item.parents));
    const values = [...(above?.values ?? item.parents), value];
    if (item.parents.length !== slotsOf(slot.key).length - 1) return [];
    return [
      {
        values,
        doubt: (above?.doubt ?? 1) + doubt,
        order: (above?.order ?? 1) + order,
        owned: (item.owned && doubt < guess) || above?.owned === true,
      },
    ];
  });
}

interface Found {
  readonly value: Scalar;
  readonly doubt: number;
  /** Rank; lower values are tried first. */
  readonly order: number;
  readonly item: Item;
  /** Whether this run created the object, though it was seen in another collection. */
  readonly owned?: boolean;
}

/** Values of other collections, foreign keys and members of the same name. */
function fromElsewhere(resources: Resources, state: SlotState, slot: Slot): Found[] {
  const related = resources.relatedTo(state, stemOf(slot.parameter)).flatMap(({ collection, isNamed }) => {
    const doubt = isNamed ? 5 : 6;
    const { noun } = collection;
    const named = byMember(ofKindFirst(collection.items, slot), { ...slot, noun: isNamed ? noun : slot.noun }, state);
    return named.map((found) => ({ ...found, doubt: found.doubt + doubt, owned: isNamed && found.item.owned }));
  });
  const mentioned = wantedNames(slot).flatMap((name, index) =>
    resources
      .mentions(name)
      .map(({ value, item }, place) => ({ value, item, doubt: 6 + index, order: 6 + index + place })),
  );
  return [...related, ...mentioned];
}

/** Sorts items first that have the parameter's stem as a value: for `bridgeId`, an item with `type: Bridge`. */
function ofKindFirst(items: readonly Item[], { parameter }: Slot): Item[] {
  const kind = stemOf(parameter);
  if (kind === '') return [...items];
  const isOfKind = ({ scalars }: Item): boolean =>
    [...scalars].some(
      ([member, value]) => typeof value === 'string' && !member.startsWith('@') && normal(value) === kind,
    );
  return [...items.filter(isOfKind), ...items.filter((item) => !isOfKind(item))];
}

/**
 * Values of items by the rank of their member, owned items first. After a rejection another member is likelier to fit than another
 * item, so the second item follows the second member until a trial has settled the member.
 */
function byMember(items: readonly Item[], slot: Slot, state: SlotState | undefined): Found[] {
  const ordered = [...items.filter(({ owned }) => owned), ...items.filter(({ owned }) => !owned)];
  return ordered
    .flatMap((item, index) => {
      const ranked = [...item.scalars]
        .map(([member, value]) => ({ value, doubt: rankMember(member, slot, state) }))
        .filter(({ doubt }) => doubt < Number.POSITIVE_INFINITY)
        .sort((a, b) => a.doubt - b.doubt);
      // A member settled for one path may be wrong on another: one path goes by name, the next by id.
      const isSettled = ranked[0]?.doubt === 0;
      return ranked.map(({ value, doubt }, place) => {
        const order = place + index * 1.5 + (isSettled && doubt > 0 ? 50 : 0);
        return { value, item, doubt, order };
      });
    })
    .sort((a, b) => a.order - b.order);
}

/** Distance of a member's name from the name in a path: 0 if the server accepted it, infinity if it cannot be an id. */
function rankMember(member: string, slot: Slot, state: SlotState | undefined): number {
  const pairing = state?.pairings.get(member);
  if (pairing !== undefined && pairing.yes > 0 && pairing.yes >= pairing.no) return 0;
  const penalty = pairing === undefined || pairing.yes > 0 ? 0 : 6 * pairing.no;
  return penalty >= 18 ? Number.POSITIVE_INFINITY : rankName(member, slot) + penalty;
}

/** The value as the schema declares it: `"7"` for a text, 7 for a number; undefined if neither is valid. */
export function spell({ judge }: Pick<Tools, 'judge'>, schema: string | undefined, value: Scalar): Scalar | undefined {
  if (schema === undefined) return value;
  const spelled = [value, String(value), ...(value !== '' && Number.isFinite(Number(value)) ? [Number(value)] : [])];
  return spelled.find((candidate) => judge.accepts(schema, 'request', candidate));
}

export function enumOf(contract: Contract, schema: string | undefined): readonly Scalar[] {
  if (schema === undefined) return [];
  const place = follow(contract.root, placeAt(contract.root, schema));
  const value = place?.value;
  if (!isObject(value)) return [];
  const members = value.const === undefined ? value.enum : [value.const];
  return Array.isArray(members) ? members.filter(isScalar) : [];
}

function fitTarget(tools: Tools, target: Target, needed: readonly Parameter[]): Target | undefined {
  const entries = needed.flatMap((parameter): [string, Scalar][] => {
    const value = memberOf(target.values, parameter.name);
    const spelled = isScalar(value) ? spell(tools, parameter.schema, value) : undefined;
    return spelled === undefined ? [] : [[parameter.name, spelled]];
  });
  const isWhole = entries.length === Object.keys(target.values).length;
  return isWhole || target.label === 'linked' ? { ...target, values: Object.fromEntries(entries) } : undefined;
}

function uniqueBy<Value>(values: readonly Value[], keyOf: (value: Value) => string): Value[] {
  const seen = new Set<string>();
  return values.filter((value) => {
    const key = keyOf(value);
    return !seen.has(key) && seen.add(key);
  });
}
