import type { Contract, Operation } from '../contract/contract.ts';
import { isObject, type JsonObject, type Seen } from '../contract/document.ts';
import { normal, singular, stemOf } from '../resources/slots.ts';
import { requestForm } from '../schema/canonical.ts';
import type { Shape } from '../schema/shape.ts';
import { type Constraints, changeAt, constraintAt, keyOf, type Place } from './constraints.ts';
import { alongSchema, bodySchemaOf, isThere, pathsIn, valueAt } from './find-place.ts';

interface Mentioning {
  readonly contract: Contract;
  readonly operation: Operation;
  readonly seen: Seen;
  /** Sentences of the rejection. */
  readonly says: readonly string[];
  readonly constraints: Constraints;
}

/**
 * Infers constraints from names that stand in a rejection without any form: members that were left out, values of an enumeration,
 * members that were sent without need.
 *
 * @returns undefined where the next request would be the same
 */
export function inferFromMentions(mentioning: Mentioning): Constraints | undefined {
  return (
    addReference(mentioning) ??
    addLeftOut(mentioning) ??
    inferOtherMember(mentioning) ??
    addUnwanted(mentioning) ??
    addUnknown(mentioning)
  );
}

/** Where a path names nothing, a 404 is about an id in the body: one that was sent without need is left out. */
function addUnknown({ contract, operation, seen, constraints }: Mentioning): Constraints | undefined {
  if (seen.status !== 404 || operation.path.includes('{') || !isObject(seen.requestBody)) return undefined;
  const required = bodyOf(contract, operation)?.required;
  for (const name of Object.keys(seen.requestBody)) {
    const about: Place = { kind: 'body', tokens: [name], schema: undefined };
    const known = constraintAt(constraints, about);
    if (known.forbidden || required?.has(name) || !/^(_?id|pk|uuid|guid)$|_id$|[a-z]Id$/.test(name)) continue;
    return changeAt(constraints, about, { forbidden: true });
  }
  return undefined;
}

/** Words that say that something named does not exist. */
const missed =
  /(does|do|did)( ?not|n't) exist|not found|no such|could ?(not|n't) (find|be found)|\b(no|none of) [\w ]{2,40}(match|found|exist|select|given)/i;

/** "None of the supplied author_ids exist": what was sent has to name something that exists. */
function addReference({
  contract,
  operation,
  seen,
  says: sentences,
  constraints,
}: Mentioning): Constraints | undefined {
  const schema = bodySchemaOf(operation);
  const inBody = pathsIn(seen.requestBody).map(
    (tokens): Place => ({
      kind: 'body',
      tokens,
      schema: schema === undefined ? undefined : alongSchema(contract, schema, tokens)?.schema,
    }),
  );
  const outside = operation.parameters
    .filter(({ in: where }) => where !== 'path')
    .map((parameter): Place => ({ kind: 'parameter', parameter }));
  for (const about of [...outside, ...inBody]) {
    const name = about.kind === 'parameter' ? about.parameter.name : (about.tokens.at(-1) ?? '');
    const known = constraintAt(constraints, about);
    if (!isTelling(name) || known.reference > 1 || !isThere(about, seen)) continue;
    if (!sentences.some((says) => missed.test(says) && standsIn(name, says))) continue;
    return changeAt(constraints, about, { reference: known.reference + 1 });
  }
  return undefined;
}

/** "Either result or error must be provided", "Set delete_all=true", "No project matches": what was left out is taken in. */
function addLeftOut({ contract, operation, seen, says: sentences, constraints }: Mentioning): Constraints | undefined {
  const body = bodyOf(contract, operation);
  const places: (readonly [string, Place])[] = [
    ...operation.parameters
      .filter((parameter) => !parameter.required)
      .map((parameter) => [parameter.name, { kind: 'parameter', parameter }] as const),
    ...[...(body === undefined ? [] : requestForm(contract).declared(body))].map(
      ([name, schema]) => [name, { kind: 'body', tokens: [name], schema }] as const,
    ),
  ];
  for (const says of sentences) {
    const isMissed = missed.test(says);
    if (
      !isMissed &&
      !/must|require|need|provide|specif|suppl|missing|set|expect|at least|either|empty|should|cannot|please|give/i.test(
        says,
      )
    )
      continue;
    const isLeft = (about: Place): boolean => !isThere(about, seen) && !constraints.has(keyOf(about));
    const named = places.filter(([name, about]) => name.length >= 2 && isLeft(about) && standsIn(name, says));
    // "No project matches the given query" asks for `project`, also where it is called `projectId`.
    const asked = isMissed
      ? places.filter(([name, about]) => {
          const stem = stemOf(name);
          return stem.length > 2 && isLeft(about) && wordsOf(says).some((word) => singular(word) === stem);
        })
      : [];
    const left = named.length > 0 ? named : asked;
    const isChoice = isMissed || (/\b(or|one of|either)\b/i.test(says) && !/\bboth\b/i.test(says));
    let made = constraints;
    for (const [name, about] of isChoice ? left.slice(0, 1) : left.slice(0, 4)) {
      const told = new RegExp(`${escaped(name)}\\s*=\\s*([\\w.-]+)`).exec(says)?.[1];
      const keywords: JsonObject = told === undefined ? {} : { enum: [spellTold(told)] };
      made = changeAt(made, about, { required: true, reference: isMissed ? 1 : 0, keywords });
    }
    if (left.length > 0) return made;
  }
  return undefined;
}

/** "Only CHAT templates are supported", "STR is not implemented", "kind does not match data": another value of the contract's list. */
export function inferOtherMember({
  contract,
  operation,
  seen,
  says: sentences,
  constraints,
}: Mentioning): Constraints | undefined {
  const schema = bodySchemaOf(operation);
  if (schema === undefined) return undefined;
  for (const tokens of pathsIn(seen.requestBody)) {
    const found = alongSchema(contract, schema, tokens);
    const now = valueAt(seen.requestBody, tokens);
    if (found === undefined || typeof now !== 'string') continue;
    const members = membersOf(contract, found.schema);
    const others = members.filter((member) => member !== now);
    if (others.length === 0) continue;
    const about: Place = { kind: 'body', tokens, schema: found.schema };
    const known = constraintAt(constraints, about);
    if (known.wrong > 3) continue;
    for (const says of sentences) {
      const isTold = (member: unknown): boolean =>
        typeof member === 'string' &&
        isTelling(member) &&
        new RegExp(`(^|[^\\w-])${escaped(member)}($|[^\\w-])`).test(says);
      const told = others.filter(isTold);
      const isRefused = isTold(now) || (told.length === 0 && isMismatch(tokens.at(-1) ?? '', says));
      if (told.length === 0 && !isRefused) continue;
      // What was named once as wrong is no choice any more.
      const left = (Array.isArray(known.keywords.enum) ? known.keywords.enum : others).filter(
        (member) => member !== now,
      );
      const chosen = told.length > 0 && !isRefused ? told : left;
      if (chosen.length === 0) continue;
      const keywords = { ...known.keywords, enum: chosen };
      return changeAt(constraints, about, { keywords });
    }
  }
  return undefined;
}

/** "Setting a custom provider is not part of the licence": what was sent without need is left out. */
function addUnwanted({ contract, operation, seen, says: sentences, constraints }: Mentioning): Constraints | undefined {
  const schema = bodySchemaOf(operation);
  if (schema === undefined || !isObject(seen.requestBody)) return undefined;
  for (const tokens of pathsIn(seen.requestBody)) {
    const name = tokens.at(-1) ?? '';
    const about: Place = { kind: 'body', tokens, schema: alongSchema(contract, schema, tokens)?.schema };
    const known = constraintAt(constraints, about);
    if (known.forbidden || known.required || name.length < 2) continue;
    const isNamed = (says: string): boolean =>
      new RegExp(`["'\`]${escaped(name)}["'\`]`).test(says) || (isTelling(name) && standsIn(name, says));
    const isRefused = (says: string): boolean =>
      /\b(not|isn't|un(supported|known|expected|implemented)|invalid|cannot|can't|may not|only|illegal)\b/i.test(says);
    if (!sentences.some((says) => isNamed(says) && isRefused(says))) continue;
    return changeAt(constraints, about, { forbidden: true });
  }
  return undefined;
}

/** It says that this member, by its name or in words, does not fit another. */
function isMismatch(name: string, says: string): boolean {
  return (
    name.length > 3 &&
    /(does|do)( ?not|n't) match|mismatch|must match|inconsistent|incompatible|not compatible/i.test(says) &&
    normal(says.slice(0, 300)).includes(normal(name))
  );
}

function membersOf(contract: Contract, schema: string): readonly unknown[] {
  const form = requestForm(contract);
  return form.branch(form.at(schema)).values ?? [];
}

/** The first branch of what a body may be. */
function bodyOf(contract: Contract, operation: Operation): Shape | undefined {
  const schema = bodySchemaOf(operation);
  const form = requestForm(contract);
  return schema === undefined ? undefined : form.branch(form.at(schema));
}

/** No word of a sentence: `CHAT`, `start_time`, `returnRefreshToken`. */
function isTelling(text: string): boolean {
  return text.length > 2 && (/[_\d]|[a-z][A-Z]/.test(text) || /^[A-Z]{3,}$/.test(text));
}

function standsIn(name: string, says: string): boolean {
  return new RegExp(`(^|[^\\w])${escaped(name)}($|[^\\w])`).test(says);
}

function wordsOf(says: string): string[] {
  return says
    .slice(0, 300)
    .split(/[^\p{L}\p{N}_-]+/u)
    .map(normal)
    .filter((word) => word !== '');
}

function escaped(name: string): string {
  return name.replaceAll(/[^\w]/g, '\\$&');
}

function spellTold(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+$/.test(text) ? Number(text) : text;
}
