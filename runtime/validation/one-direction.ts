import { type ContractDocument, followMember, followRef, isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { mapSchemas } from '@lockstep/json/map-schemas';
import { listParts } from '@lockstep/json/schema-keywords';
import { oncePerDocument } from '../once-per-document.ts';

/** The mark of members that are not sent in a direction. */
const marks = { request: 'readOnly', response: 'writeOnly' } as const;

export type Direction = keyof typeof marks;

/**
 * The contract for one direction: a `readOnly` member is not required in a request, a `writeOnly` one not in a response. Either may
 * still be sent if its schema allows it, since the norms only recommend against it (OpenAPI 3.0, 4.7.24; JSON Schema 2020-12,
 * Validation, 9.4, leaves it to the owner of the data). In both directions, the `mapping` of a discriminator selects the alternative.
 */
export function readDirection(contract: ContractDocument, direction: Direction): ContractDocument {
  return readings[direction](contract);
}

const readings = {
  request: oncePerDocument((contract) => leaveOut(contract, marks.request)),
  response: oncePerDocument((contract) => leaveOut(contract, marks.response)),
} as const satisfies Record<Direction, unknown>;

function leaveOut(contract: ContractDocument, mark: string): ContractDocument {
  return mapSchemas(contract, (given, { whole }) => {
    const schema = selectByTag(contract, given);
    const { required } = schema;
    if (!Array.isArray(required) || required.length === 0) return schema;
    const parts = [...new Set([whole, given])].flatMap((one) => listParts(contract, one));
    const isMarked = (name: unknown): boolean =>
      parts.some(
        ({ properties }) => isObject(properties) && followMember(contract, properties, String(name))[mark] === true,
      );
    const left = required.filter((name) => !isMarked(name));
    return left.length === required.length ? schema : { ...schema, required: left };
  });
}

/**
 * An alternative rejects the values of a discriminator that the mapping gives to other alternatives (OpenAPI 3.1, 4.8.25): several alternatives with
 * the same members would all match a value of one of them, so that `oneOf` would reject it. Without a mapped value, all alternatives are tried.
 */
function selectByTag(contract: ContractDocument, schema: JsonObject): JsonObject {
  if (!isObject(schema.discriminator)) return schema;
  const { propertyName, mapping } = schema.discriminator;
  const keyword = ['oneOf', 'anyOf'].find((name) => Array.isArray(schema[name]));
  if (typeof propertyName !== 'string' || !isObject(mapping) || keyword === undefined) return schema;
  const alternatives = schema[keyword] as readonly unknown[];
  const tags = Object.entries(mapping).flatMap(([tag, target]) => {
    const meant = alternatives.find((one) => isTarget(one, target));
    return meant !== undefined && allowsTag(contract, meant, propertyName, tag) ? [{ tag, meant }] : [];
  });
  const selected = alternatives.map((alternative) => {
    const own = tags.filter(({ meant }) => meant === alternative).map(({ tag }) => tag);
    const others = tags.map(({ tag }) => tag).filter((tag) => !own.includes(tag));
    if (!isObject(alternative) || alternative.properties !== undefined || others.length === 0) return alternative;
    return { ...alternative, properties: { [propertyName]: { not: { enum: others } } } };
  });
  return { ...schema, [keyword]: selected };
}

/** A mapping has references, or names of schemas. */
function isTarget(alternative: unknown, target: unknown): boolean {
  const $ref = isObject(alternative) ? alternative.$ref : undefined;
  return typeof $ref === 'string' && ($ref === target || $ref === `#/components/schemas/${String(target)}`);
}

/** A mapping may name a value that its schema rejects: such a value selects nothing. */
function allowsTag(contract: ContractDocument, schema: unknown, propertyName: string, tag: string): boolean {
  return listParts(contract, schema).every(({ properties }) => {
    const own = isObject(properties) ? followRef(contract, properties[propertyName]) : {};
    const isOther = 'const' in own && own.const !== tag;
    return !isOther && !(Array.isArray(own.enum) && !own.enum.includes(tag));
  });
}
