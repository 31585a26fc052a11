import type { Contract } from '../contract/contract.ts';
import type { Exchange } from '../execute/exchange.ts';
import { addRules, type Constraints, constraintAt, keyOf } from './constraints.ts';
import { isThere } from './find-place.ts';
import { inferOtherMember } from './other-member.ts';
import type { Rejection } from './read-rejection.ts';

/** Result of a rejection: `constraint` if it changes the next request, `path` if it is about an id in the path. */
export interface Inferred {
  readonly constraints: Constraints;
  readonly learned: 'constraint' | 'path' | 'nothing';
}

/** Adds the constraints of a rejection to the known ones. */
export function inferConstraints(
  contract: Contract,
  exchange: Pick<Exchange, 'operation' | 'seen'>,
  rejection: Rejection | undefined,
  known: Constraints,
): Inferred {
  if (rejection === undefined) return { constraints: known, learned: 'nothing' };
  const hasNoRules = rejection.observations.every(({ rules }) => rules.length === 0);
  const other = hasNoRules ? inferOtherMember(contract, exchange, rejection, known) : undefined;
  if (other !== undefined) return { constraints: other, learned: 'constraint' };
  let [constraints, learned]: [Constraints, Inferred['learned']] = [known, 'nothing'];
  for (const { place, rules } of rejection.observations) {
    if (place === undefined) continue;
    if (place.kind === 'parameter' && place.parameter.in === 'path') {
      if (learned === 'nothing') learned = 'path';
      continue;
    }
    const before = constraintAt(constraints, place);
    const after = addRules(before, rules, isThere(place, exchange.seen));
    if (JSON.stringify(after) === JSON.stringify(before)) continue;
    constraints = new Map([...constraints, [keyOf(place), after]]);
    learned = 'constraint';
  }
  if (learned !== 'nothing') return { constraints, learned };
  const last = inferOtherMember(contract, exchange, rejection, known);
  return last === undefined ? { constraints, learned } : { constraints: last, learned: 'constraint' };
}
