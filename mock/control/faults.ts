/** A fault that the next requests trigger. It does at least one of: wait, answer a status, drop the connection, break the body. */
export interface NewFault {
  /** An operation of the contract, or `*` for any. */
  readonly operationId: string;
  /** How many requests trigger it, 1 or more. */
  readonly times: number;
  /** Delay before the request is processed; shorter than the idle timeout of a connection. */
  readonly delayMs?: number;
  /** Status to answer with its documented example; nothing is done. */
  readonly status?: number;
  /** Name of the documented example to answer. */
  readonly example?: string;
  /** Closes the connection without an answer, `before` anything is done or `after` it is done. */
  readonly drop?: 'before' | 'after';
  /** How the body of the answer is broken. */
  readonly body?: 'truncated' | 'malformed';
}

export interface Fault extends NewFault {
  readonly id: string;
  /** How many requests will still trigger it. */
  readonly left: number;
}

export interface Faults {
  /** @throws RangeError if no request would trigger it: a bug of the caller */
  add(fault: NewFault): Fault;
  /** Remaining faults, oldest first. */
  list(): readonly Fault[];
  /** @returns whether it existed */
  remove(id: string): boolean;
  clear(): void;
  /** Counts down the oldest fault for an operation and removes it at 0. Undefined if the request triggers none. */
  take(operationId: string): Fault | undefined;
}

/** In memory. Ids are `fault-1`, `fault-2`, and so on. `clear` does not restart them. */
export function createFaults(): Faults {
  let given = 0;
  const kept = new Map<string, Fault>();
  return {
    add(fault) {
      if (!(fault.times >= 1)) throw new RangeError(`a fault needs 1 request or more, not ${fault.times}`);
      const added = { ...fault, id: `fault-${++given}`, left: fault.times };
      kept.set(added.id, added);
      return added;
    },
    list: () => [...kept.values()],
    remove: (id) => kept.delete(id),
    clear: () => kept.clear(),
    take(operationId) {
      const found = kept.values().find((fault) => fault.operationId === operationId || fault.operationId === '*');
      if (found === undefined) return undefined;
      const taken = { ...found, left: found.left - 1 };
      // In a Map, a key that is set again keeps its place.
      if (taken.left === 0) kept.delete(taken.id);
      else kept.set(taken.id, taken);
      return taken;
    },
  };
}
