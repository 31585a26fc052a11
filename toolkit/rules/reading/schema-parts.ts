import { isObject } from '@lockstep/json/json-pointer';
import { dereference, type Resolve } from './dereference.ts';

/** One of the schemas that together describe a value, and the document its `$ref`s are read from. */
export interface SchemaPart {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly from: string | undefined;
}

/** Keywords whose schemas judge the same value, not a part of it (JSON Schema 2020-12, 10.2). */
export const inPlaceKeywords = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'not'] as const;

/** The schema and all that `$ref` and the in-place keywords join to it, each once; recursive schemas end. */
export function* schemaParts(
  schema: unknown,
  resolve: Resolve,
  from?: string,
  seen: Set<unknown> = new Set(),
): Generator<SchemaPart> {
  const { value, from: source } = dereference(schema, resolve, from);
  if (!isObject(value) || seen.has(value)) return;
  seen.add(value);
  yield { schema: value, from: source };
  for (const part of inPlaceSchemas(value)) yield* schemaParts(part, resolve, source, seen);
}

/** The schemas under the in-place keywords of this one, not followed further. */
export function inPlaceSchemas(schema: Readonly<Record<string, unknown>>): readonly unknown[] {
  return inPlaceKeywords.flatMap((keyword) => schema[keyword] ?? []);
}
