import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import type { Validate } from '../validation/compile-schema.ts';
import type { NamedExample } from './declared-response.ts';
import { type FaultMember, type FaultRole, faultRoles } from './fault-members.ts';

type FaultValues = Readonly<Partial<Record<FaultRole, unknown>>>;

/** What is said, most first: a schema that has no room for our details or code may still take the text. */
const attempts: readonly { roles: readonly FaultRole[]; emptyDetails?: boolean }[] = [
  { roles: ['text', 'code', 'status', 'details', 'request-id'] },
  { roles: ['text', 'code', 'status', 'details', 'request-id'], emptyDetails: true },
  { roles: ['text', 'status', 'details', 'request-id'], emptyDetails: true },
  { roles: ['text', 'code', 'status', 'request-id'] },
  { roles: ['text', 'status', 'request-id'] },
];

/**
 * Puts what is known of a refusal into the documented example of an error, at the members that carry it.
 *
 * @param example pattern of all other members; none when left out
 * @param isRequiredOnly whether it gives no more of them than the schema asks for: they tell of another fault
 * @returns the fullest body that its schema accepts; undefined where there is none, or no member to say a word in
 */
export function fillFaultBody(
  members: readonly FaultMember[],
  example: NamedExample | undefined,
  validate: Validate,
  isRequiredOnly: boolean,
  values: FaultValues,
): unknown {
  if (!members.some(({ role }) => role === 'text')) return undefined;
  const pattern = isObject(example?.value) ? example.value : {};
  const usable = members.filter((member) => isUsed(member, members, pattern));
  // In one order for all answers: what the text says first, the id of the request last.
  const ordered = faultRoles.flatMap((role) => usable.filter((member) => member.role === role));
  const bodies = attempts.map(({ roles, emptyDetails = false }): JsonObject => {
    const given = emptyDetails ? { ...values, details: [] } : values;
    const filled = ordered.flatMap(({ name, role }): [string, unknown][] => {
      if (roles.includes(role) && given[role] !== undefined) return [[name, given[role]]];
      // The example's details tell of another fault.
      return Object.hasOwn(pattern, name) && role !== 'details' ? [[name, pattern[name]]] : [];
    });
    return Object.fromEntries(filled);
  });
  const others = Object.entries(pattern).filter(([name]) => !members.some((member) => member.name === name));
  const whole = bodies.map((body) => ({ ...body, ...Object.fromEntries(others) }));
  return [...(isRequiredOnly ? bodies : []), ...whole].find((body) => validate(body) === undefined);
}

/** Of several members for one role, a response uses those that its example has; without any, all may be used. */
function isUsed({ name, role }: FaultMember, members: readonly FaultMember[], pattern: JsonObject): boolean {
  if (Object.hasOwn(pattern, name)) return true;
  return !members.some((other) => other.role === role && Object.hasOwn(pattern, other.name));
}
