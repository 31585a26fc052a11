import { formatPointer, isObject } from '@lockstep/json/json-pointer';
import type { Problem } from '../problem.ts';
import { findOldKeywords } from './find-old-keywords.ts';
import { listSchemas, type Visited } from './walk-document.ts';

type Schema = Record<string, unknown>;

/** A keyword of another version of OpenAPI whose meaning is clear. */
export type Respelt = Pick<Problem, 'pointer' | 'rule' | 'message' | 'fix'>;

/**
 * Rewrites keywords of another version that the linter rejects, in terms of the document's own version: they cost nothing.
 *
 * - in 3.0, `type: 'null'` and a list of types;
 * - in 3.1, a boolean `exclusiveMinimum` or `exclusiveMaximum`.
 *
 * @param root parsed, without cycles; it is changed
 * @param objects of the root
 * @returns what was rewritten
 */
export function respellVersion(root: unknown, objects: () => readonly Visited[]): readonly Respelt[] {
  const version = String((root as { readonly openapi?: unknown } | null)?.openapi);
  if (version.startsWith('3.1.')) return respellBounds(root);
  return version.startsWith('3.0.') ? respellTypes(objects()) : [];
}

/** Completes a version without its third part, or as a number: YAML reads `openapi: 3.1` so. */
export function completeVersion(root: unknown): readonly (Respelt & Pick<Problem, 'severity'>)[] {
  if (!isObject(root) || !/^3(\.[01])?$/.test(String(root.openapi))) return [];
  const version = String(root.openapi) === '3.1' ? '3.1.1' : '3.0.4';
  const message = `openapi is ${JSON.stringify(root.openapi)}; it is read as ${version}`;
  (root as Schema).openapi = version;
  const fix = `Write the version as text, openapi: ${version}.`;
  return [{ pointer: '#/openapi', rule: 'struct', severity: 'warning', message, fix }];
}

function respellBounds(root: unknown): readonly Respelt[] {
  const found = findOldKeywords(root).filter(({ pointer }) => /\/exclusiveM(in|ax)imum$/.test(pointer));
  if (found.length === 0) return [];
  for (const { node } of listSchemas(root)) {
    const schema = node as Schema;
    for (const [bound, exclusive] of [
      ['minimum', 'exclusiveMinimum'],
      ['maximum', 'exclusiveMaximum'],
    ] as const) {
      const isExclusive = schema[exclusive];
      if (typeof isExclusive !== 'boolean') continue;
      delete schema[exclusive];
      if (!isExclusive || typeof schema[bound] !== 'number') continue;
      schema[exclusive] = schema[bound];
      delete schema[bound];
    }
  }
  return found.map((one) => ({ ...one, rule: 'struct', message: `${one.message}; it is read as in 3.0` }));
}

const jsonTypes: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

function respellTypes(objects: readonly Visited[]): readonly Respelt[] {
  return objects.flatMap((place): Respelt[] => {
    if (!place.isSchema) return [];
    const schema = place.node as Schema;
    const { type } = schema;
    if (type !== 'null' && !(Array.isArray(type) && type.length > 0 && type.every((one) => jsonTypes.has(one))))
      return [];
    const types = [...new Set([type].flat())].filter((one) => one !== 'null');
    delete schema.type;
    if ([type].flat().includes('null')) schema.nullable = true;
    const [first] = types;
    if (first === undefined) schema.enum = [null];
    else if (types.length === 1) schema.type = first;
    else {
      const either = {
        anyOf: types.map((one) => ({ type: one, ...(schema.nullable === true && { nullable: true }) })),
      };
      delete schema.nullable;
      schema.allOf = [...(Array.isArray(schema.allOf) ? schema.allOf : []), either];
    }
    const message = `type is ${JSON.stringify(type)}, as in OpenAPI 3.1; it is read so`;
    const fix = "Write nullable: true for 'null', anyOf for several types, or openapi: 3.1.1.";
    return [{ pointer: formatPointer([...place.at, 'type']), rule: 'struct', message, fix }];
  });
}
