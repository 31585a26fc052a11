import { extendPointer } from '@lockstep/json/json-pointer';
import type { OpenApiDocument, Ref, SchemaObject } from './openapi-document.ts';
import { type Resolved, resolveRef } from './resolve-ref.ts';

/** One property that every value of a schema may have: as it is written, and behind its `$ref`. */
export interface Member {
  readonly name: string;
  readonly written: Readonly<Record<string, unknown>>;
  readonly schema: SchemaObject;
}

/** The properties that stand in the schema itself and in its `allOf`, at any depth. Those of one branch of a choice are not among them. */
export function listMembers(document: OpenApiDocument, schema: Resolved<SchemaObject>): readonly Member[] {
  return addMembers(document, schema, new Set());
}

/** @param seen schemas that were listed. Without it an `allOf` of twice the same, nested, doubles the work with every level */
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
