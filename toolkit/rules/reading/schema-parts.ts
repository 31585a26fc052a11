import { isObject } from '@lockstep/json/json-pointer';
import { schemasIn } from '@lockstep/json/schema-keywords';
import { dereference, type Resolve } from './dereference.ts';

/** One of the schemas that together describe a value, and the document to which its `$ref`s are resolved. */
export interface SchemaPart {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly from: string | undefined;
}

/** The schema and all schemas that `$ref` and keywords for the same value (JSON Schema 2020-12, 10.2) add to it, each once. */
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
  for (const part of schemasIn(value, 'value')) yield* schemaParts(part, resolve, source, seen);
}
