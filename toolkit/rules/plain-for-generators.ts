import { isObject } from '@lockstep/json/json-pointer';
import type { Location, Oas3Rule, UserContext } from 'redocly-core';
import { dereference, entriesOf, type Resolve } from './reading/dereference.ts';

type Problem = Parameters<UserContext['report']>[0];

/** Formats that generators parse: they apply a pattern for the text to the parsed date. */
const parsed = new Set(['date', 'date-time', 'time']);

/**
 * Client generators create code that compiles and runs only from plain schemas. Seen with openapi-generator 7.17, openapi-python-client 0.29,
 * orval 8.38, oapi-codegen 2.8 and ogen 1.24:
 *
 * - schemas whose names differ only in case become one file, or one class;
 * - a `pattern` next to `format: date-time` is applied to the date (Python), so that clients reject every answer;
 * - values of one enum that differ only in case or type get one name twice;
 * - a named schema that is only a reference has no type (Java, Rust);
 * - an `allOf` of other types than objects is dropped with every part that refers to it, or has no members;
 * - for a list of types beyond one and null, oapi-codegen and ogen create nothing at all;
 * - a member that may be null is never null in an `allOf` (Python, Java, Kotlin, Go, C#), so that clients reject a correct answer.
 *
 * No generator reads `x-exact`.
 */
export const plainForGenerators: Oas3Rule = () => ({
  NamedSchemas(node, { report, location }) {
    const known = new Map<string, string>();
    for (const [name, schema] of Object.entries(node)) {
      if (isObject(schema) && typeof schema.$ref === 'string')
        report({
          message: `The schema ${name} is only a reference, and generators create no type for it.`,
          suggest: ['Refer to the other schema directly, with a description next to the $ref.'],
          location: location.child(name).key(),
        });
      const bare = name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
      const first = known.get(bare);
      known.set(bare, first ?? name);
      if (first === undefined) continue;
      report({
        message: `The schemas ${first} and ${name} get the same name in generated code.`,
        suggest: ['Rename one of them: case and punctuation do not count.'],
        location: location.child(name).key(),
      });
    }
  },
  Schema(node, { report, location, resolve }) {
    const schema: unknown = node;
    if (!isObject(schema) || /\/x-exact(\/|$)/.test(location.pointer)) return;
    if (schema.pattern !== undefined && parsed.has(String(schema.format)))
      report({
        message: `The pattern is next to format: ${schema.format}, and generators apply it to the parsed date.`,
        suggest: ['Move the pattern under x-exact, with the type and the format.'],
        location: location.child('pattern').key(),
      });
    if (Array.isArray(schema.type) && schema.type.filter((type) => type !== 'null').length > 1)
      report({
        message: 'The schema has several types, and generators for Go then refuse the whole contract.',
        suggest: ['Move the type under x-exact.'],
        location: location.child('type').key(),
      });
    for (const problem of [...twiceNamed(schema, location), ...unreadAllOf(schema, location, resolve)]) report(problem);
  },
});

/** Compares the values of the enum and of the enums of its alternatives, of which a generator makes one list. */
function* twiceNamed(schema: Readonly<Record<string, unknown>>, location: Location): Generator<Problem> {
  const { enum: own, anyOf, oneOf } = schema;
  const alternatives = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const values: unknown[] = [own, ...alternatives.map((one) => isObject(one) && one.enum)].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  const known = new Map<string, unknown>();
  for (const value of values) {
    const name = String(value).toLowerCase();
    if (known.has(name)) {
      yield {
        message: `The values ${JSON.stringify(known.get(name))} and ${JSON.stringify(value)} of the enum get the same name in generated code.`,
        suggest: ['Keep one, and move the schema with both values under x-exact.'],
        location: location.key(),
      };
      return;
    }
    known.set(name, value);
  }
}

function* unreadAllOf(
  { allOf }: Readonly<Record<string, unknown>>,
  location: Location,
  resolve: Resolve,
): Generator<Problem> {
  for (const [index, part] of entriesOf({ ...(Array.isArray(allOf) ? allOf : []) })) {
    const { value, from } = dereference(part, resolve);
    if (!isObject(value) || Object.keys(value).length === 0) continue;
    const choice = ['oneOf', 'anyOf'].find((keyword) => keyword in value);
    const hasType = ['type', 'properties', 'allOf', 'enum', 'const'].some((keyword) => keyword in value);
    const nullable = entriesOf(value.properties).find(([, member]) =>
      mayBeNull(dereference(member, resolve, from).value),
    );
    const message =
      choice !== undefined
        ? `The allOf contains a ${choice}: generators drop the schema, or its members.`
        : !hasType
          ? 'The allOf has a part without a type: generators drop the part, and the schema with it.'
          : nullable &&
            `The allOf has the member ${nullable[0]}, which may be null: generated clients then reject null.`;
    if (message === undefined) continue;
    yield {
      message,
      suggest: ['Write one object with all properties, and if, then and else next to them.'],
      location: location.child(['allOf', index]),
    };
  }
}

function mayBeNull(schema: unknown): boolean {
  return isObject(schema) && Array.isArray(schema.type) && schema.type.includes('null');
}
