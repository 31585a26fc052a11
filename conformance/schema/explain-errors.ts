import type { ErrorObject } from 'ajv/dist/2020.js';
import { isObject, joinPointer, type Pointer } from '../contract/document.ts';
import type { Dialect } from './dialect.ts';

/** One keyword that a value breaks. */
export interface Violation {
  /** Place in the value, `/payload/0/type`; `''` for the whole. */
  readonly at: string;
  /** Place of the keyword in the contract. */
  readonly pointer: Pointer;
  readonly keyword: string;
  /** `must be integer`. */
  readonly says: string;
  /** The property, type or value that the keyword is about: tells two faults of one keyword apart. */
  readonly detail: string;
}

/** So many faults of one value are explained; a list of thousands says no more than its first items. */
const mostErrors = 1_000;

export type Explainer = (errors: readonly ErrorObject[], start: Pointer) => Violation[];

/**
 * Turns the judge's errors into violations of the contract. A failed `anyOf` or `oneOf` is one fault, not one for each
 * branch; but where only one branch was meant (the others want another type), its own faults say more.
 */
export function createExplainer(dialect: Dialect): Explainer {
  const parts = new WeakMap<object, ReadonlySet<unknown>>();
  const reachableFrom = (branch: unknown): ReadonlySet<unknown> => {
    if (typeof branch !== 'object' || branch === null) return new Set();
    const known = parts.get(branch) ?? reachable(branch, dialect);
    parts.set(branch, known);
    return known;
  };
  return (errors, start) => {
    let left = errors.slice(0, mostErrors).filter(({ keyword }) => keyword !== 'if');
    for (const error of left.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')) {
      if (!left.includes(error)) continue;
      const branches: unknown = error.schema;
      const below = (Array.isArray(branches) ? branches : []).map((branch) => {
        const inside = reachableFrom(branch);
        return left.filter(
          (other) =>
            other !== error &&
            other.instancePath.startsWith(error.instancePath) &&
            inside.has(other.parentSchema ?? other),
        );
      });
      const meant = below.filter(
        (faults) => faults.length > 0 && !faults.some((fault) => isOtherKind(fault, error.instancePath)),
      );
      const kept = meant.length === 1 ? meant[0] : undefined;
      const dropped = new Set([...below.flat(), ...(kept === undefined ? [] : [error])]);
      left = left.filter((other) => !dropped.has(other) || kept?.includes(other));
    }
    return left.map((error) => ({
      at: error.instancePath,
      pointer: joinPointer((error.parentSchema && dialect.pointerOf(error.parentSchema)) ?? start, error.keyword),
      keyword: error.keyword,
      says: describe(error),
      detail: detailOf(error),
    }));
  };
}

function isOtherKind({ keyword, instancePath }: ErrorObject, at: string): boolean {
  return keyword === 'const' || (instancePath === at && (keyword === 'type' || keyword === 'enum'));
}

function reachable(schema: object, dialect: Dialect): Set<unknown> {
  const seen = new Set<unknown>([schema]);
  for (const part of seen) {
    if (typeof part !== 'object' || part === null) continue;
    if (isObject(part) && typeof part.$ref === 'string') seen.add(dialect.resolve(part.$ref)?.schema);
    for (const value of Object.values(part)) if (typeof value === 'object') seen.add(value);
  }
  return seen;
}

function detailOf({ params }: ErrorObject): string {
  const { missingProperty, additionalProperty, unevaluatedProperty, propertyName } = params;
  return String(missingProperty ?? additionalProperty ?? unevaluatedProperty ?? propertyName ?? '');
}

function describe(error: ErrorObject): string {
  const allowed: unknown =
    error.params.allowedValues ?? (error.keyword === 'const' ? [error.params.allowedValue] : undefined);
  const values = Array.isArray(allowed)
    ? `: ${allowed
        .slice(0, 8)
        .map((value) => JSON.stringify(value))
        .join(', ')}`
    : '';
  const name = ['additionalProperties', 'unevaluatedProperties'].includes(error.keyword) ? `: ${detailOf(error)}` : '';
  return `${error.message ?? error.keyword}${values}${name}`;
}
