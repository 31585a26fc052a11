import { isObject } from '@lockstep/json/json-pointer';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { pickBranch } from './pick-branch.ts';
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
    at: member === undefined ? instancePath : `${instancePath}/${escapeStep(cut(String(member)))}`,
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

function escapeStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
