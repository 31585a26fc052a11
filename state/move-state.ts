import { isObject } from '@lockstep/json/json-pointer';
import { readDuration } from '@lockstep/values/instant';
import type { ItemBuilder } from './build-item.ts';
import type { Model, Plan } from './infer-roles.ts';
import type { ItemFacts } from './make-member.ts';
import { once } from './once.ts';
import { type Place, replaceAtPlace, type SchemaReader, valueAtPlace } from './read-schemas.ts';
import type { Resource } from './resource.ts';
import type { StoredItem } from './store.ts';

/** The states of an item, as `x-state` of a read declares them. */
interface States {
  readonly place: Place;
  readonly done: Place | undefined;
  readonly deadline: Place | undefined;
  /** Duration of each state. */
  readonly everyMs: number;
  readonly next: ReadonlyMap<string, readonly unknown[]>;
}

/** Duration of a state where the contract does not declare how often a client reads it. */
const usualMs = 1_000;

export type StateMover = ReturnType<typeof createStateMover>;

/** Moves items forward through the states of `x-state`: each state lasts as long as a client waits between two reads. */
export function createStateMover(reader: SchemaReader, { plans }: Pick<Model, 'plans'>, builder: ItemBuilder) {
  const statesOf = once((resource: Resource): { readonly states: States | undefined } => {
    const found = [...plans.values()].filter(({ address }) => address.resource === resource).map(readStates);
    return { states: found.find((states) => states !== undefined) };
  });

  return { startOf, move };

  /** The values of a new item: its first state is one that no other leads to. */
  function startOf(resource: Resource, now: number): ItemFacts['start'] {
    const { states } = statesOf(resource);
    if (states === undefined) return [];
    const { place, done, deadline, next, everyMs } = states;
    const later = new Set([...next.values()].flat());
    const names = [...next.keys()];
    const first = names.find((state) => !later.has(state)) ?? names[0];
    const node = deadline === undefined ? undefined : nodeAt(resource, deadline);
    const end = node === undefined ? undefined : builder.time(node, now + everyMs * (next.size + 1));
    return [
      { place, value: first },
      ...(done === undefined ? [] : [{ place: done, value: false }]),
      ...(deadline === undefined || end === undefined ? [] : [{ place: deadline, value: end }]),
    ];
  }

  /** The item at a time; the same one if its state has not changed until then. */
  function move(resource: Resource, item: StoredItem, facts: ItemFacts): StoredItem {
    const { states } = statesOf(resource);
    if (states === undefined || item.isExample) return item;
    let moved = item;
    // A faulty contract may have a circle of states.
    for (let step = 0; step < states.next.size; step += 1) {
      const [next] = states.next.get(String(valueAtPlace(moved.value, states.place))) ?? [];
      const at = endOfState(moved, states);
      if (next === undefined || at > facts.now) break;
      const stated = replaceAtPlace(moved.value, states.place, next);
      const whole =
        states.done === undefined ? stated : replaceAtPlace(stated, states.done, !states.next.has(String(next)));
      if (!isObject(whole)) break;
      const value = builder.change(resource, moved.value, whole, { ...facts, now: at });
      moved = { ...moved, value, version: moved.version + 1, changedAt: at };
    }
    return moved;
  }

  function endOfState({ value, changedAt }: StoredItem, { deadline, everyMs }: States): number {
    const end = deadline === undefined ? undefined : valueAtPlace(value, deadline);
    const last = typeof end === 'string' ? Date.parse(end) : Number.NaN;
    const usual = changedAt + everyMs;
    return Number.isNaN(last) ? usual : Math.max(changedAt, Math.min(usual, last));
  }

  function nodeAt({ views }: Resource, [name, ...others]: Place) {
    return name === undefined || others.length > 0
      ? undefined
      : views.flatMap((view) => reader.membersOf(view).get(name) ?? [])[0];
  }
}

/** The places are in the answer, which may have the item in a wrapper. */
function readStates({ operation, item }: Plan): States | undefined {
  const { 'x-state': declared } = operation.extensions;
  if (!isObject(declared) || !isObject(declared.next)) return undefined;
  const outer = item?.place ?? [];
  const placeOf = (pointer: unknown): Place | undefined => {
    if (typeof pointer !== 'string') return undefined;
    const names = pointer.split('/').slice(1);
    return outer.every((name, index) => names[index] === name) ? names.slice(outer.length) : names;
  };
  const place = placeOf(declared.field);
  const entries = Object.entries(declared.next).filter((entry): entry is [string, unknown[]] =>
    Array.isArray(entry[1]),
  );
  if (place === undefined || entries.length === 0) return undefined;
  const everyMs = readDuration(String(declared.every)) ?? usualMs;
  return {
    place,
    done: placeOf(declared.done),
    deadline: placeOf(declared.deadline),
    everyMs: Math.max(1, everyMs),
    next: new Map(entries),
  };
}
