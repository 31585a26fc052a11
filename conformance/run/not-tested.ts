import type { Contract, Operation } from '../contract/contract.ts';
import { counted, nameSome } from '../contract/printable.ts';
import { phases } from '../phases/phase.ts';
import type { Obligation } from '../plan/plan.ts';

interface Scope {
  readonly contract: Contract;
  readonly selected: readonly Operation[];
  readonly checks: readonly string[];
  readonly allChecks: readonly string[];
}

/** Parts that the options or the runner exclude, one line each: without them a passed run would look complete. */
export function describeExcluded({ contract, selected, checks, allChecks }: Scope): readonly string[] {
  const { operations } = contract;
  const reasons = Object.values(phases).flatMap(({ built, about }) => (built ? [] : [`not built yet: ${about}`]));
  const left = operations.filter((operation) => !selected.includes(operation)).map(({ id }) => id);
  if (left.length > 0)
    reasons.push(`excluded by the options: ${left.length} of ${operations.length} operations, ${nameSome(left)}`);
  const off = allChecks.filter((name) => !checks.includes(name));
  if (off.length > 0) reasons.push(`excluded by --check: ${off.join(', ')}`);
  return reasons;
}

/** Reasons for open obligations of a run, one line each. */
export function describeNotReached(
  obligations: readonly Obligation[],
  unreached: readonly string[],
): readonly string[] {
  const open = obligations.filter(({ state }) => state === 'not reached');
  const rest = open.filter(({ operation }) => !unreached.includes(operation));
  const reasons: string[] = [];
  if (unreached.length > 0) {
    const never = counted(open.length - rest.length, 'obligation');
    reasons.push(`never accepted: ${nameSome(unreached)}, with ${never}`);
  }
  const unjudged = rest.filter(({ isUnjudged }) => isUnjudged === true);
  for (const [reason, own] of Map.groupBy(unjudged, ({ reason }) => reason)) {
    const places = own.map(({ operation, check, place }) => `${operation} ${check} ${place}`);
    reasons.push(`not judged, as ${reason}: ${nameSome(places)}`);
  }
  const silent = rest.filter(({ isUnjudged }) => isUnjudged !== true);
  if (silent.length > 0) {
    const count = `${counted(silent.length, 'obligation')} of ${obligations.length}`;
    const byCheck = [...Map.groupBy(silent, ({ check }) => check)].map(([check, own]) => `${own.length} of ${check}`);
    reasons.push(`no answer that could prove it: ${count}, ${nameSome(byCheck)}`);
  }
  return reasons;
}

/** Operations of a plan that a run would not call, by their reason. */
export function describeUnsent(operations: readonly { readonly id: string; readonly notSent: string }[]): string[] {
  return [...Map.groupBy(operations, ({ notSent }) => notSent)].map(([reason, own]) => {
    const ids = own.map(({ id }) => id);
    return `not sent: ${nameSome(ids)}: ${reason}`;
  });
}
