import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { mapSchemas } from '@lockstep/json/map-schemas';
import type { OpenApiDocument } from './openapi-document.ts';

/** Annotations (JSON Schema 2020-12, Validation, 9), which `x-exact` leaves in place. */
const annotations = new Set([
  'title',
  'description',
  'default',
  'deprecated',
  'readOnly',
  'writeOnly',
  'example',
  'examples',
]);

/**
 * Returns the contract with the exact schemas of the wire: each `x-exact` replaces the plainer keywords next to it, which are written for client
 * generators.
 *
 * @returns a copy; parts without `x-exact` are shared with the given document
 */
export function exactDocument(document: OpenApiDocument): OpenApiDocument {
  return mapSchemas(document as unknown as JsonObject, exactSchema) as unknown as OpenApiDocument;
}

function exactSchema(schema: JsonObject): JsonObject {
  const { 'x-exact': exact, ...plain } = schema;
  if (!isObject(exact)) return schema;
  const kept = Object.entries(plain).filter(([name]) => annotations.has(name) || name.startsWith('x-'));
  return exactSchema({ ...Object.fromEntries(kept), ...exact });
}
