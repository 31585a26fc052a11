import type { ErrorObject } from 'ajv/dist/2020.js';
import { joinPointer, type Pointer } from '../contract/document.ts';
import { isObject } from '../contract/json.ts';
import type { AdaptedSchema } from './adapt-schema.ts';
import type { Violation } from './violation.ts';

/**
 * Turns the judge's errors into violations of the contract. A failed `anyOf` or `oneOf` is one fault, not one for each
 * branch; but where only one branch was meant (the others want another type), its own faults say more.
 */
export function explainErrors(errors: readonly ErrorObject[], adapted: AdaptedSchema, start: Pointer): Violation[] {
  let left = errors.filter(({ keyword }) => keyword !== 'if');
  for (const error of errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')) {
    if (!left.includes(error)) continue;
    const branches: unknown = error.schema;
    const below = (Array.isArray(branches) ? branches : []).map((branch) => {
      const parts = reachable(branch, adapted);
      return left.filter(
        (other) =>
          other !== error &&
          other.instancePath.startsWith(error.instancePath) &&
          parts.has(other.parentSchema ?? other),
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
    pointer: joinPointer((error.parentSchema && adapted.pointerOf.get(error.parentSchema)) ?? start, error.keyword),
    keyword: error.keyword,
    says: describe(error),
    detail: detailOf(error),
  }));
}

function isOtherKind({ keyword, instancePath }: ErrorObject, at: string): boolean {
  return keyword === 'const' || (instancePath === at && (keyword === 'type' || keyword === 'enum'));
}

function reachable(schema: unknown, { definitions }: AdaptedSchema): Set<unknown> {
  const seen = new Set<unknown>();
  const walk = (part: unknown): void => {
    if (typeof part !== 'object' || part === null || seen.has(part)) return;
    seen.add(part);
    if (isObject(part) && typeof part.$ref === 'string') walk(definitions[part.$ref.slice('#/$defs/'.length)]);
    for (const value of Object.values(part)) walk(value);
  };
  walk(schema);
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
