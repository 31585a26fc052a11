/** What requests to come meet instead of a good answer. It does at least one of: wait, answer a status, drop the connection, break the body. */
export interface NewFault {
  /** An operation of the contract, or `*` for any. */
  readonly operationId: string;
  /** How many requests it meets, 1 or more. */
  readonly times: number;
  /** Before the request is looked at; less than a connection may be silent. */
  readonly delayMs?: number;
  /** Answered by its documented example; nothing is done. */
  readonly status?: number;
  /** Name of the documented example to answer. */
  readonly example?: string;
  /** The connection ends without an answer, `before` anything is done or `after` it is. */
  readonly drop?: 'before' | 'after';
  /** How the body of the answer is broken. */
  readonly body?: 'truncated' | 'malformed';
}

export interface Fault extends NewFault {
  readonly id: string;
  /** How many requests it meets from now on. */
  readonly left: number;
}

export interface Faults {
  /** @throws RangeError where it would meet no request: a bug of the caller */
  add(fault: NewFault): Fault;
  /** Those that are left, oldest first. */
  list(): readonly Fault[];
  /** @returns whether there was one */
  remove(id: string): boolean;
  clear(): void;
  /** The oldest that fits an operation, counted down; the last time it is gone. Undefined: the request meets none. */
  take(operationId: string): Fault | undefined;
}

/** In memory. Ids are `fault-1` and on; none is given twice, also after `clear`. */
export function createFaults(): Faults {
  let given = 0;
  const kept = new Map<string, Fault>();
  return {
    add(fault) {
      if (!(fault.times >= 1)) throw new RangeError(`a fault meets 1 request or more, not ${fault.times}`);
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
      // A key that is set again keeps its place.
      if (taken.left === 0) kept.delete(taken.id);
      else kept.set(taken.id, taken);
      return taken;
    },
  };
}
