import { type ContractDocument, isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { type Reading, readingOf } from '@lockstep/json/schema-keywords';
import { measureLongest } from '@lockstep/runtime/validation/read-pattern';

/** Items of an invented list, unless its schema asks for more. */
export const mostItems = 3;

/** Characters of an invented text, of a pattern or of a length that its schema asks for. */
const mostCharacters = 100_000;
/** Repetitions that the generator makes where there is no upper bound. */
const endless = 100;

/**
 * A copy of a contract whose schemas a generator can handle.
 *
 * - No list asks for more items than it needs. Lists filled up to half of their `maxItems` make, of 300 devices with
 *   100 linked devices each, tens of thousands of objects: one such request had no answer after 90 seconds, and twenty
 *   at once ended the process at 4 GB.
 * - An object whose members are described has no others, unless its schema says what they are. Members of any name and kind would be taken
 *   by a schema that is open to later versions, and mean nothing.
 * - A pattern or least length that asks for more text than memory holds is left out, and the answer is judged without it.
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
