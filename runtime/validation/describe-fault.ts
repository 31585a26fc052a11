import { escapeSegment, isObject, type JsonObject } from '@lockstep/json/json-pointer';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { sayings } from './say-keyword.ts';
import { cut } from './sentence.ts';

/** What a validator found, in words. */
export interface Description {
  /** JSON pointer below the validated value; empty for the value itself. */
  readonly at: string;
  readonly says: string;
  /** Values or names that would do; may be empty. */
  readonly nearest: readonly string[];
}

/**
 * Puts a validator's errors into one sentence that names the place, what was sent and what would do.
 *
 * @param root what to call the validated value itself: a parameter's name, or `body`
 */
export function describeFault(errors: readonly ErrorObject[], root: string): Description {
  // The last error is the one that decided, but for `if`, which only repeats that its branch failed.
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
 * Finds, among the errors of an `anyOf` or `oneOf`, the one to tell about: that of the form the value was meant to
 * have. A member with a fixed value (`grant_type`) tells which that is; else the form that got past its type, and
 * deepest, does.
 *
 * @param whole the error of the `anyOf` or `oneOf` itself
 * @returns one error; for a fixed value or list that fits no form, one with the values of all forms
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

/** A value that the contract's `discriminator` maps to no form (OpenAPI 3.1, 4.8.25), whatever else those forms lack. */
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

/** A form that knows all members was meant rather than one that does not. */
function weigh({ keyword }: ErrorObject): number {
  return keyword === 'additionalProperties' || keyword === 'unevaluatedProperties' ? 1 : 0;
}
