import type { Oas3Rule } from 'redocly-core';
import { schemaPatterns } from './reading/schema-patterns.ts';

/**
 * Every pattern compiles with the `u` flag, as JSON Schema 2020-12 (6.3.3 of its validation part) recommends and Ajv does.
 * With a schema that doesn't compile, Prism accepts anything; express-openapi-validator answers 500.
 */
export const patternCompiles: Oas3Rule = () => ({
  Schema(schema, { report, location }) {
    for (const pattern of schemaPatterns(schema, location)) {
      const fault = patternFault(pattern.source);
      if (fault === undefined) continue;
      report({
        message: `The pattern ${pattern.source} does not compile: ${fault}.`,
        suggest: [
          'Write a JavaScript regular expression that compiles with the u flag: escape only special characters.',
        ],
        location: pattern.location,
      });
    }
  },
});

/** The engine's error about the pattern; undefined if it compiles. */
export function patternFault(source: string): string | undefined {
  try {
    new RegExp(source, 'u');
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // `Invalid regular expression: /…/u: Invalid escape`: our sentence already contains the pattern.
    return error.message.slice(error.message.lastIndexOf(': ') + 2).toLowerCase();
  }
}
