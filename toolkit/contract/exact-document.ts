import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { mapSchemas } from '@lockstep/json/map-schemas';
import type { OpenApiDocument } from './openapi-document.ts';

/** Keywords that judge nothing (JSON Schema 2020-12, Validation, 9): `x-exact` leaves them in place. */
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
 * Returns the contract with each schema in the form that holds on the wire: the schema under `x-exact` replaces the plainer keywords beside it,
 * which are there for generators of clients.
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
