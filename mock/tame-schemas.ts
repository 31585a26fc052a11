import { type ContractDocument, isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { type Reading, readingOf } from '@lockstep/json/schema-keywords';
import { measureLongest } from '@lockstep/runtime/validation/read-pattern';

/** Items of an invented list, unless its schema requires more. */
export const mostItems = 3;

/** Longest text that the generator may have to write, by pattern or length. */
const mostCharacters = 100_000;
/** Repetitions of the generator for a quantifier without an upper bound. */
const endless = 100;

/**
 * A copy of a contract whose schemas the generator can handle.
 *
 * - `maxItems` of a list is lowered. The generator fills lists up to half of it. With 300 devices of 100 linked devices
 *   each, one request had no answer after 90 seconds, and twenty at once ended the process at 4 GB.
 * - An object with `properties` gets `additionalProperties: false`, unless it declares that keyword. Additional members
 *   with arbitrary names would be valid, but meaningless.
 * - A pattern or `minLength` that requires more text than memory holds is removed. The answer is validated without it.
 * - Text with both `format` and `pattern` is its example: the generator follows the format and ignores the pattern.
 */
export function tameSchemas(document: ContractDocument): ContractDocument {
  return tameMembers(document, 'keywords');
}

function tameNode(node: unknown, reading: Reading): unknown {
  if (Array.isArray(node)) return node.map((item) => tameNode(item, 'keywords'));
  if (!isObject(node)) return node;
  const tamed = tameMembers(node, reading);
  return reading === 'names' ? tamed : tameText(tameLength(tameMembersOf(tameList(tamed))));
}

function tameMembers(node: JsonObject, reading: Reading): JsonObject {
  const members = Object.entries(node).map(([name, member]) => {
    const within = reading === 'keywords' && name.startsWith('x-') ? 'data' : readingOf(reading, name);
    return [name, within === 'data' ? member : tameNode(member, within)] as const;
  });
  return Object.fromEntries(members);
}

function tameList(schema: JsonObject): JsonObject {
  const { type, minItems, maxItems } = schema;
  if (maxItems === undefined && ![type].flat().includes('array')) return schema;
  const wanted = Math.max(typeof minItems === 'number' ? minItems : 0, mostItems);
  return { ...schema, maxItems: typeof maxItems === 'number' ? Math.min(maxItems, wanted) : wanted };
}

function tameMembersOf(schema: JsonObject): JsonObject {
  return isObject(schema.properties) && schema.additionalProperties === undefined
    ? { ...schema, additionalProperties: false }
    : schema;
}

function isLong(pattern: string): boolean {
  return measureLongest(pattern, endless) > mostCharacters;
}

function tameLength(schema: JsonObject): JsonObject {
  const { pattern, minLength, patternProperties } = schema;
  const dropped = new Set([
    ...(typeof pattern === 'string' && isLong(pattern) ? ['pattern'] : []),
    ...(Number(minLength ?? 0) > mostCharacters ? ['minLength', 'maxLength'] : []),
    ...(isObject(patternProperties) && Object.keys(patternProperties).some(isLong) ? ['patternProperties'] : []),
  ]);
  if (dropped.size === 0) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !dropped.has(name)));
}

function tameText(schema: JsonObject): JsonObject {
  const { format, pattern, ...rest } = schema;
  const isBoth = format !== undefined && pattern !== undefined && rest.example !== undefined;
  return isBoth ? { ...rest, enum: [rest.example] } : schema;
}
