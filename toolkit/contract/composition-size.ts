import { type ContractDocument, isObject, type JsonObject, readPointer } from '@lockstep/json/json-pointer';
import { schemasIn } from '@lockstep/json/schema-keywords';
import type { Visited } from './walk-document.ts';

/** A hundred times as many schemas as in any known contract. Validating one value against all of them takes about 10 ms. */
const mostSchemas = 100_000;

/** Deeper schemas overflow the stack of a recursive walk. */
const deepest = 1000;

/**
 * Finds schemas by which a validator would check one value against too many schemas. If an `allOf` lists a schema twice, and the listed schema
 * does the same, each level doubles the number. Only the innermost schema is reported. A cycle counts once.
 */
export function* findLargeCompositions(
  document: unknown,
  schemas: readonly Visited[],
): Generator<Pick<Visited, 'at'> & { readonly message: string }> {
  const sizes = new Map<JsonObject, number>();
  const large = new Set<JsonObject>();
  for (const place of schemas) {
    measure(place.node, 0);
    if (!large.has(place.node)) continue;
    const message = `one value is checked against more than ${mostSchemas.toLocaleString('en')} schemas`;
    yield { at: place.at, message };
  }

  /** @returns the number of schemas that one value is checked against; 0 for a schema that is reported itself */
  function measure(schema: JsonObject, depth: number): number {
    const known = sizes.get(schema);
    if (known !== undefined) return known;
    // Stops a cycle here.
    sizes.set(schema, 1);
    const { $ref } = schema;
    const target = typeof $ref === 'string' ? [readPointer(document as ContractDocument, $ref)] : [];
    const parts = depth < deepest ? [...target, ...schemasIn(schema, 'value')].filter(isObject) : [];
    const size = parts.reduce((sum, part) => sum + measure(part, depth + 1), 1);
    if (size > mostSchemas || depth === deepest) large.add(schema);
    const counted = large.has(schema) ? 0 : size;
    sizes.set(schema, counted);
    return counted;
  }
}
