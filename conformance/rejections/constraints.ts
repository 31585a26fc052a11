import type { Parameter } from '../contract/contract.ts';
import type { JsonObject, Pointer } from '../contract/document.ts';
import { stemOf } from '../resources/slots.ts';
import type { Rule } from './read-rules.ts';

/** Inferred constraint: what rejections require of one place of a request, besides the contract. */
export interface Constraint {
  readonly about: Place;
  /** The place must have a value. */
  readonly required: boolean;
  /** The place must have no value. */
  readonly forbidden: boolean;
  /** Number of rejections that required a value that was sent, or forbade a required one. */
  readonly wrong: number;
  /** JSON Schema keywords that apply besides those of the contract. */
  readonly keywords: JsonObject;
}

/** Constraints of one operation, by their place. */
export type Constraints = ReadonlyMap<string, Constraint>;

/** A place of a request that a rejection is about. */
export type Place =
  | { readonly kind: 'parameter'; readonly parameter: Parameter }
  /** `schema` is undefined if the contract does not declare the member. */
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

/** Changes the constraint of one place. */
export function changeAt(constraints: Constraints, about: Place, change: Partial<Constraint>): Constraints {
  return new Map([...constraints, [keyOf(about), { ...constraintAt(constraints, about), ...change }]]);
}

/** Plain names of resources in required places: `author` for `authorId`. */
export function namesIn(constraints: Constraints): readonly string[] {
  return [...constraints.values()].flatMap(({ about, required }) => {
    const name = about.kind === 'parameter' ? about.parameter.name : (about.tokens.at(-1) ?? '');
    return required ? [stemOf(name)].filter((stem) => stem !== '') : [];
  });
}

/** A constraint stays as it is after so many rejections for the same reason. */
const mostTimes = 4;

/**
 * Adds the rules of one observation to a constraint.
 *
 * @param isSent whether the request had a value at the place
 */
export function addRules(constraint: Constraint, rules: readonly Rule[], isSent: boolean): Constraint {
  let after = constraint;
  const isWrong = (): Constraint => ({ ...after, wrong: after.wrong + 1 });
  for (const rule of rules) {
    if (rule.kind === 'keywords') after = { ...after, keywords: { ...after.keywords, ...rule.keywords } };
    else if (rule.kind === 'required') {
      // "Is required" about a value that was sent, or forbidden before, means that the value was empty or wrong.
      after =
        isSent || after.forbidden ? { ...isWrong(), forbidden: false, required: true } : { ...after, required: true };
    } else if (rule.kind === 'forbidden') {
      if (isSent) after = after.required ? isWrong() : { ...after, forbidden: true };
    }
  }
  return after.wrong > mostTimes ? constraint : after;
}
