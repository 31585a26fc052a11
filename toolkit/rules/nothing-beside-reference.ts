import type { Oas3Rule } from 'redocly-core';

/** Annotations and extensions, which do not change the validation. */
const isAnnotation = /^(description|summary|title|example|examples|externalDocs|x-.*)$/;

/**
 * In OpenAPI 3.0 no keyword of validation is next to a `$ref`, because every tool ignores it there (3.0.4, 4.8.23): a `nullable` or a `default` is
 * lost. 3.1 reads the keywords next to the `$ref` of a schema.
 */
export const nothingBesideReference: Oas3Rule = () => ({
  ref: {
    enter(reference, { report, location, type, specVersion }) {
      // A path item may have both, though their precedence is undefined.
      if (specVersion !== 'oas3_0' || type.name === 'PathItem') return;
      for (const name of Object.keys(reference)) {
        if (name === '$ref' || isAnnotation.test(name)) continue;
        report({
          message: `${name} is next to a $ref, where OpenAPI 3.0 ignores it.`,
          suggest: [`Put the $ref into an allOf of one, and ${name} next to the allOf; or delete ${name}.`],
          location: location.child(name).key(),
        });
      }
    },
  },
});
