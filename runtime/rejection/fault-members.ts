import { type ContractDocument, followRef, isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { listParts } from '@lockstep/json/schema-keywords';

export const faultRoles = ['text', 'code', 'status', 'details', 'request-id'] as const;

/** The role of a member of an error body: the values of `x-fault`, and the status that a body repeats. */
export type FaultRole = (typeof faultRoles)[number];

export interface FaultMember {
  readonly name: string;
  readonly role: FaultRole;
}

/**
 * Usual names of these members in APIs without marks, by role and type, the more specific name first: from RFC 9457, RFC 6749 (5.2),
 * JSON:API and petstores. One member is used for each role.
 */
const usualNames: readonly { readonly role: FaultRole; readonly type: string; readonly names: readonly string[] }[] = [
  { role: 'text', type: 'string', names: ['detail', 'message', 'error_description', 'description', 'error', 'title'] },
  { role: 'code', type: 'string', names: ['code', 'error', 'errorCode', 'error_code'] },
  { role: 'status', type: 'integer', names: ['status', 'statusCode', 'code'] },
  { role: 'request-id', type: 'string', names: ['requestId', 'request_id', 'traceId', 'trace_id'] },
];

/** Finds the roles of a body's members by their `x-fault` mark. */
export function findFaultMembers(document: ContractDocument, schema: unknown): FaultMember[] {
  return listProperties(document, schema).flatMap(({ name, property }) =>
    faultRoles.filter((role) => role === property['x-fault']).map((role) => ({ name, role })),
  );
}

/** Finds the roles in an error body without marks, by the names of its members. */
function guessFaultMembers(document: ContractDocument, schema: unknown): FaultMember[] {
  const properties = listProperties(document, schema);
  const taken = new Set<string>();
  return usualNames.flatMap(({ role, type, names }) => {
    const isOne = (name: string): boolean =>
      properties.some((known) => known.name === name && [known.property.type].flat().includes(type));
    const name = names.find((candidate) => !taken.has(candidate) && isOne(candidate));
    if (name === undefined) return [];
    taken.add(name);
    return [{ name, role }];
  });
}

/** The members of an error body, and the part of it that has them. */
export interface FaultShape {
  readonly members: readonly FaultMember[];
  /** Members around the part: a status, the id of the request. */
  readonly outer: readonly FaultMember[];
  /** The part of a body. */
  readonly read: (body: unknown) => unknown;
  /** A body with this part, and other members around it. */
  readonly wrap: (part: JsonObject, around: JsonObject) => JsonObject;
}

/** Names of parts with the text of an error: `{error: {message}}`, or the first item of `{errors: [{detail}]}` (JSON:API). */
const partNames = ['errors', 'error', 'meta', 'fault'];

/** The members with roles: of the body itself, or of a part if only that has a text. */
export function findFaultShape(document: ContractDocument, schema: unknown): FaultShape {
  const marked = findFaultMembers(document, schema);
  const own = marked.length > 0 ? marked : guessFaultMembers(document, schema);
  const whole: FaultShape = { members: own, outer: [], read: (body) => body, wrap: (body) => body };
  if (own.some(({ role }) => role === 'text')) return whole;
  const properties = listProperties(document, schema);
  const parts = partNames.flatMap((name) =>
    properties
      .filter((known) => known.name === name)
      .map(({ property }): FaultShape => {
        const isList = [property.type].flat().includes('array');
        return {
          members: guessFaultMembers(document, isList ? property.items : property),
          outer: own.filter((member) => member.name !== name),
          read: (body) => (isObject(body) ? [body[name]].flat()[0] : undefined),
          wrap: (part, around) => ({ ...around, [name]: isList ? [part] : part }),
        };
      }),
  );
  return parts.find(({ members }) => members.some(({ role }) => role === 'text')) ?? whole;
}

/** A copy of a body in which the existing members of one role have `value`. */
export function replaceRole(members: readonly FaultMember[], body: unknown, role: FaultRole, value: unknown): unknown {
  if (!isObject(body)) return body;
  const own = members.filter((member) => member.role === role && Object.hasOwn(body, member.name));
  return own.length === 0 ? body : { ...body, ...Object.fromEntries(own.map(({ name }) => [name, value])) };
}

interface Property {
  readonly name: string;
  readonly property: JsonObject;
}

/** The members that a schema describes, in its order. With alternatives, several members may have one role. */
function listProperties(document: ContractDocument, schema: unknown): Property[] {
  const found = listParts(document, schema).flatMap(({ properties }) =>
    Object.entries(isObject(properties) ? properties : {}).map(([name, property]) => ({
      name,
      property: followRef(document, property),
    })),
  );
  return found.filter(({ name }, index) => found.findIndex((property) => property.name === name) === index);
}
