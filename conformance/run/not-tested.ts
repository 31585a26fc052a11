import type { Contract, Operation } from '../contract/contract.ts';
import { phases } from '../phases/phase.ts';
import type { Obligation } from '../plan/plan.ts';

/** Most operations or reasons in one line. */
const mostNamed = 8;

interface Scope {
  readonly contract: Contract;
  readonly selected: readonly Operation[];
  /** Names of the checks that run, and of all. */
  readonly checks: readonly string[];
  readonly allChecks: readonly string[];
}

/** What is tested by no run with these options, one sentence for each reason: without it a green run reads as if all had been. */
export function describeLeftOut({ contract, selected, checks, allChecks }: Scope): readonly string[] {
  const missing = Object.values(phases).filter(({ built }) => !built);
  const left = contract.operations.filter((operation) => !selected.includes(operation));
  const off = allChecks.filter((name) => !checks.includes(name));
  return [
    ...missing.map(({ about }) => `not built yet: ${about}`),
    ...(left.length === 0
      ? []
      : [
          `left out by the options: ${left.length} of ${contract.operations.length} operations, ${nameSome(left.map(({ id }) => id))}`,
        ]),
    ...(off.length === 0 ? [] : [`left out by --check: ${off.join(', ')}`]),
  ];
}

/** What a run was to test and did not, one sentence for each reason. */
export function describeNotReached(
  obligations: readonly Obligation[],
  unreached: readonly string[],
): readonly string[] {
  const open = obligations.filter(({ state }) => state === 'not reached');
  const [never, rest] = [
    open.filter(({ operation }) => unreached.includes(operation)),
    open.filter(({ operation }) => !unreached.includes(operation)),
  ];
  const unjudged = rest.filter(({ isUnjudged }) => isUnjudged === true);
  const byReason = Map.groupBy(unjudged, ({ reason }) => reason);
  const silent = rest.filter(({ isUnjudged }) => isUnjudged !== true);
  const byCheck = [...Map.groupBy(silent, ({ check }) => check)].map(([check, own]) => `${own.length} of ${check}`);
  return [
    ...(unreached.length === 0 ? [] : [`never accepted: ${nameSome(unreached)}, with ${countOf(never.length)}`]),
    ...[...byReason].map(([reason, own]) => {
      const places = own.map(({ operation, check, place }) => `${operation} ${check} ${place}`);
      return `not judged, as ${reason}: ${nameSome(places)}`;
    }),
    ...(silent.length === 0
      ? []
      : [`never answered so that it shows: ${countOf(silent.length)} of ${obligations.length}, ${nameSome(byCheck)}`]),
  ];
}

/** Operations of a plan that a run would not send to, by their reason. */
export function describeUnsent(operations: readonly { readonly id: string; readonly notSent: string }[]): string[] {
  return [...Map.groupBy(operations, ({ notSent }) => notSent)].map(
    ([reason, own]) => `not sent: ${nameSome(own.map(({ id }) => id))}: ${reason}`,
  );
}

function countOf(count: number): string {
  return `${count} ${count === 1 ? 'obligation' : 'obligations'}`;
}

function nameSome(names: readonly string[]): string {
  return `${names.slice(0, mostNamed).join(', ')}${names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''}`;
}
