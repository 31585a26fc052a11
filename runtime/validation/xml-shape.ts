import { type ContractDocument, followRef, isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { listParts } from '@lockstep/json/schema-keywords';
import { type Coerce, createCoercion, memberSchemas, schemaTypes } from './coerce-text.ts';

/** A member of an object as XML has it: an attribute, an element, or an element for each item of a list. A list or an object is no attribute. */
export interface XmlMember {
  readonly key: string;
  /** Local name of the attribute or element. */
  readonly name: string;
  readonly isAttribute: boolean;
  /** Whether the items of the list have no element around them. */
  readonly isUnwrapped: boolean;
  /** Whether a single null is the list: the list allows null, and its items do not. */
  readonly isNullable: boolean;
  /** Of the value; of an item, if the list is unwrapped. */
  readonly schema: unknown;
  readonly isDescribed: boolean;
}

/** A schema as XML shows its values. */
export interface XmlShape {
  readonly types: ReturnType<typeof schemaTypes>;
  readonly coerce: Coerce;
  readonly isObject: boolean;
  /** Schema of the items of a list. */
  readonly items: unknown;
  /** Unwrapped lists that an object must have: without items, XML has nothing of them. */
  readonly requiredLists: readonly XmlMember[];
  readonly memberOf: (key: string) => XmlMember;
  /** The member with a name in XML; undescribed if the schema has none. */
  readonly memberNamed: (name: string, isAttribute: boolean) => XmlMember;
}

/** Whether a media type is XML: itself, or by its structured suffix (RFC 7303, 4.2). */
export function isXmlType(mediaType: string): boolean {
  return /^\s*(?:text\/xml|application\/xml|[\w.!#$&^-]+\/[\w.!#$&^-]+\+xml)\s*(?:;|$)/i.test(mediaType);
}

/**
 * Creates the reader of schemas for one text. Names, attributes and wrapped lists follow the XML Object (OpenAPI 3.1, 4.8.26). Names are local names:
 * prefix and namespace are ignored. Of several parts of a schema, the first with an XML Object counts.
 */
export function createXmlShapes(document: ContractDocument): (schema: unknown) => XmlShape {
  const shapes = new Map<unknown, XmlShape>();
  return (schema) => {
    const shape = shapes.get(schema) ?? readShape(document, schema);
    shapes.set(schema, shape);
    return shape;
  };
}

function readShape(document: ContractDocument, schema: unknown): XmlShape {
  const types = schemaTypes(document, schema);
  const parts = listParts(document, schema);
  const own = [...memberSchemas(document, schema)].map(([key, property]) => readMember(document, key, property, true));
  const byKey = new Map(own.map((member) => [member.key, member]));
  const byName = new Map(own.toReversed().map((member) => [placeOf(member.name, member.isAttribute), member]));
  const other = parts.find(({ additionalProperties }) => isObject(additionalProperties))?.additionalProperties;
  const undescribed = readMember(document, '', other, false);
  const memberOf = (key: string): XmlMember => byKey.get(key) ?? { ...undescribed, key, name: cleanName(key) };
  return {
    types,
    coerce: createCoercion(document, schema),
    isObject: types.has('object') || (types.size === 0 && own.length > 0),
    items: itemsOf(document, schema),
    requiredLists: [...requiredIn(document, schema)].map(memberOf).filter(({ isUnwrapped }) => isUnwrapped),
    memberOf,
    memberNamed: (name, isAttribute) => byName.get(placeOf(name, isAttribute)) ?? memberOf(name),
  };
}

const placeOf = (name: string, isAttribute: boolean): string => (isAttribute ? `@${name}` : name);

function readMember(document: ContractDocument, key: string, schema: unknown, isDescribed: boolean): XmlMember {
  const { attribute, wrapped } = xmlOf(document, schema);
  const types = schemaTypes(document, schema);
  const isUnwrapped = types.has('array') && wrapped !== true;
  const inside = isUnwrapped ? itemsOf(document, schema) : schema;
  return {
    key,
    name: xmlName(document, inside, key),
    isAttribute: attribute === true && !types.has('array') && !types.has('object'),
    isUnwrapped,
    isNullable: isUnwrapped && types.has('null') && !schemaTypes(document, inside).has('null'),
    schema: inside,
    isDescribed,
  };
}

function itemsOf(document: ContractDocument, schema: unknown): unknown {
  return listParts(document, schema).find((part) => 'items' in part)?.items;
}

/** Names that every value must have: those of the schema itself and of its `allOf`. */
function requiredIn(document: ContractDocument, schema: unknown): ReadonlySet<string> {
  const parts = new Set([followRef(document, schema)]);
  // A set also visits the parts that are added to it on the way.
  for (const { allOf } of parts) for (const part of [allOf ?? []].flat()) parts.add(followRef(document, part));
  return new Set([...parts].flatMap(({ required }) => (Array.isArray(required) ? required.map(String) : [])));
}

/** The local name of an element or attribute for a schema, as a valid one. */
export function xmlName(document: ContractDocument, schema: unknown, fallback: string): string {
  return declaredXmlName(document, schema) ?? cleanName(fallback);
}

/** The `name` of a schema's XML Object. Some contracts write the prefix into it. */
export function declaredXmlName(document: ContractDocument, schema: unknown): string | undefined {
  const { name } = xmlOf(document, schema);
  return typeof name === 'string' && name !== '' ? cleanName(name.slice(name.lastIndexOf(':') + 1)) : undefined;
}

// Namespaces in XML 1.0, 3: names without colons. XML 1.0, 2.3: their characters.
const nameStart =
  'A-Z_a-z\\xC0-\\xD6\\xD8-\\xF6\\xF8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF';
const notInNames = new RegExp(`[^${nameStart}\\-.0-9\\xB7\\u0300-\\u036F\\u203F\\u2040]`, 'g');
const startsName = new RegExp(`^[${nameStart}]`);

function cleanName(name: string): string {
  const cleaned = name.replaceAll(notInNames, '_');
  return cleaned === name && startsName.test(name) ? name : `_${cleaned}`;
}

function xmlOf(document: ContractDocument, schema: unknown): JsonObject {
  const xml = listParts(document, schema).find((part) => isObject(part.xml))?.xml;
  return isObject(xml) ? xml : {};
}
