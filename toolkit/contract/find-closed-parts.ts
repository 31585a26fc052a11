import { isObject, parseReference, valueAt } from '@lockstep/json/json-pointer';
import type { LimitFinding } from './limits.ts';
import type { Visited } from './walk-document.ts';

export interface ClosedPart extends LimitFinding {
  /** Whether `unevaluatedProperties: false` at the same place states what the author means. */
  readonly isWhole: boolean;
}

type Part = Pick<Visited, 'at' | 'node'>;

/**
 * Finds parts of an `allOf` that reject what another part requires, by `additionalProperties: false`: no value is valid. A schema around an
 * `allOf` without members of its own rejects every member. Authors mean the whole to be closed, which 3.1 writes as
 * `unevaluatedProperties: false`.
 *
 * @param document bundled
 * @param objects of the document, by `walkDocument`
 */
export function findClosedParts(document: unknown, objects: readonly Visited[]): readonly ClosedPart[] {
  const found = new Map<unknown, ClosedPart>();
  for (const schema of objects) {
    if (!schema.isSchema || !Array.isArray(schema.node.allOf)) continue;
    const parts = partsOf(document, schema, new Set());
    const required = new Set(parts.flatMap((part) => (Array.isArray(part.node.required) ? part.node.required : [])));
    const declared = namesIn(parts);
    for (const part of parts) {
      const { additionalProperties, properties, patternProperties, allOf } = part.node;
      if (additionalProperties !== false || isObject(patternProperties)) continue;
      const known = isObject(properties) ? properties : {};
      const missing = [...required].find((name) => !Object.hasOwn(known, String(name)));
      const isBare = Array.isArray(allOf) && Object.keys(known).length === 0 && declared.size > 0;
      if ((missing === undefined && !isBare) || found.get(part.node)?.isWhole === false) continue;
      const isWhole = isBare && declared.isSubsetOf(namesIn(partsOf(document, part, new Set())));
      const why =
        isWhole || missing === undefined
          ? 'and the properties are in the parts of allOf, so that none is valid'
          : `but an allOf with this schema requires ${String(missing)}, so that no value is valid`;
      const message = `additionalProperties is false, ${why}`;
      found.set(part.node, { at: [...part.at, 'additionalProperties'], message, isWhole });
    }
  }
  return [...found.values()];
}

/** The names that the parts declare. */
function namesIn(parts: readonly Part[]): ReadonlySet<string> {
  return new Set(parts.flatMap(({ node: { properties } }) => (isObject(properties) ? Object.keys(properties) : [])));
}

/** A schema and the parts of its `allOf`, at any depth, each once. */
function partsOf(document: unknown, part: Part, seen: Set<unknown>): readonly Part[] {
  const { node } = part;
  if (seen.has(node)) return [];
  seen.add(node);
  const { $ref, allOf } = node;
  const target = typeof $ref === 'string' ? parseReference($ref) : undefined;
  const referred = target && valueAt(document, target);
  return [
    part,
    ...(target !== undefined && isObject(referred) ? partsOf(document, { at: target, node: referred }, seen) : []),
    ...(Array.isArray(allOf) ? allOf : []).flatMap((inner: unknown, index) =>
      isObject(inner) ? partsOf(document, { at: [...part.at, 'allOf', index], node: inner }, seen) : [],
    ),
  ];
}
