import { isObject } from '@lockstep/json/json-pointer';
import type { UserContext } from 'redocly-core';

/** Follows `$ref`s as Redocly resolved them; part of the context of every visitor. */
export type Resolve = UserContext['resolve'];

/** A value, and the document to which its relative `$ref`s are resolved. */
export interface Dereferenced {
  readonly value: unknown;
  readonly from: string | undefined;
}

/**
 * Follows a `$ref`, if `value` is one.
 *
 * @param from absolute path of the document that contains `value`; undefined for the one being visited
 * @returns `value: undefined` for an unresolved reference, which `no-unresolved-refs` reports
 */
export function dereference(value: unknown, resolve: Resolve, from?: string): Dereferenced {
  if (!isObject(value) || typeof value.$ref !== 'string') return { value, from };
  const { node, location } = resolve<object>({ $ref: value.$ref }, from);
  return { value: node, from: location?.source.absoluteRef ?? from };
}

/** The members of an object; empty for any other value. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}
