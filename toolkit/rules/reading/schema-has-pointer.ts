import { formatPointer, isObject, parsePointer } from '@lockstep/json/json-pointer';
import type { Resolve } from './dereference.ts';
import { schemaParts } from './schema-parts.ts';

/**
 * Whether the schema describes a value at this JSON pointer (RFC 6901, `''` for the whole value).
 * Members that are merely not forbidden don't count: a link to one is a misspelling.
 */
export function schemaHasPointer(schema: unknown, pointer: string, resolve: Resolve, from?: string): boolean {
  const [name, ...rest] = parsePointer(pointer);
  if (name === undefined) return schema !== undefined;
  const remaining = formatPointer(rest);
  for (const part of schemaParts(schema, resolve, from)) {
    const child = childSchema(part.schema, name);
    if (child !== undefined && schemaHasPointer(child, remaining, resolve, part.from)) return true;
  }
  return false;
}

function childSchema(schema: Readonly<Record<string, unknown>>, name: string): unknown {
  const { properties, items, prefixItems, additionalProperties } = schema;
  if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name];
  if (/^(0|[1-9]\d*)$/.test(name)) {
    if (Array.isArray(prefixItems) && Number(name) < prefixItems.length) return prefixItems[Number(name)];
    if (items !== undefined) return items;
  }
  return isObject(additionalProperties) ? additionalProperties : undefined;
}
