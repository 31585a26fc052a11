import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import type { ErrorObject } from 'ajv/dist/2020.js';

/**
 * Finds, among the errors of an `anyOf` or `oneOf`, the one to tell about: that of the form the value was meant to
 * have. A member with a fixed value (`grant_type`) tells which that is; else the form that got past its type, and
 * deepest, does.
 *
 * @param whole the error of the `anyOf` or `oneOf` itself
 * @returns one error; for a fixed value or list that fits no form, one with the values of all forms
 */
export function pickBranch(errors: readonly ErrorObject[], whole: ErrorObject): ErrorObject | undefined {
  const branches = errors.filter((error) => error !== whole && error.instancePath.startsWith(whole.instancePath));
  const isHere = (error: ErrorObject): boolean => error.instancePath === whole.instancePath;
  const typed = branches.filter((error) => error.keyword !== 'type' || !isHere(error));
  const [first] = branches;
  if (typed.length === 0)
    return first && { ...first, schema: [...new Set(branches.map(({ schema }) => String(schema)))] };

  const meant = typed.filter((error) => fixedValueFault(error, whole) === undefined);
  if (meant.length > 0)
    return meant.toSorted((a, b) => b.instancePath.length - a.instancePath.length || weigh(a) - weigh(b))[0];
  const faults = typed.map((error) => fixedValueFault(error, whole)).filter((fault) => fault !== undefined);
  const [fault] = faults;
  return fault && { ...fault, schema: [...new Set(faults.flatMap(({ schema }) => schema as unknown).map(String))] };
}

/**
 * The error of a fixed value behind an error, where there is one: itself, or that of a member which a validator did
 * not come to, since it looks for missing members first.
 */
function fixedValueFault(error: ErrorObject, whole: ErrorObject): ErrorObject | undefined {
  if (error.keyword === 'enum' || error.keyword === 'const') return error;
  if (error.instancePath !== whole.instancePath || !isObject(error.data)) return undefined;
  const properties = isObject(error.parentSchema) ? error.parentSchema.properties : undefined;
  for (const [name, parentSchema] of Object.entries(isObject(properties) ? properties : {})) {
    const schema = isObject(parentSchema) ? fixedValues(parentSchema) : [];
    if (schema.length === 0 || !Object.hasOwn(error.data, name) || schema.includes(error.data[name])) continue;
    const instancePath = `${whole.instancePath}/${name}`;
    return { ...error, keyword: 'enum', instancePath, schema, parentSchema: {}, data: error.data[name], params: {} };
  }
  return undefined;
}

function fixedValues(property: JsonObject): readonly unknown[] {
  if ('const' in property) return [property.const];
  return Array.isArray(property.enum) ? property.enum : [];
}

/** A form that knows all members was meant rather than one that does not. */
function weigh({ keyword }: ErrorObject): number {
  return keyword === 'additionalProperties' || keyword === 'unevaluatedProperties' ? 1 : 0;
}
