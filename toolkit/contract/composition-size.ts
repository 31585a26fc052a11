import { isObject, type JsonObject, parseReference, valueAt } from '@lockstep/json/json-pointer';
import { schemasIn } from '@lockstep/json/schema-keywords';
import { listSchemas, type Visited } from './walk-document.ts';

/** A hundred times as many as in any contract that was met. A check goes through each of them for one value, in some 10 ms. */
const mostSchemas = 100_000;

/** Deeper ones overflow the stack of a walk that calls itself for each level. */
const deepest = 1000;

/**
 * Finds the schemas that hold one value against more schemas than can be gone through. An `allOf` of twice the same schema, which is itself an
 * `allOf` of twice the same, doubles the number with each line. Only the innermost is reported. A circle counts once.
 */
export function* findLargeCompositions(
  document: unknown,
): Generator<Pick<Visited, 'at'> & { readonly message: string }> {
  const sizes = new Map<JsonObject, number>();
  const large = new Set<JsonObject>();
  for (const { at, node } of listSchemas(document)) {
    measure(node, 0);
    if (large.has(node))
      yield { at, message: `a value of it is held against more than ${mostSchemas.toLocaleString('en')} schemas` };
  }

  /** @returns how many schemas a value is held against; 0 for a schema that is reported itself */
  function measure(schema: JsonObject, depth: number): number {
    const known = sizes.get(schema);
    if (known !== undefined) return known;
    // So that a circle ends here.
    sizes.set(schema, 1);
    const { $ref } = schema;
    const target = typeof $ref === 'string' ? [valueAt(document, parseReference($ref))] : [];
    const parts = depth < deepest ? [...target, ...schemasIn(schema, 'value')].filter(isObject) : [];
    const size = parts.reduce((sum, part) => sum + measure(part, depth + 1), 1);
    if (size > mostSchemas || depth === deepest) large.add(schema);
    const told = large.has(schema) ? 0 : size;
    sizes.set(schema, told);
    return told;
  }
}
