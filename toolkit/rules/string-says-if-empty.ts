import { isObject } from '@lockstep/json/json-pointer';
import type { Oas3Rule } from 'redocly-core';
import { dereference, entriesOf } from './reading/dereference.ts';

const bounds = ['minLength', 'pattern', 'enum', 'const', 'format'] as const;

/**
 * A required string specifies whether it may be empty: `minLength: 0` if so, else `minLength`, or its `pattern`, `enum`,
 * `const` or `format`.
 *
 * Replaces Redocly's `required-string-property-missing-min-length`, which requires `minLength` next to an `enum` too and
 * does not accept 0, though an empty string can be the required value, as at the end of a list.
 */
export const stringSaysIfEmpty: Oas3Rule = () => ({
  Schema(node, { report, location, resolve }) {
    const schema: unknown = node;
    if (!isObject(schema) || !Array.isArray(schema.required)) return;
    for (const [name, property] of entriesOf(schema.properties)) {
      if (!schema.required.includes(name)) continue;
      const { value } = dereference(property, resolve);
      if (!isObject(value) || value.type !== 'string' || bounds.some((bound) => bound in value)) continue;
      report({
        message: `The required string ${name} does not specify whether it may be empty.`,
        suggest: ['Add minLength: 1, or minLength: 0 if the empty string has a meaning.'],
        location: location.child(['properties', name]).key(),
      });
    }
  },
});
