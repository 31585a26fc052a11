import { isObject, parseReference, valueAt } from '@lockstep/json/json-pointer';
import type { LimitFinding } from './limits.ts';
import { listSchemas } from './walk-document.ts';

interface Part {
  readonly at: readonly (string | number)[];
  readonly node: Readonly<Record<string, unknown>>;
}

/**
 * Finds parts of an `allOf` that reject what another part requires, by `additionalProperties: false`: no value is valid. Authors mean the
 * whole to be closed, which 3.1 writes as `unevaluatedProperties: false`.
 *
 * @param document bundled
 */
export function findClosedParts(document: unknown): readonly LimitFinding[] {
  const found = new Map<unknown, LimitFinding>();
  for (const { at, node } of listSchemas(document)) {
    if (!Array.isArray(node.allOf)) continue;
    const parts = partsOf(document, { at, node }, new Set());
    const required = new Set(parts.flatMap((part) => (Array.isArray(part.node.required) ? part.node.required : [])));
    for (const part of parts) {
      const { additionalProperties, properties, patternProperties } = part.node;
      if (additionalProperties !== false || isObject(patternProperties)) continue;
      const known = isObject(properties) ? properties : {};
      const missing = [...required].find((name) => !Object.hasOwn(known, String(name)));
      if (missing === undefined || found.has(part.node)) continue;
      const message = `additionalProperties is false, but an allOf with this schema requires ${String(missing)}, so that no value is valid`;
      found.set(part.node, { at: [...part.at, 'additionalProperties'], message });
    }
  }
  return [...found.values()];
}

/** A schema and the parts of its `allOf`, at any depth, each once. */
function partsOf(document: unknown, { at, node }: Part, seen: Set<unknown>): readonly Part[] {
  if (seen.has(node)) return [];
  seen.add(node);
  const { $ref, allOf } = node;
  const target = typeof $ref === 'string' ? parseReference($ref) : undefined;
  const referred = target && valueAt(document, target);
  return [
    { at, node },
    ...(target !== undefined && isObject(referred) ? partsOf(document, { at: target, node: referred }, seen) : []),
    ...(Array.isArray(allOf) ? allOf : []).flatMap((part: unknown, index) =>
      isObject(part) ? partsOf(document, { at: [...at, 'allOf', index], node: part }, seen) : [],
    ),
  ];
}
