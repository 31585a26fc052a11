import { type ContractDocument, isObject } from '@lockstep/json/json-pointer';
import { keywordOf, listParts, type Reading, readingOf } from '@lockstep/json/schema-keywords';
import { oncePerDocument } from '../once-per-document.ts';

interface ClosedContract {
  /** The contract with every schema of a member or an item closed, for a compiler. */
  readonly document: ContractDocument;
  /** Closes a schema of the document for a whole value. */
  readonly close: (schema: unknown) => unknown;
}

/**
 * Copies a contract so that no object, at any depth, may have a member that its schema doesn't describe.
 *
 * `additionalProperties: false` would forbid members that an adjacent schema (`allOf`) describes. `unevaluatedProperties` sees all
 * of them, but only from outside. So each schema of a member or an item is wrapped, and its parts are left as they are. A schema
 * without members stays open.
 */
export const closeSchemas = oncePerDocument((contract): ClosedContract => {
  const document = mapNode(contract, 'keywords');
  return { document: isObject(document) ? document : {}, close };

  function close(schema: unknown): unknown {
    const describesMembers = listParts(contract, schema).some(({ properties }) => properties !== undefined);
    return describesMembers ? { allOf: [schema], unevaluatedProperties: false } : schema;
  }

  function mapNode(node: unknown, reading: Reading): unknown {
    if (Array.isArray(node)) return node.map((item) => mapNode(item, 'keywords'));
    if (!isObject(node)) return node;
    const members = Object.entries(node).flatMap(([name, value]) => {
      const within = readingOf(reading, name);
      // `true` is the default, but would count as a description of every member.
      if (reading === 'keywords' && name === 'additionalProperties' && value === true) return [];
      if (within === 'data') return [[name, value] as const];
      const mapped = mapNode(value, within);
      const isPart = reading === 'keywords' && keywordOf(name)?.judges === 'part';
      return [[name, isPart ? closeEach(within, mapped) : mapped] as const];
    });
    return Object.fromEntries(members);
  }

  /** @param held one schema, a list of them, or by names */
  function closeEach(reading: Reading, held: unknown): unknown {
    if (Array.isArray(held)) return held.map(close);
    if (reading !== 'names' || !isObject(held)) return close(held);
    return Object.fromEntries(Object.entries(held).map(([name, schema]) => [name, close(schema)]));
  }
});
