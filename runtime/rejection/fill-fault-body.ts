import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import type { Validate } from '../validation/compile-schema.ts';
import type { NamedExample } from './declared-response.ts';
import { type FaultMember, type FaultRole, type FaultShape, faultRoles } from './fault-members.ts';

type FaultValues = Readonly<Partial<Record<FaultRole, unknown>>>;

/** Sets of roles to fill, largest first: a schema without details or code may still accept the text. */
const attempts: readonly { roles: readonly FaultRole[]; emptyDetails?: boolean }[] = [
  { roles: ['text', 'code', 'status', 'details', 'request-id'] },
  { roles: ['text', 'code', 'status', 'details', 'request-id'], emptyDetails: true },
  { roles: ['text', 'status', 'details', 'request-id'], emptyDetails: true },
  { roles: ['text', 'code', 'status', 'request-id'] },
  { roles: ['text', 'status', 'request-id'] },
];

/**
 * Writes the data of a rejection into the documented example of an error.
 *
 * @param example gives all other members; none by default
 * @param isRequiredOnly whether only required members are copied from the example, which is about another fault
 * @returns the fullest body that its schema accepts; undefined if there is none, or no member for a text
 */
export function fillFaultBody(
  { members, outer, read, wrap }: FaultShape,
  example: NamedExample | undefined,
  validate: Validate,
  isRequiredOnly: boolean,
  values: FaultValues,
): unknown {
  if (!members.some(({ role }) => role === 'text')) return undefined;
  const given = isObject(example?.value) ? example.value : {};
  const own = Object.fromEntries(
    outer.flatMap(({ name, role }) => (values[role] === undefined ? [] : [[name, values[role]]])),
  );
  const arounds = [...(isRequiredOnly ? [{}, own] : []), { ...given, ...own }, given];
  const part = read(given);
  const pattern = isObject(part) ? part : {};
  const usable = members.filter((member) => isUsed(member, members, pattern));
  // One order for all answers: the text first, the id of the request last.
  const ordered = faultRoles.flatMap((role) => usable.filter((member) => member.role === role));
  const bodies = attempts.map(({ roles, emptyDetails = false }): JsonObject => {
    const filling = emptyDetails ? { ...values, details: [] } : values;
    const filled = ordered.flatMap(({ name, role }): [string, unknown][] => {
      if (roles.includes(role) && filling[role] !== undefined) return [[name, filling[role]]];
      // The details of the example belong to another fault.
      return Object.hasOwn(pattern, name) && role !== 'details' ? [[name, pattern[name]]] : [];
    });
    return Object.fromEntries(filled);
  });
  const kept = Object.entries(pattern).filter(([name]) => !members.some((member) => member.name === name));
  const whole = bodies.map((body) => ({ ...body, ...Object.fromEntries(kept) }));
  const parts = isRequiredOnly ? [...bodies, ...whole] : whole;
  return parts
    .flatMap((one) => arounds.map((around) => wrap(one, around)))
    .find((body) => validate(body) === undefined);
}

/** If several members have one role, a response uses those of its example; if the example has none, all of them. */
function isUsed({ name, role }: FaultMember, members: readonly FaultMember[], pattern: JsonObject): boolean {
  if (Object.hasOwn(pattern, name)) return true;
  return !members.some((other) => other.role === role && Object.hasOwn(pattern, other.name));
}
