import type { Contract } from '../contract/contract.ts';
import type { Exchange } from '../execute/exchange.ts';
import { normal } from '../resources/slots.ts';
import { requestForm } from '../schema/canonical.ts';
import { type Constraints, changeAt, constraintAt, type Place } from './constraints.ts';
import { alongSchema, bodySchemaOf, pathsIn, valueAt } from './find-place.ts';
import type { Rejection } from './read-rejection.ts';

/**
 * Chooses another value of an enum after a sentence such as "Only CHAT templates are supported", "STR is not implemented", "kind does
 * not match data". No other rule for free text paid off; this one reached 14 operations of one foreign server.
 *
 * @returns undefined if the rejection is about no enum value
 */
export function inferOtherMember(
  contract: Contract,
  { operation, seen }: Pick<Exchange, 'operation' | 'seen'>,
  { sentences }: Rejection,
  constraints: Constraints,
): Constraints | undefined {
  const schema = bodySchemaOf(operation);
  if (schema === undefined) return undefined;
  const form = requestForm(contract);
  for (const tokens of pathsIn(seen.requestBody)) {
    const found = alongSchema(contract, schema, tokens);
    const now = valueAt(seen.requestBody, tokens);
    if (found === undefined || typeof now !== 'string') continue;
    const others = (form.branch(form.at(found.schema)).values ?? []).filter((member) => member !== now);
    if (others.length === 0) continue;
    const about: Place = { kind: 'body', tokens, schema: found.schema };
    const { keywords, wrong } = constraintAt(constraints, about);
    if (wrong > 3) continue;
    for (const message of sentences) {
      const named = others.filter((member) => isNamed(member, message));
      const isWrong = isNamed(now, message) || (named.length === 0 && isMismatch(tokens.at(-1) ?? '', message));
      if (named.length === 0 && !isWrong) continue;
      // Values that earlier rejections excluded stay excluded.
      const left = (Array.isArray(keywords.enum) ? keywords.enum : others).filter((member) => member !== now);
      const chosen = isWrong ? left : named;
      if (chosen.length > 0) return changeAt(constraints, about, { keywords: { ...keywords, enum: chosen } });
    }
  }
  return undefined;
}

/** Whether the sentence contains the value as a word that is not plain English: `CHAT`, `start_time`, `returnToken`. */
function isNamed(member: unknown, message: string): boolean {
  if (typeof member !== 'string' || member.length < 3) return false;
  if (!/[_\d]|[a-z][A-Z]|^[A-Z]{3,}$/.test(member)) return false;
  return new RegExp(`(^|[^\\w-])${RegExp.escape(member)}($|[^\\w-])`).test(message);
}

/** Whether the sentence states that the named member of the body contradicts another. */
function isMismatch(name: string, message: string): boolean {
  return (
    name.length > 3 &&
    /(does|do)( ?not|n't) match|mismatch|must match|inconsistent|incompatible|not compatible/i.test(message) &&
    normal(message.slice(0, 300)).includes(normal(name))
  );
}
