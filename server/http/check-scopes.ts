import type { Operation } from '@lockstep/contract/operations';
import { findCases, type ValueParts, type ValueRule } from '@lockstep/runtime/form/by-value';
import { listOr } from '@lockstep/runtime/form/sentence';
import { Refused, refuse } from '../error-catalogue.ts';
import type { Principal } from '../principal.ts';
import { challengeScope } from './challenge.ts';

/** Lets a token pass that has all scopes of one alternative. Without alternatives nobody passes. */
export function checkScopes({ security }: Operation, principal: Principal): void {
  requireOneOf(
    security.map((alternative) => Object.values(alternative).flat()),
    principal,
  );
}

/** Asks for the scopes that values of the request ask for, each of them beside those of the operation. */
export function checkValueScopes(rules: readonly ValueRule[], parts: ValueParts, principal: Principal): void {
  requireOneOf([findCases(rules, parts).flatMap(({ scopes }) => scopes)], principal);
}

/** What a token lacks, and which scopes of the alternative that lacks least. */
export interface MissingScopes {
  readonly text: string;
  readonly nearest: readonly string[];
}

/** Finds what a token lacks. One whole alternative is enough; without alternatives nothing is. */
export function findMissingScopes(
  alternatives: readonly (readonly string[])[],
  scopes: ReadonlySet<string>,
): MissingScopes | undefined {
  const lacking = alternatives.map((needed) => needed.filter((scope) => !scopes.has(scope)));
  if (lacking.some((missing) => missing.length === 0)) return undefined;
  const [nearest = []] = lacking.toSorted((a, b) => a.length - b.length);
  const wanted = listOr(lacking.map((missing) => missing.join(' and ')));
  return { text: `The token lacks the scope ${wanted}`, nearest };
}

/** @throws Refused 403 */
function requireOneOf(alternatives: readonly (readonly string[])[], { scopes }: Principal): void {
  const missing = findMissingScopes(alternatives, scopes);
  if (missing === undefined) return;
  const { text, nearest } = missing;
  throw new Refused(refuse('insufficient_scope', { text, headers: { 'WWW-Authenticate': challengeScope(nearest) } }));
}
