import { isObject, readPointer } from '@lockstep/json/json-pointer';
import { findCases, type ValueRule } from './by-value.ts';
import { checkJsonTree } from './check-json-tree.ts';
import type { Validate } from './compile-schema.ts';
import { type Description, describeFault } from './describe-fault.ts';

/**
 * Validates members of a body whose schema depends on the value of another member. Text is parsed as JSON first; a
 * missing or empty member counts as `{}`.
 */
export function checkByValue(
  compile: (schema: unknown) => Validate,
  rules: readonly ValueRule[],
  body: unknown,
): Description | undefined {
  if (!isObject(body)) return undefined;
  const schemas = findCases(rules, { body }).flatMap((found) => Object.entries(found.schemas));
  for (const [place, schema] of schemas) {
    const found = checkMember(compile({ $ref: schema }), place, readPointer(body, `#${place}`));
    if (found !== undefined) return found;
  }
  return undefined;
}

function checkMember(validate: Validate, place: string, member: unknown): Description | undefined {
  const name = place.slice(1);
  const value =
    typeof member === 'string' && member !== ''
      ? parseText(member)
      : { json: member === undefined || member === '' ? {} : member };
  if (value === undefined) return { at: place, says: `${name} does not hold valid JSON`, nearest: [] };
  const broken = checkJsonTree(value.json);
  if (broken !== undefined) return { at: place, says: `${name}: ${broken.says}`, nearest: [] };
  const errors = validate(value.json);
  if (errors === undefined) return undefined;
  const described = describeFault(errors, name);
  return { ...described, at: `${place}${described.at}` };
}

function parseText(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
