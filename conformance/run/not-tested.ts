import type { Contract, Operation } from '../contract/contract.ts';
import type { Pointer } from '../contract/document.ts';
import { counted, nameSome } from '../contract/printable.ts';
import type { Obligation } from '../plan/plan.ts';
import { type ContractCoverage, impliedReasons, type Reason } from './contract-coverage.ts';

interface Scope {
  readonly contract: Contract;
  readonly selected: readonly Operation[];
  readonly checks: readonly string[];
  readonly allChecks: readonly string[];
}

/** Parts that the options exclude, one line each: without them a passed run would look complete. */
export function describeExcluded({ contract, selected, checks, allChecks }: Scope): readonly string[] {
  const { operations } = contract;
  const reasons: string[] = [];
  const left = operations.filter((operation) => !selected.includes(operation)).map(({ id }) => id);
  if (left.length > 0)
    reasons.push(`excluded by the options: ${left.length} of ${operations.length} operations, ${nameSome(left)}`);
  const off = allChecks.filter((name) => !checks.includes(name));
  if (off.length > 0) reasons.push(`excluded by --check: ${off.join(', ')}`);
  return reasons;
}

/** Places that a line names: a reader in a hurry needs the number, and the JSON report has all places. */
const mostPlaces = 3;

/**
 * Parts of the contract that no exchange covered, one line for each kind, the larger parts last. Left out are parts of responses that were
 * not seen and of operations that were never accepted: other lines name these.
 */
export function describeUncovered(coverage: ContractCoverage): readonly string[] {
  const { operations, responses, responsesSeen, parts, requestKeywords, responseKeywords } = coverage;
  const kinds = [
    describeKind('response keywords', responseKeywords, responseKeywords.length),
    describeKind('request keywords', requestKeywords, requestKeywords.length),
    ...parts.map(({ kind, uncovered, all }) => describeKind(kind, uncovered, all)),
  ];
  const unseen = operations.flatMap((operation) => operation.unseen);
  const byStatus = [...Map.groupBy(unseen, (status) => status)].map(([status, own]) => `${own.length} of ${status}`);
  const count = `${responses - responsesSeen} of ${responses} documented responses`;
  return [...kinds.flat(), ...(unseen.length === 0 ? [] : [`${count} were not seen: ${nameSome(byStatus)}`])];
}

type Part = { readonly reason?: Reason } & ({ readonly name: string } | { readonly pointer: Pointer });

function describeKind(kind: string, parts: readonly Part[], all: number): readonly string[] {
  return [...Map.groupBy(parts, ({ reason }) => reason)].flatMap(([reason, own]) => {
    if (reason === undefined || impliedReasons.has(reason)) return [];
    // The keywords of one schema are one place.
    const places = new Set(own.map((part) => ('name' in part ? part.name : part.pointer.replace(/\/[^/]*$/, ''))));
    return [`${own.length} of ${all} ${kind} ${reason}: ${nameSome([...places], mostPlaces)}`];
  });
}

/** Reasons for open obligations of accepted operations, one line each. */
export function describeNotReached(
  obligations: readonly Obligation[],
  unreached: readonly string[],
): readonly string[] {
  const open = openOf(obligations).filter(({ operation }) => !unreached.includes(operation));
  const reasons: string[] = [];
  const silent = open.filter(({ isUnjudged }) => isUnjudged !== true);
  if (silent.length > 0) {
    const count = `${counted(silent.length, 'obligation')} of ${obligations.length}`;
    const byCheck = [...Map.groupBy(silent, ({ check }) => check)].map(([check, own]) => `${own.length} of ${check}`);
    reasons.push(`no answer that could prove it: ${count}, ${nameSome(byCheck)}`);
  }
  const unjudged = open.filter(({ isUnjudged }) => isUnjudged === true);
  for (const [reason, own] of Map.groupBy(unjudged, ({ reason }) => reason)) {
    const places = own.map(({ operation, check, place }) => `${operation} ${check} ${place}`);
    reasons.push(`not judged, as ${reason}: ${nameSome(places)}`);
  }
  return reasons;
}

/** The operations that were never accepted, in one line. */
export function describeUnreached(obligations: readonly Obligation[], unreached: readonly string[]): readonly string[] {
  if (unreached.length === 0) return [];
  const never = openOf(obligations).filter(({ operation }) => unreached.includes(operation));
  return [`never accepted: ${nameSome(unreached)}, with ${counted(never.length, 'obligation')}`];
}

function openOf(obligations: readonly Obligation[]): readonly Obligation[] {
  return obligations.filter(({ state }) => state === 'not reached');
}

/** Operations of a plan that a run would not call, by their reason. */
export function describeUnsent(operations: readonly { readonly id: string; readonly notSent: string }[]): string[] {
  return [...Map.groupBy(operations, ({ notSent }) => notSent)].map(([reason, own]) => {
    const ids = own.map(({ id }) => id);
    return `not sent: ${nameSome(ids)}: ${reason}`;
  });
}
