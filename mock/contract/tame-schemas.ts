import { type ContractDocument, isObject, type JsonObject } from '@lockstep/json/json-pointer';

/** Items of an invented list, unless its schema asks for more. */
export const mostItems = 3;

/** Members whose content is data, not schemas, unless they are themselves the name of a property. */
const dataMembers = new Set(['example', 'examples', 'default', 'enum', 'const']);

/**
 * A copy of a contract whose schemas a generator can handle.
 *
 * - No list asks for more items than it needs. Lists filled up to half of their `maxItems` make, of 300 devices with
 *   100 linked devices each, tens of thousands of objects: one such request had no answer after 90 seconds, and twenty
 *   at once ended the process at 4 GB.
 * - Text with both `format` and `pattern` is its example: the generator follows the format and ignores the pattern.
 */
export function tameSchemas(document: ContractDocument): ContractDocument {
  return tameMembers(document, false);
}

function tameNode(node: unknown, isNaming: boolean): unknown {
  if (Array.isArray(node)) return node.map((item) => tameNode(item, false));
  if (!isObject(node)) return node;
  const tamed = tameMembers(node, isNaming);
  return isNaming ? tamed : tameText(tameList(tamed));
}

/** @param isNaming whether the members are names of properties, not keywords */
function tameMembers(node: JsonObject, isNaming: boolean): JsonObject {
  const members = Object.entries(node).map(([name, member]) => {
    const isData = !isNaming && (dataMembers.has(name) || name.startsWith('x-'));
    return [name, isData ? member : tameNode(member, !isNaming && name === 'properties')] as const;
  });
  return Object.fromEntries(members);
}

function tameList(schema: JsonObject): JsonObject {
  const { type, minItems, maxItems } = schema;
  if (maxItems === undefined && ![type].flat().includes('array')) return schema;
  const wanted = Math.max(typeof minItems === 'number' ? minItems : 0, mostItems);
  return { ...schema, maxItems: typeof maxItems === 'number' ? Math.min(maxItems, wanted) : wanted };
}

function tameText(schema: JsonObject): JsonObject {
  const { format, pattern, ...rest } = schema;
  const isBoth = format !== undefined && pattern !== undefined && rest.example !== undefined;
  return isBoth ? { ...rest, enum: [rest.example] } : schema;
}
