import { type ContractDocument, followRef, isObject } from '@lockstep/json/json-pointer';

export const faultRoles = ['text', 'code', 'details', 'request-id'] as const;

/** What a member of an error body carries: the values of `x-fault`. */
export type FaultRole = (typeof faultRoles)[number];

export interface FaultMember {
  readonly name: string;
  readonly role: FaultRole;
}

/** How deep composed schemas are looked through; a schema that contains itself ends here. */
const deepest = 8;

/**
 * Finds which members of a body carry what, by their `x-fault` mark, in the order of the schema. A role may stand on
 * several members, where a schema has alternatives.
 */
export function findFaultMembers(document: ContractDocument, schema: unknown, depth = 0): FaultMember[] {
  if (depth > deepest) return [];
  const node = followRef(document, schema);
  const own = Object.entries(isObject(node.properties) ? node.properties : {}).flatMap(([name, property]) => {
    const mark = followRef(document, property)['x-fault'];
    return faultRoles.filter((role) => role === mark).map((role) => ({ name, role }));
  });
  const branches = [node.allOf, node.anyOf, node.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const found = [...own, ...branches.flatMap((branch) => findFaultMembers(document, branch, depth + 1))];
  return found.filter(({ name }, index) => found.findIndex((member) => member.name === name) === index);
}

/** A copy of a body in which the members of one role hold `value`; members the body does not have stay away. */
export function replaceRole(members: readonly FaultMember[], body: unknown, role: FaultRole, value: unknown): unknown {
  if (!isObject(body)) return body;
  const own = members.filter((member) => member.role === role && Object.hasOwn(body, member.name));
  return own.length === 0 ? body : { ...body, ...Object.fromEntries(own.map(({ name }) => [name, value])) };
}
