import type { Parameter } from '../contract/contract.ts';
import type { JsonObject, Pointer } from '../contract/document.ts';
import type { Rule } from './read-refusal.ts';

/** What refusals said of one place of a request, taken together. */
export interface Lesson {
  readonly about: LessonPlace;
  /** It must be there. */
  readonly required: boolean;
  /** It must not be there. */
  readonly forbidden: boolean;
  /** How often it had to be another than before: no other object may have it. */
  readonly unique: number;
  /** How often nothing was found under it: it names something that exists. */
  readonly reference: number;
  /** How often it was named without a word of use. */
  readonly wrong: number;
  /** Keywords of JSON Schema that hold besides those of the contract. */
  readonly keywords: JsonObject;
}

/** Lessons of one operation, or those of all by the schema that they are about. */
export type Lessons = Map<string, Lesson>;

/** A place of a request that something was said about. */
export type LessonPlace =
  | { readonly kind: 'parameter'; readonly parameter: Parameter }
  /** `schema` is undefined where the contract does not know the member. */
  | { readonly kind: 'body'; readonly tokens: readonly string[]; readonly schema: Pointer | undefined };

export function keyOf(about: LessonPlace): string {
  return about.kind === 'parameter'
    ? `${about.parameter.in} ${about.parameter.name}`
    : `body /${about.tokens.join('/')}`;
}

/** Nothing is known yet. */
export const noLesson = { required: false, forbidden: false, unique: 0, reference: 0, wrong: 0, keywords: {} } as const;

/** The lesson with what a refusal asked for added to it. */
export function addRules(lesson: Lesson, rules: readonly Rule[], isSent: boolean): Lesson {
  let after = lesson;
  const isWrong = (): Lesson => ({ ...after, wrong: after.wrong + 1 });
  for (const rule of rules) {
    if (rule.kind === 'keywords') after = { ...after, keywords: { ...after.keywords, ...rule.keywords } };
    else if (rule.kind === 'required') {
      // "Is required" of what was sent means that it was empty, or not what was wanted; so it was where it had to go before.
      after =
        isSent || after.forbidden ? { ...isWrong(), forbidden: false, required: true } : { ...after, required: true };
    } else if (rule.kind === 'forbidden') {
      if (isSent) after = after.required ? isWrong() : { ...after, forbidden: true };
    } else if (rule.kind === 'wrong') after = isSent ? isWrong() : after;
    else if (rule.kind === 'unique') after = { ...after, unique: after.unique + 1 };
    else if (rule.kind === 'reference') after = { ...after, reference: after.reference + 1 };
  }
  if (rules.length === 0) after = isSent ? isWrong() : { ...after, required: true };
  // What keeps being refused for the same reason is no lesson any more.
  return after.wrong > 4 || after.unique > 4 || after.reference > 4 ? lesson : after;
}
