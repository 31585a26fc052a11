import { formatPointer, isObject, parseReference, valueAt } from '@lockstep/json/json-pointer';
import type { OpenApiDocument } from '../contract/openapi-document.ts';
import { listSchemas, walkDocument } from '../contract/walk-document.ts';

type Node = Record<string, unknown>;

/**
 * Makes every reference name a whole component. openapi-typescript writes a deeper reference as a path through types, which breaks at each
 * composition, list, map and null. A schema that is referred to inside another becomes a component, named by its pointer. Anything else replaces
 * its reference, since only schemas can contain themselves.
 *
 * Afterwards, no reference needs the `$defs` of a schema, which openapi-typescript would type as a required member of each value.
 *
 * @param copy changed in place
 */
export function nameDeepReferences(copy: OpenApiDocument): void {
  const schemas = new Set(listSchemas(copy).map(({ node }) => node));
  const hoisted: Record<string, unknown> = {};
  for (const { node } of walkDocument(copy)) {
    if (typeof node.$ref !== 'string') continue;
    const segments = parseReference(node.$ref);
    const isWhole = segments.length === 3 && segments[0] === 'components';
    // Path items are read through.
    if (isWhole || (segments.length === 2 && segments[0] === 'paths')) {
      if (node.$ref.includes('%')) (node as Node).$ref = formatPointer(segments);
      continue;
    }
    const target = valueAt(copy, segments);
    if (schemas.has(node)) {
      const name = segments.slice(segments[1] === 'schemas' ? 2 : 0).join('/');
      hoisted[name] = target;
      (node as Node).$ref = formatPointer(['components', 'schemas', name]);
    } else if (isObject(target)) {
      delete (node as Node).$ref;
      Object.assign(node, target);
    }
  }
  for (const schema of schemas) delete (schema as Node).$defs;
  const names = Object.keys(hoisted);
  if (names.length === 0) return;
  const components = (copy.components ?? {}) as Record<string, Node>;
  components.schemas = { ...components.schemas, ...hoisted };
  Object.assign(copy, { components });
}
