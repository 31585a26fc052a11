import type { Validate } from '../contract/compile-schema.ts';
import type { Operation } from '../contract/operation.ts';
import { isObject, type JsonObject, readPointer } from '../contract/read-pointer.ts';
import { type Description, describeFault } from '../fault/describe-fault.ts';
import { checkJsonTree } from './check-json-tree.ts';

const bodyPrefix = '$request.body#';

/**
 * Judges the members of a body whose schema depends on the value of another (`x-by-value`). Values are compared as
 * text: `2` is `'2'`. A member that is text is read as JSON first; one that is left out or empty counts as `{}`.
 */
export function checkByValue(
  compile: (schema: unknown) => Validate,
  operation: Operation,
  body: unknown,
): Description | undefined {
  if (!isObject(body)) return undefined;
  for (const [place, schema] of dependentSchemas(operation, body)) {
    const found = checkMember(compile({ $ref: schema }), place, readPointer(body, `#${place}`));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Every schema that any value of an operation may ask for. */
export function listDependentSchemas(operation: Operation): string[] {
  return readRules(operation).flatMap(({ cases }) => cases.flatMap(({ schemas }) => Object.values(schemas)));
}

function dependentSchemas(operation: Operation, body: JsonObject): [place: string, schema: string][] {
  return readRules(operation).flatMap(({ at, cases }) => {
    const value = at.startsWith(bodyPrefix) ? readPointer(body, `#${at.slice(bodyPrefix.length)}`) : undefined;
    return Object.entries(cases.find(({ values }) => values.includes(String(value)))?.schemas ?? {});
  });
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

interface Rule {
  readonly at: string;
  readonly cases: readonly { readonly values: readonly string[]; readonly schemas: Readonly<Record<string, string>> }[];
}

function readRules({ extensions }: Operation): Rule[] {
  return asObjects(extensions['x-by-value']).map(({ at, cases }) => ({
    at: String(at),
    cases: asObjects(cases).map(({ values, schemas }) => ({
      values: Array.isArray(values) ? values.map(String) : [],
      schemas: Object.fromEntries(
        Object.entries(isObject(schemas) ? schemas : {}).map(([place, schema]) => [place, String(schema)]),
      ),
    })),
  }));
}

function asObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
