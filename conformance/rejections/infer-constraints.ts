import type { Contract, Operation } from '../contract/contract.ts';
import type { Pointer } from '../contract/document.ts';
import type { Exchange } from '../execute/exchange.ts';
import { requestForm } from '../schema/canonical.ts';
import { addRules, type Constraint, type Constraints, constraintAt, keyOf, noConstraints } from './constraints.ts';
import { bodySchemaOf, isThere } from './find-place.ts';
import { inferOtherMember } from './other-member.ts';
import { type Rejection, readRejection } from './read-rejection.ts';

/** What a rejection added: `constraint` where the next request will be another one, `path` where it is about an id in the path. */
export interface Inferred {
  readonly constraints: Constraints;
  readonly learned: 'constraint' | 'path' | 'nothing';
}

/** Adds what a rejection asks for to what is known; without a rejection nothing. */
export function inferConstraints(
  contract: Contract,
  exchange: Pick<Exchange, 'operation' | 'seen'>,
  rejection: Rejection | undefined,
  known: Constraints,
): Inferred {
  if (rejection === undefined) return { constraints: known, learned: 'nothing' };
  const isFormless = rejection.observations.every(({ rules }) => rules.length === 0);
  const other = isFormless ? inferOtherMember(contract, exchange, rejection, known) : undefined;
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

/** What rejections of all operations asked of schemas that they share. */
export interface SharedConstraints {
  /** Takes an exchange into account, in the order of the plan. */
  readonly observe: (exchange: Exchange) => void;
  /** What an operation starts with: constraints on the members of its body. */
  readonly of: (operation: Operation) => Constraints;
}

export function createSharedConstraints(contract: Contract): SharedConstraints {
  const bySchema = new Map<Pointer, Constraint>();
  return {
    of: (operation) => {
      const schema = bodySchemaOf(operation);
      if (schema === undefined || bySchema.size === 0) return noConstraints;
      const form = requestForm(contract);
      return new Map(
        [...form.declared(form.branch(form.at(schema)))].flatMap(([name, pointer]) => {
          const known = bySchema.get(pointer);
          const about = { kind: 'body', tokens: [name], schema: pointer } as const;
          // That it must be another, or is missing here, says nothing of other operations.
          const own = known && { ...known, about, unique: 0, wrong: 0, forbidden: false };
          return own === undefined ? [] : [[keyOf(about), own] as const];
        }),
      );
    },
    observe: (exchange) => {
      const rejection = readRejection(contract, exchange);
      for (const constraint of inferConstraints(contract, exchange, rejection, noConstraints).constraints.values()) {
        const { about, keywords, required } = constraint;
        if (about.kind !== 'body' || about.schema === undefined) continue;
        const known = bySchema.get(about.schema);
        const both = { keywords: { ...known?.keywords, ...keywords }, required: required || known?.required === true };
        bySchema.set(about.schema, { ...constraint, ...both });
      }
    },
  };
}
