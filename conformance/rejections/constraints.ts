import type { Parameter } from '../contract/contract.ts';
import type { JsonObject, Pointer } from '../contract/document.ts';
import { stemOf } from '../resources/slots.ts';
import type { Rule } from './read-rules.ts';

/** Keywords that rejections asked of one place of a request, besides those of the contract. */
export interface Constraint {
  readonly about: Place;
  /** It must be there. */
  readonly required: boolean;
  /** It must not be there. */
  readonly forbidden: boolean;
  /** How often it was required though it was there, or unwanted though it had to be. */
  readonly wrong: number;
  /** Keywords of JSON Schema that hold besides those of the contract. */
  readonly keywords: JsonObject;
}

/** By their place: those of one operation. */
export type Constraints = ReadonlyMap<string, Constraint>;

/** A place of a request that a rejection is about. */
export type Place =
  | { readonly kind: 'parameter'; readonly parameter: Parameter }
  /** `schema` is undefined where the contract does not know the member. */
  | { readonly kind: 'body'; readonly tokens: readonly string[]; readonly schema: Pointer | undefined };

export const noConstraints: Constraints = new Map();

export function keyOf(about: Place): string {
  return about.kind === 'parameter'
    ? `${about.parameter.in} ${about.parameter.name}`
    : `body /${about.tokens.join('/')}`;
}

export function constraintAt(constraints: Constraints, about: Place): Constraint {
  const none = { required: false, forbidden: false, wrong: 0, keywords: {} };
  return constraints.get(keyOf(about)) ?? { ...none, about };
}

/** The constraints with a change to the one of a place. */
export function changeAt(constraints: Constraints, about: Place, change: Partial<Constraint>): Constraints {
  return new Map([...constraints, [keyOf(about), { ...constraintAt(constraints, about), ...change }]]);
}

/** Plain names of resources that the constraints ask for: `author` for `authorId`. */
export function namesIn(constraints: Constraints): readonly string[] {
  return [...constraints.values()].flatMap(({ about, required }) => {
    const name = about.kind === 'parameter' ? about.parameter.name : (about.tokens.at(-1) ?? '');
    return required ? [stemOf(name)].filter((stem) => stem !== '') : [];
  });
}

/** After so many rejections for the same reason a constraint changes no more. */
const mostTimes = 4;

/**
 * The constraint with what one observation asks for added to it.
 *
 * @param isSent whether the request had a value at the place
 */
export function addRules(constraint: Constraint, rules: readonly Rule[], isSent: boolean): Constraint {
  let after = constraint;
  const isWrong = (): Constraint => ({ ...after, wrong: after.wrong + 1 });
  for (const rule of rules) {
    if (rule.kind === 'keywords') after = { ...after, keywords: { ...after.keywords, ...rule.keywords } };
    else if (rule.kind === 'required') {
      // "Is required" of what was sent means that it was empty or not what was wanted; so it was where it had to go before.
      after =
        isSent || after.forbidden ? { ...isWrong(), forbidden: false, required: true } : { ...after, required: true };
    } else if (rule.kind === 'forbidden') {
      if (isSent) after = after.required ? isWrong() : { ...after, forbidden: true };
    }
  }
  return after.wrong > mostTimes ? constraint : after;
}
