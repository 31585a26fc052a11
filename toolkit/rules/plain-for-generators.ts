import { isObject } from '@lockstep/json/json-pointer';
import type { Location, Oas3Rule, UserContext } from 'redocly-core';
import { dereference, entriesOf, type Resolve } from './reading/dereference.ts';

type Problem = Parameters<UserContext['report']>[0];

/** Formats that generators parse. A pattern for the text is then applied to the parsed date. */
const parsed = new Set(['date', 'date-time', 'time']);

/**
 * Generators of clients make code that compiles and runs only of plain schemas. Seen with openapi-generator 7.17, openapi-python-client 0.29,
 * orval 8.38, oapi-codegen 2.8 and ogen 1.24:
 *
 * - schemas whose names differ in case alone are one file, or one class;
 * - a `pattern` beside `format: date-time` is applied to the date (Python), so that every answer is refused;
 * - values of one enum that differ in case or type alone are one name twice;
 * - a schema that is named and refers to another has no type (Java, Rust);
 * - an `allOf` of anything but objects is dropped with all that refers to it, or has no members;
 * - of a list of types beyond one and null, oapi-codegen and ogen make nothing at all;
 * - a member that may be null is never null in an `allOf` (Python, Java, Kotlin, Go, C#), so that a good answer is refused.
 *
 * No generator reads `x-exact`.
 */
export const plainForGenerators: Oas3Rule = () => ({
  NamedSchemas(node, { report, location }) {
    const known = new Map<string, string>();
    for (const [name, schema] of Object.entries(node)) {
      if (isObject(schema) && typeof schema.$ref === 'string')
        report({
          message: `The schema ${name} refers to another, and generators make no type of it.`,
          suggest: ['Refer to the other where this one is meant, with a description beside the $ref.'],
          location: location.child(name).key(),
        });
      const bare = name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
      const first = known.get(bare);
      known.set(bare, first ?? name);
      if (first === undefined) continue;
      report({
        message: `The schemas ${first} and ${name} have one name for a generator.`,
        suggest: ['Give one of them a name that is another word.'],
        location: location.child(name).key(),
      });
    }
  },
  Schema(node, { report, location, resolve }) {
    const schema: unknown = node;
    if (!isObject(schema) || /\/x-exact(\/|$)/.test(location.pointer)) return;
    if (schema.pattern !== undefined && parsed.has(String(schema.format)))
      report({
        message: `The pattern stands beside format: ${schema.format}, and generators apply it to the date.`,
        suggest: ['Move it under x-exact, with the type and the format.'],
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
        message: `The values ${JSON.stringify(known.get(name))} and ${JSON.stringify(value)} of the enum have one name for a generator.`,
        suggest: ['Keep one, and move the schema that has both under x-exact.'],
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
        ? `The allOf stands over a ${choice}: generators drop the whole, or its members.`
        : !hasType
          ? 'The allOf has a part without a type: generators drop it, and the whole with it.'
          : nullable && `The allOf has the member ${nullable[0]}, which may be null: clients then refuse a null.`;
    if (message === undefined) continue;
    yield {
      message,
      suggest: ['Write one object with all properties, and if, then and else beside them.'],
      location: location.child(['allOf', index]),
    };
  }
}

function mayBeNull(schema: unknown): boolean {
  return isObject(schema) && Array.isArray(schema.type) && schema.type.includes('null');
}
