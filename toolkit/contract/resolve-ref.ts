import { formatPointer, parseReference, valueAt } from '@lockstep/json/json-pointer';
import type { OpenApiDocument, Ref } from './openapi-document.ts';

/** A value at the end of any chain of `$ref`, with its own pointer. */
export interface Resolved<T> {
  readonly value: T;
  readonly pointer: string;
}

/**
 * Follows local `$ref`s from a place in a bundled document.
 *
 * @throws Error if a reference is unresolved or circular: `readContract` refuses both, so it is a bug here
 */
export function resolveRef<T extends object>(document: OpenApiDocument, node: Ref<T>, pointer: string): Resolved<T> {
  const seen = new Set<string>();
  let value: Ref<T> = node;
  let place = pointer;
  while ('$ref' in value && typeof value.$ref === 'string') {
    if (seen.has(value.$ref)) throw new Error(`circular $ref at ${pointer}: ${value.$ref}`);
    seen.add(value.$ref);
    const segments = parseReference(value.$ref);
    const target = valueAt(document, segments);
    if (typeof target !== 'object' || target === null) throw new Error(`unresolved $ref at ${pointer}: ${value.$ref}`);
    place = formatPointer(segments);
    value = target as Ref<T>;
  }
  return { value: value as T, pointer: place };
}
