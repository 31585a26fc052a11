import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { mapSchemas } from '@lockstep/json/map-schemas';
import type { OpenApiDocument } from './openapi-document.ts';

/** What a schema says beside what it judges: it stays where `x-exact` takes the place of the rest (JSON Schema 2020-12, Validation, 9). */
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
 * The contract with each schema in the form that holds on the wire: what stands under `x-exact` takes the place of the plainer keywords
 * beside it, which are there for generators of clients.
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
