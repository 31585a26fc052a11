/*
 * The proof that a run could have failed. A normal run records its exchanges. One change for each kind of fault (a family) and operation is
 * injected into them, and the changed exchanges are judged again by the check of the family. No request is sent a second time:
 *
 * - A fault of an answer (content, status, header, a page, an old read) changes the recorded answer.
 * - A fault in the acceptance of a request (an invalid one is repaired, an anonymous one gets credentials, a filter is stripped) turns the
 *   request into one that the run has sent too: the recorded answer to that one is used. So nothing is created or opened twice.
 *
 * Each turn of a run is changed and judged as soon as it is folded. The last accepted answer of each operation is kept, and before the first
 * one a few turns.
 */
import type { Check, RunContext } from '../checks/check.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import type { NumberedExchange, Trace } from '../execute/exchange.ts';
import type { Permissions } from '../plan/permissions.ts';
import { answerFamilies } from './answer-families.ts';
import { type Family, type Injected, isPlainSuccess } from './family.ts';
import { listFamilies } from './list-families.ts';
import { requestFamilies } from './request-families.ts';
import { stateFamilies } from './state-families.ts';

/** Every kind of fault, in the order of the table. */
export const families: readonly Family[] = [...answerFamilies, ...listFamilies, ...stateFamilies, ...requestFamilies];

export type CellState = 'caught' | 'missed' | 'not applicable';

/** The result of one family on one operation. */
export interface Cell {
  readonly family: string;
  readonly check: string;
  readonly state: CellState;
  /** The injected change, if there was one. */
  readonly injected?: string;
  /** Why it was missed, or does not apply. */
  readonly reason?: string;
  /** The next step after a missed one. */
  readonly fix?: string;
}

export interface ProvenOperation {
  readonly operation: string;
  readonly cells: readonly Cell[];
}

export interface Proof {
  readonly operations: readonly ProvenOperation[];
  /** Failures that the runner finds in answers that were only written anew: there must be none. */
  readonly passThrough: readonly string[];
}

interface OpenCell {
  /** Why the contract has no such fault. */
  readonly excluded: string | undefined;
  attempts: number;
  state: 'open' | 'caught';
  injected: string | undefined;
}

/** Turns into which a change is injected before it counts as missed. */
const mostAttempts = 8;

/** Collects the traces of a run, and judges them with injected changes. */
export function createProof(contract: Contract, checks: readonly Check[], permissions: Permissions) {
  const cells = new Map<string, OpenCell>();
  const accepted = new Map<Operation, NumberedExchange>();
  const passThrough = new Set<string>();
  /** Turns before the first accepted answer of an operation. */
  const waiting = new Map<Operation, Trace[]>();

  const checkOf = ({ check }: Family, operation: Operation): string =>
    typeof check === 'string' ? check : check(operation, contract);

  const cellOf = (operation: Operation, family: Family): OpenCell => {
    const key = `${operation.id} ${family.name}`;
    const known = cells.get(key);
    if (known !== undefined) return known;
    const excluded = family.excludes(operation, contract, permissions);
    const cell: OpenCell = { excluded, attempts: 0, state: 'open', injected: undefined };
    cells.set(key, cell);
    return cell;
  };

  const inject = (family: Family, operation: Operation, trace: Trace, context: RunContext): void => {
    const cell = cellOf(operation, family);
    const check = checks.find(({ name }) => name === checkOf(family, operation));
    if (cell.excluded !== undefined || cell.state !== 'open' || cell.attempts >= mostAttempts) return;
    const injected = family.inject({ contract, operation, trace, context, accepted: accepted.get(operation) });
    if (injected === undefined) return;
    cell.attempts += 1;
    cell.injected = injected.what;
    if (check !== undefined && isCaught(check, trace, injected, context, passThrough)) cell.state = 'caught';
  };

  return {
    /** Receives the exchanges of each turn, after the run has judged them. */
    onTrace: (trace: Trace, context: RunContext): void => {
      const operations = new Set(trace.map(({ operation }) => operation));
      for (const operation of operations) {
        const success = trace.findLast((exchange) => isPlainSuccess(exchange, operation));
        if (success !== undefined) accepted.set(operation, success);
        if (accepted.has(operation)) continue;
        const early = waiting.get(operation) ?? [];
        if (early.length < mostAttempts * families.length) waiting.set(operation, [...early, trace]);
      }
      for (const operation of operations) {
        for (const family of families) inject(family, operation, trace, context);
        if (!accepted.has(operation)) continue;
        for (const early of waiting.get(operation) ?? [])
          for (const family of families.filter(({ needsAccepted }) => needsAccepted))
            inject(family, operation, early, context);
        waiting.delete(operation);
      }
    },
    /** @param reasonFor why no request of the operation could show a fault that the check reports; undefined if one could */
    conclude: (
      operations: readonly Operation[],
      reasonFor: (operation: Operation, check: string) => string | undefined,
    ): Proof => ({
      operations: operations.map((operation) => ({
        operation: operation.id,
        cells: families.map((family) => {
          const cell = cellOf(operation, family);
          const isOn = checks.some(({ name }) => name === checkOf(family, operation));
          return concludeCell(family, operation, cell, isOn, accepted.has(operation), reasonFor);
        }),
      })),
      passThrough: [...passThrough],
    }),
  };

  function concludeCell(
    family: Family,
    operation: Operation,
    { excluded, attempts, state, injected }: OpenCell,
    isOn: boolean,
    isAccepted: boolean,
    reasonFor: (operation: Operation, check: string) => string | undefined,
  ): Cell {
    const { name } = family;
    const check = checkOf(family, operation);
    const base = { family: name, check, ...(injected !== undefined && { injected }) };
    if (state === 'caught') return { ...base, state };
    const missed = (reason: string, fix: string): Cell => ({ ...base, state: 'missed', reason, fix });
    if (!isOn && attempts > 0) return missed(`${check} is switched off`, fixes.check);
    if (attempts > 0) return missed(`${check} reported nothing`, fixes.blind);
    if (excluded !== undefined) return { ...base, state: 'not applicable', reason: excluded };
    const lacking = isAccepted ? family.mayLack?.(operation, contract) : undefined;
    if (lacking !== undefined) return { ...base, state: 'not applicable', reason: `${lacking}, and none came` };
    if (!isOn) return missed(`${check} is switched off`, fixes.check);
    if (!isAccepted) return missed('the operation was never accepted', fixes.unreached);
    return missed(reasonFor(operation, check) ?? 'the run sent no request that could show it', fixes.unsent);
  }
}

/** The next step after a missed fault, by the reason. */
const fixes = {
  check: 'Do not leave out the check with --check.',
  blind: 'The check is blind here: please report it, with the contract.',
  unreached: 'The warnings of a run list the answers of the operation, and the values that it needs.',
  unsent: 'Give what the reason names. Leave out no phase (--phase), and give a larger --budget.',
} as const;

/** Whether a check reports a defect of the changed trace that it does not report of the unchanged one. */
function isCaught(
  check: Check,
  trace: Trace,
  { changed, unchanged }: Injected,
  context: RunContext,
  passThrough: Set<string>,
): boolean {
  const before = defectsOf(check, trace, context);
  const without = unchanged === trace ? before : defectsOf(check, unchanged, context);
  for (const [key, text] of without) if (!before.has(key)) passThrough.add(text);
  // A wrong request that the deployment accepts by itself is reported without a change.
  if (check.kind === 'trace' && before.size > 0) return true;
  return [...defectsOf(check, changed, context).keys()].some((key) => !without.has(key));
}

/** The defects of a trace by their place and requirement. */
function defectsOf(check: Check, trace: Trace, context: RunContext): ReadonlyMap<string, string> {
  const verdicts =
    check.kind === 'trace'
      ? check.judge(trace, context).map((verdict) => ({ ...verdict, number: verdict.exchange.number }))
      : trace.flatMap((exchange) =>
          check.judge(exchange, context).map((verdict) => ({ ...verdict, number: exchange.number })),
        );
  return new Map(
    verdicts.flatMap(({ failures, number }) =>
      failures
        .filter(({ severity }) => severity === 'defect')
        .map(({ place, pointer, keyword, message }): [string, string] => [
          JSON.stringify([number, place, pointer, keyword, message]),
          `${check.name} ${place}: ${message}`,
        ]),
    ),
  );
}
