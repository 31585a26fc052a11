import { type Check, type Planned, wholeAnswer } from '../checks/check.ts';
import type { Operation } from '../contract/contract.ts';
import type { Pointer } from '../contract/document.ts';
import type { Polarity } from '../execute/exchange.ts';

/** Selectors name an operationId, `GET /path`, a path or a tag. */
export interface Selection {
  readonly only: readonly string[];
  readonly exclude: readonly string[];
}

/** @returns the operations, and the selectors without a match: a misspelt one must not make a run look complete */
export function selectOperations(
  operations: readonly Operation[],
  { only, exclude }: Selection,
): { readonly selected: readonly Operation[]; readonly unknown: readonly string[] } {
  const unknown = [...only, ...exclude].filter(
    (selector) => !operations.some((operation) => isNamed(operation, selector)),
  );
  const selected = operations.filter(
    (operation) =>
      (only.length === 0 || only.some((selector) => isNamed(operation, selector))) &&
      !exclude.some((selector) => isNamed(operation, selector)),
  );
  return { selected, unknown };
}

function isNamed({ id, method, path, tags }: Operation, selector: string): boolean {
  return [id, path, `${method.toUpperCase()} ${path}`, ...tags].includes(
    selector.replace(/^(\w+) +\//, (_, name: string) => `${name.toUpperCase()} /`),
  );
}

/**
 * Rounds of operations: an operation that needs an id comes after its producers (links, the collection above, a read before a write
 * of the same path), deletions come last. Within a round the order is the contract's.
 */
export function orderOperations(operations: readonly Operation[]): readonly (readonly Operation[])[] {
  const levels = new Map<Operation, number>();
  const producersOf = indexProducers(operations);
  const levelOf = (operation: Operation, path: readonly Operation[]): number => {
    const known = levels.get(operation);
    if (known !== undefined) return known;
    const before = producersOf(operation).filter((producer) => !path.includes(producer));
    const level = Math.max(-1, ...before.map((producer) => levelOf(producer, [...path, operation]))) + 1;
    levels.set(operation, level);
    return level;
  };
  for (const operation of operations) levelOf(operation, []);
  const last = Math.max(0, ...levels.values()) + 1;
  // The deeper path first: a child is deleted before its parent.
  const removals = operations.filter(({ method }) => method === 'delete');
  const depths = [...new Set(removals.map(({ path }) => depthOf(path)))].sort((a, b) => b - a);
  const rounds = Array.from({ length: last }, (_, level) =>
    operations.filter((operation) => operation.method !== 'delete' && levels.get(operation) === level),
  );
  return [...rounds, ...depths.map((depth) => removals.filter(({ path }) => depthOf(path) === depth))].filter(
    (round) => round.length > 0,
  );
}

/** Producers of an operation's ids, indexed by path and by link instead of comparing all pairs. */
function indexProducers(operations: readonly Operation[]): (operation: Operation) => readonly Operation[] {
  const byPath = Map.groupBy(operations, ({ path }) => withoutSlash(path));
  const byLink = new Map<string, Operation[]>();
  for (const operation of operations) {
    for (const { to } of operation.responses.flatMap(({ links }) => links)) {
      byLink.set(to, [...(byLink.get(to) ?? []), operation]);
    }
  }
  return (operation) => {
    const { path } = operation;
    const above = [...path.matchAll(/\/\{/g)].flatMap(({ index }) => byPath.get(path.slice(0, index)) ?? []);
    const same = path.includes('{') && operation.method !== 'head' ? (byPath.get(withoutSlash(path)) ?? []) : [];
    const found = new Set([
      ...(byLink.get(operation.id) ?? []),
      ...above.filter(({ method }) => method === 'get' || method === 'post'),
      ...same.filter(({ method }) => method === 'get'),
    ]);
    return [...found].filter((other) => other !== operation && other.method !== 'delete');
  };
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, '');
}

function depthOf(path: string): number {
  return path.split('/').length;
}

export type ObligationState = 'met' | 'violated' | 'not reached';

/** One part of the contract to test, for one operation, with requests of one polarity. */
export interface Obligation {
  /** Its key, `getDevices body-schema response 200 application/json`. */
  readonly id: string;
  readonly operation: string;
  /** Name of a check, or `baseline`: a valid request is accepted. */
  readonly check: string;
  readonly place: string;
  /** The part of the contract, and its keyword if the check is about one. */
  readonly pointer: Pointer;
  readonly keyword: string | undefined;
  readonly polarity: Polarity;
  readonly state: ObligationState;
  readonly reason?: string;
  /** Whether a matching answer came that no check could judge. */
  readonly isUnjudged?: true;
}

/** The obligations of a probe, one for each check: its name is the place. */
export interface PlannedProbe extends Omit<Planned, 'place'> {
  readonly checks: readonly string[];
  readonly name: string;
  /** Why it is not sent. */
  readonly omitted?: string;
}

export interface Obligations {
  /** Adds the obligations of a probe. */
  readonly expect: (operation: Operation, probe: PlannedProbe) => void;
  readonly settle: (operation: Operation, check: string, place: string, isMet: boolean) => void;
  /** Records an answer that could not be judged. A verdict at the same place, earlier or later, counts more. */
  readonly leave: (operation: Operation, checks: readonly string[], place: string, reason: string) => void;
  /** @param reasonFor why an operation was never accepted; undefined if it was */
  readonly close: (reasonFor: (operation: string) => string | undefined) => readonly Obligation[];
  readonly count: () => { readonly met: number; readonly all: number };
}

/** The place of `baseline`. */
export const accepted = 'a valid request is accepted';

export function addressOf(operation: string, check: string, place: string): string {
  return `${operation} ${check} ${place}`;
}

type Open = { -readonly [Member in keyof Omit<Obligation, 'reason' | 'isUnjudged'>]: Obligation[Member] };

export function planObligations(operations: readonly Operation[], checks: readonly Check[]): Obligations {
  const all = new Map<string, Open>();
  const unjudged = new Map<Open, string>();
  let met = 0;
  const plan = ({ id: operation }: Operation, check: string, planned: Planned): Open => {
    const { place, keyword } = planned;
    const id = addressOf(operation, check, place);
    const obligation: Open = {
      id,
      operation,
      check,
      place,
      pointer: planned.pointer,
      keyword,
      polarity: 'valid',
      state: 'not reached',
    };
    all.set(id, obligation);
    return obligation;
  };
  for (const operation of operations) {
    plan(operation, 'baseline', { place: accepted, pointer: operation.pointer });
    for (const check of checks) for (const planned of check.plan(operation)) plan(operation, check.name, planned);
  }
  // An unplanned place, such as an undeclared error response, becomes an obligation of its own.
  const find = (operation: Operation, check: string, place: string): Open =>
    all.get(addressOf(operation.id, check, place)) ?? plan(operation, check, { place, pointer: operation.pointer });
  return {
    expect: (operation, { checks: own, name, pointer, keyword }) => {
      for (const check of own) {
        const isKnown = all.has(addressOf(operation.id, check, name));
        if (!isKnown) plan(operation, check, { place: name, pointer, ...(keyword !== undefined && { keyword }) });
      }
    },
    leave: (operation, names, place, reason) => {
      for (const check of names) {
        const open = find(operation, check, place);
        if (!unjudged.has(open)) unjudged.set(open, reason);
      }
    },
    settle: (operation, check, place, isMet) => {
      const open = find(operation, check, place);
      if (open.state === 'violated' || (open.state === 'met' && isMet)) return;
      met += isMet ? 1 : open.state === 'met' ? -1 : 0;
      open.state = isMet ? 'met' : 'violated';
    },
    count: () => ({ met, all: all.size }),
    close: (reasonFor) =>
      [...all.values()].map((open) => {
        if (open.state !== 'not reached') return open;
        const reason = unjudged.get(open);
        if (reason !== undefined) return { ...open, reason, isUnjudged: true };
        return { ...open, reason: reasonFor(open.operation) ?? explainOpen(open.place, open.check, checks) };
      }),
  };
}

/** Why an obligation of an accepted operation stays open. */
function explainOpen(place: string, name: string, checks: readonly Check[]): string {
  const needed = checks.find((check) => check.name === name)?.needs?.(place);
  return `no ${needed ?? (place === wholeAnswer ? 'answer that it could judge' : place)} was seen`;
}
