import { escapeSegment, isObject, type JsonObject } from '@lockstep/json/json-pointer';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { sayings } from './say-keyword.ts';
import { cut } from './sentence.ts';

/** A fault that a validator found, as text. */
export interface Description {
  /** JSON pointer below the validated value; empty for the value itself. */
  readonly at: string;
  readonly says: string;
  /** Accepted values or names; may be empty. */
  readonly nearest: readonly string[];
}

/**
 * Writes one sentence from a validator's errors. It names the location, the value that was sent, and accepted values.
 *
 * @param root name of the validated value itself: a parameter, or `body`
 */
export function describeFault(errors: readonly ErrorObject[], root: string): Description {
  // The last error is decisive, except `if`, which only repeats that its branch failed.
  const error = errors.findLast(({ keyword }) => keyword !== 'if');
  if (error === undefined) return { at: '', says: `${root} is not valid`, nearest: [] };
  const isChoice = error.keyword === 'anyOf' || error.keyword === 'oneOf';
  return describeError((isChoice ? pickBranch(errors, error) : undefined) ?? error, root);
}

function describeError(error: ErrorObject, root: string): Description {
  const { instancePath, keyword, params } = error;
  const name = instancePath === '' ? root : namePlace(instancePath, root);
  const schema = isObject(error.parentSchema) ? error.parentSchema : {};
  const saying = sayings[keyword]?.({ name, value: error.data, schema, limit: error.schema, params });
  const member = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  return {
    at: member === undefined ? instancePath : `${instancePath}/${escapeSegment(cut(String(member)))}`,
    says: saying?.says ?? `${name} ${error.message ?? 'is not valid'}`,
    nearest: saying?.nearest ?? [],
  };
}

function namePlace(instancePath: string, root: string): string {
  const steps = instancePath.slice(1).split('/').map(readStep);
  return cut((root === 'body' ? steps : [root, ...steps]).join('/'));
}

function readStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

/**
 * Finds the error to report for an `anyOf` or `oneOf`: that of the schema that the client probably meant. A member
 * with a fixed value (`grant_type`) selects it; else the schema that matched the type, and matched deepest.
 *
 * @param whole the error of the `anyOf` or `oneOf` itself
 * @returns one error; if a fixed value or list matches no schema, one with the values of all
 */
function pickBranch(errors: readonly ErrorObject[], whole: ErrorObject): ErrorObject | undefined {
  const branches = errors.filter((error) => error !== whole && error.instancePath.startsWith(whole.instancePath));
  const isHere = (error: ErrorObject): boolean => error.instancePath === whole.instancePath;
  const typed = branches.filter((error) => error.keyword !== 'type' || !isHere(error));
  const [first] = branches;
  if (typed.length === 0)
    return first && { ...first, schema: [...new Set(branches.map(({ schema }) => String(schema)))] };

  const meant = typed.filter((error) => fixedValueFault(error, whole) === undefined);
  if (meant.length > 0)
    return (
      unmappedTagFault(whole) ??
      meant.toSorted((a, b) => b.instancePath.length - a.instancePath.length || weigh(a) - weigh(b))[0]
    );
  const faults = typed.map((error) => fixedValueFault(error, whole)).filter((fault) => fault !== undefined);
  const [fault] = faults;
  return fault && { ...fault, schema: [...new Set(faults.flatMap(({ schema }) => schema as unknown).map(String))] };
}

/**
 * The error of a fixed value: the given one, or that of a member that the validator did not reach, since it checks
 * missing members first.
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

/** A value that the contract's `discriminator` maps to no schema (OpenAPI 3.1, 4.8.25), whatever other faults there are. */
function unmappedTagFault(whole: ErrorObject): ErrorObject | undefined {
  const { discriminator } = isObject(whole.parentSchema) ? whole.parentSchema : {};
  const { propertyName, mapping } = isObject(discriminator) ? discriminator : {};
  if (typeof propertyName !== 'string' || !isObject(mapping) || !isObject(whole.data)) return undefined;
  const tag = whole.data[propertyName];
  if (typeof tag !== 'string' || Object.hasOwn(mapping, tag)) return undefined;
  const instancePath = `${whole.instancePath}/${propertyName}`;
  const schema = Object.keys(mapping);
  return { ...whole, keyword: 'enum', instancePath, schema, parentSchema: {}, data: tag, params: {} };
}

function fixedValues(property: JsonObject): readonly unknown[] {
  if ('const' in property) return [property.const];
  return Array.isArray(property.enum) ? property.enum : [];
}

/** A schema that knows all members is more likely meant than one that does not. */
function weigh({ keyword }: ErrorObject): number {
  return keyword === 'additionalProperties' || keyword === 'unevaluatedProperties' ? 1 : 0;
}
