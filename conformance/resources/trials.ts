import type { Contract, Operation } from '../contract/contract.ts';
import { addressKey, isSameParents } from './addresses.ts';
import { addTo, type Collections, type Item, idsAmong } from './collections.ts';
import type { Scalar } from './read-items.ts';
import { nounsOfPath, plainPath, rankName, type Slot, slotsOf, stemOf } from './slots.ts';

/** Results of trials for one slot. */
export interface SlotState {
  readonly slot: Slot;
  /** Whether the contract has a GET of one object: a guess is tried on it before a change. */
  readonly isReadable: boolean;
  /** Addresses that got a 2xx, the last one first. */
  readonly proven: readonly Proven[];
  /** Addresses that were rejected and not accepted since. */
  readonly rejected: ReadonlySet<string>;
  /** Results of trials with the values of a member, by the path of the member. */
  readonly pairings: ReadonlyMap<string, Pairing>;
  /** Rises with each result. */
  readonly revision: number;
}

export interface Pairing {
  readonly yes: number;
  readonly no: number;
}

export interface Proven {
  readonly values: readonly Scalar[];
  readonly owned: boolean;
}

export interface Trials {
  readonly slots: ReadonlyMap<string, SlotState>;
  /** @param values of the path's parameters, outer first */
  readonly learn: (operation: Operation, values: readonly Scalar[], status: number) => void;
  /** Removes an object that was deleted, with all beneath it. */
  readonly forget: (path: string, values: readonly Scalar[]) => void;
  /** Whether this run created the object at an address, or one above it. */
  readonly isOwned: (slot: Slot, values: readonly Scalar[]) => boolean;
  readonly called: (noun: string) => readonly SlotState[];
}

interface OpenSlot extends SlotState {
  readonly proven: Proven[];
  readonly rejected: Set<string>;
  readonly pairings: Map<string, Pairing>;
  revision: number;
}

const most = { proven: 12, rejected: 200 } as const;

export function createTrials(contract: Contract, { itemsAt }: Collections): Trials {
  const slots = readSlots(contract);
  const byNoun = new Map<string, OpenSlot[]>();
  for (const state of slots.values()) {
    const { collection, parameter } = state.slot;
    for (const noun of new Set([...nounsOfPath(collection), stemOf(parameter)])) addTo(byNoun, noun, state);
  }

  const isOwned = (slot: Slot, values: readonly Scalar[]): boolean => {
    const pairings = slots.get(slot.key)?.pairings;
    const isId = ({ scalars }: Item, member: string): boolean =>
      idsAmong(scalars, slot).has(member) ||
      (rankName(member, slot) < Number.POSITIVE_INFINITY && (pairings?.get(member)?.yes ?? 0) > 0);
    const last = String(values.at(-1));
    const isMine = itemsAt(slot.collection).some(
      (item) =>
        item.owned &&
        isSameParents(item.parents, values.slice(0, -1)) &&
        [...item.scalars].some(([member, value]) => String(value) === last && isId(item, member)),
    );
    const above = slotsOf(slot.key).flatMap(({ key }) => (key === slot.key ? [] : (slots.get(key)?.slot ?? [])));
    return isMine || above.some((outer) => isOwned(outer, values.slice(0, slotsOf(outer.key).length)));
  };

  const membersWith = ({ slot }: OpenSlot, value: string): Set<string> =>
    new Set(
      itemsAt(slot.collection).flatMap(({ scalars }) =>
        [...scalars].flatMap(([member, other]) => (String(other) === value ? [member] : [])),
      ),
    );

  return {
    slots,
    isOwned,
    called: (noun) => byNoun.get(noun) ?? [],
    learn: (operation, values, status) => {
      const path = plainPath(operation.path);
      const isYes = status >= 200 && status < 300;
      for (const [index, { key: slotKey }] of slotsOf(operation.path).entries()) {
        const state = slots.get(slotKey);
        const address = values.slice(0, index + 1);
        if (state === undefined || address.length <= index) continue;
        const isWhole = path === slotKey;
        // A rejected child proves nothing about its parent.
        if (!isWhole && !isYes) continue;
        for (const member of membersWith(state, String(address.at(-1)))) {
          const { yes, no } = state.pairings.get(member) ?? { yes: 0, no: 0 };
          state.pairings.set(member, isYes ? { yes: yes + 1, no } : { yes, no: no + 1 });
        }
        state.revision += 1;
        const key = addressKey(address);
        const at = state.proven.findIndex((other) => addressKey(other.values) === key);
        if (!isYes) {
          if (at >= 0) state.proven.splice(at, 1);
          if (state.rejected.size < most.rejected) state.rejected.add(key);
          continue;
        }
        if (operation.method === 'delete' && isWhole) continue;
        state.rejected.delete(key);
        if (at >= 0 || (!isWhole && state.isReadable && state.proven.length > 0)) continue;
        state.proven.unshift({ values: address, owned: isOwned(state.slot, address) });
        if (state.proven.length > most.proven) state.proven.pop();
      }
    },
    forget: (path, values) => {
      const key = plainPath(path);
      slots.get(key)?.rejected.add(addressKey(values));
      for (const state of slots.values()) {
        if (state.slot.key !== key && !state.slot.key.startsWith(`${key}/`)) continue;
        const kept = state.proven.filter((proven) => !startsWith(proven.values, values));
        if (kept.length !== state.proven.length) state.revision += 1;
        state.proven.splice(0, state.proven.length, ...kept);
      }
    },
  };
}

/** Whether an address equals another one, or is below it. */
export function startsWith(values: readonly Scalar[], start: readonly Scalar[]): boolean {
  return isSameParents(values.slice(0, start.length), start);
}

function readSlots(contract: Contract): Map<string, OpenSlot> {
  const slots = new Map<string, OpenSlot>();
  for (const operation of contract.operations) {
    for (const slot of slotsOf(operation.path)) {
      const known = slots.get(slot.key);
      const isRead = operation.method === 'get' && plainPath(operation.path) === slot.key;
      if (known !== undefined && !isRead) continue;
      const learned = { proven: [], rejected: new Set<string>(), pairings: new Map() };
      slots.set(slot.key, { slot: known?.slot ?? slot, isReadable: isRead, revision: 0, ...learned });
    }
  }
  return slots;
}
