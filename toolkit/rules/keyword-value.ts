import { isObject, parsePointer } from '@lockstep/json/json-pointer';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Oas3Rule } from 'redocly-core';

const vocabulary = 'https://json-schema.org/draft/2020-12/meta/validation';
const isValid = new Ajv2020({ allErrors: true, strict: false }).getSchema(vocabulary);
if (isValid === undefined) throw new Error(`Ajv has no ${vocabulary}`);
const validate = isValid;

/**
 * The keywords of a schema have values that JSON Schema allows: no length below 0, no step of 0, no name required twice (validation, 6).
 *
 * A validator can't compile such a schema, and so rejects every request. Redocly checks only the types of the values.
 */
export const keywordValue: Oas3Rule = () => ({
  Schema(schema, { report, location }) {
    if (!isObject(schema) || validate(ofThisRule(schema))) return;
    for (const { instancePath, message } of validate.errors ?? []) {
      const [keyword = '', ...within] = parsePointer(`#${instancePath}`);
      report({
        message: `The value of ${keyword} ${message}.`,
        suggest: [`Give ${keyword} a value that JSON Schema allows, or delete it.`],
        location: within.length === 0 ? location.child(keyword).key() : location.child([keyword, ...within]),
      });
    }
  },
});

/** The schema without the parts that `struct` and `keyword-of-version` check: types, and the boolean bounds of OpenAPI 3.0. */
function ofThisRule(schema: object): object {
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([name, value]) => name !== 'type' && !(/^exclusive/.test(name) && typeof value === 'boolean'),
    ),
  );
}
