import { type ContractDocument, followRef, isObject } from '@lockstep/json/json-pointer';

/** Keywords below which a schema judges a member or an item of the value, not the value itself. */
const perMember = new Set(['properties', 'patternProperties']);
const perItem = new Set(['items', 'additionalProperties', 'contains']);
/** What holds values, not schemas. */
const values = new Set(['enum', 'const', 'default', 'example', 'examples']);
/** How deep composed schemas are looked through; a schema that contains itself ends here. */
const deepest = 8;

export interface ClosedContract {
  /** The contract with every schema of a member or an item closed; for a compiler. */
  readonly document: ContractDocument;
  /** Closes a schema of the document that stands for a whole value. */
  readonly close: (schema: unknown) => unknown;
}

/**
 * Makes a copy of a contract in which no object may have a member that its schema doesn't describe, at any depth.
 *
 * `additionalProperties: false` would forbid what a schema beside it (`allOf`) describes; `unevaluatedProperties` knows all of
 * them, but has to stand outside. So each schema of a member or an item is wrapped, and what composes it is left as it is. A schema
 * that describes no members stays open.
 */
export function closeSchemas(contract: ContractDocument): ClosedContract {
  const document = mapNode(contract);
  return { document: isObject(document) ? document : {}, close };

  function close(schema: unknown): unknown {
    return describesMembers(schema) ? { allOf: [schema], unevaluatedProperties: false } : schema;
  }

  function mapNode(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(mapNode);
    if (!isObject(node)) return node;
    // `true` says what is so without it, and would count as a description of every member.
    const keywords = Object.entries(node).filter(([key, value]) => key !== 'additionalProperties' || value !== true);
    return Object.fromEntries(keywords.map(mapKeyword));
  }

  function mapKeyword([key, value]: [string, unknown]): [string, unknown] {
    if (values.has(key)) return [key, value];
    if (perItem.has(key)) return [key, close(mapNode(value))];
    if (!perMember.has(key) || !isObject(value)) return [key, mapNode(value)];
    return [key, Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, close(mapNode(schema))]))];
  }

  function describesMembers(schema: unknown, depth = 0): boolean {
    if (depth > deepest) return false;
    const { properties, allOf, anyOf, oneOf } = followRef(contract, schema);
    const branches = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
    return properties !== undefined || branches.some((branch) => describesMembers(branch, depth + 1));
  }
}
