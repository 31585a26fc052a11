import { extendPointer } from '@lockstep/json/json-pointer';
import type { OpenApiDocument, Ref, SchemaObject } from './openapi-document.ts';
import { type Resolved, resolveRef } from './resolve-ref.ts';

/** A property of a schema: as it is written, and with its `$ref` resolved. */
export interface Member {
  readonly name: string;
  readonly written: Readonly<Record<string, unknown>>;
  readonly schema: SchemaObject;
}

/** The properties of a schema and of its `allOf`, at any depth. Properties of a branch of `oneOf` or `anyOf` are not included. */
export function listMembers(document: OpenApiDocument, schema: Resolved<SchemaObject>): readonly Member[] {
  return addMembers(document, schema, new Set());
}

/** @param seen schemas that are listed already. Otherwise nested `allOf`s that list a schema twice would double the work with each level */
function addMembers(
  document: OpenApiDocument,
  { value, pointer }: Resolved<SchemaObject>,
  seen: Set<SchemaObject>,
): readonly Member[] {
  if (seen.has(value)) return [];
  seen.add(value);
  const own = Object.entries(value.properties ?? {}).flatMap(([name, property]): Member[] => {
    if (typeof property === 'boolean') return [];
    const { value: schema } = resolveRef(document, property, extendPointer(pointer, 'properties', name));
    return [{ name, written: { ...property }, schema }];
  });
  const inherited = (value.allOf ?? []).flatMap((part, index): readonly Member[] =>
    typeof part === 'boolean'
      ? []
      : addMembers(
          document,
          resolveRef<SchemaObject>(document, part as Ref<SchemaObject>, extendPointer(pointer, 'allOf', index)),
          seen,
        ),
  );
  return [...own, ...inherited];
}
