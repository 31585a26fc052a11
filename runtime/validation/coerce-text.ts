import { type ContractDocument, isObject } from '@lockstep/json/json-pointer';
import { listParts } from '@lockstep/json/schema-keywords';

type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object';

/**
 * Parsers of text for each type, strictest first. Integers are plain decimal digits: `1e1`, ` 5` and `0x10` stay text,
 * which their schema rejects.
 */
const readers: readonly { type: JsonType; pattern: RegExp; read: (text: string) => unknown }[] = [
  { type: 'integer', pattern: /^-?\d+$/, read: Number },
  { type: 'number', pattern: /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/, read: Number },
  { type: 'boolean', pattern: /^(true|false)$/, read: (text) => text === 'true' },
  { type: 'null', pattern: /^null$/, read: () => null },
];

/** Reads text as the value of one schema. */
export type Coerce = (text: string) => unknown;

/**
 * Creates the parser of text in a path, query, header or form field for one schema. If the schema accepts text, the value stays
 * text; if it accepts some texts, these do. Text that fits no other type stays text too, so that the validator rejects it.
 */
export function createCoercion(document: ContractDocument, schema: unknown): Coerce {
  const types = schemaTypes(document, schema);
  const texts = types.has('string') ? listTexts(document, schema) : [];
  if (types.size === 0 || texts === undefined) return (text) => text;
  const usable = readers.filter(({ type }) => types.has(type));
  return (text) => {
    const reader = texts.includes(text) ? undefined : usable.find(({ pattern }) => pattern.test(text));
    return reader === undefined ? text : reader.read(text);
  };
}

/** The texts that a schema lists, such as `''` in place of a number; undefined if it accepts others. */
export function listTexts(document: ContractDocument, schema: unknown): readonly string[] | undefined {
  const listed = listParts(document, schema).map((part): readonly unknown[] | undefined => {
    if ('const' in part) return [part.const];
    return Array.isArray(part.enum) || ![part.type].flat().includes('string') ? asList(part.enum) : undefined;
  });
  const isFree = listed.includes(undefined);
  return isFree ? undefined : listed.flatMap((values) => values ?? []).filter((value) => typeof value === 'string');
}

/** The types that a schema names for the value itself, in any of its parts; empty if it accepts any. */
export function schemaTypes(document: ContractDocument, schema: unknown): ReadonlySet<JsonType> {
  const types = new Set<JsonType>();
  for (const part of listParts(document, schema)) {
    for (const type of [part.type].flat()) if (typeof type === 'string') types.add(type as JsonType);
    for (const value of [...asList(part.enum), ...('const' in part ? [part.const] : [])]) types.add(typeOf(value));
  }
  return types;
}

/** The members that a schema describes for the value itself, in any of its parts. If several parts describe a member, any of their types is parsed. */
export function memberSchemas(document: ContractDocument, schema: unknown): ReadonlyMap<string, unknown> {
  const described = listParts(document, schema).flatMap(({ properties }) =>
    isObject(properties) ? Object.entries(properties) : [],
  );
  return new Map(
    [...Map.groupBy(described, ([name]) => name)].map(([name, found]) => {
      const [only, ...others] = found.map(([, property]) => property);
      return [name, others.length === 0 ? only : { anyOf: [only, ...others] }];
    }),
  );
}

/** The schema of unnamed members; undefined if the contract has none. */
export function freeMembers(document: ContractDocument, schema: unknown): unknown {
  const parts = listParts(document, schema);
  const free = parts
    .map(({ additionalProperties }) => additionalProperties)
    .find((one) => isObject(one) || one === true);
  const isBare = parts.every(
    ({ properties, additionalProperties }) => properties === undefined && additionalProperties === undefined,
  );
  return free ?? (isBare ? true : undefined);
}

/** JSON Schema's name for the type of a value; whole numbers are integers. */
export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'boolean' || typeof value === 'string' ? (typeof value as JsonType) : 'object';
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
