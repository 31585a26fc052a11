import type { Oas3Rule } from 'redocly-core';

/** Words for a reader, and extensions: without them no request and no answer is judged otherwise. */
const isAnnotation = /^(description|summary|title|example|examples|externalDocs|x-.*)$/;

/**
 * In OpenAPI 3.0 nothing that judges a value stands beside a `$ref`, because every tool passes over it (3.0.4, 4.8.23): a `nullable` or a `default`
 * there is lost. 3.1 reads what stands beside the `$ref` of a schema.
 */
export const nothingBesideReference: Oas3Rule = () => ({
  ref: {
    enter(reference, { report, location, type, specVersion }) {
      // A path item may have both, though what wins is undefined.
      if (specVersion !== 'oas3_0' || type.name === 'PathItem') return;
      for (const name of Object.keys(reference)) {
        if (name === '$ref' || isAnnotation.test(name)) continue;
        report({
          message: `${name} stands beside a $ref, and OpenAPI 3.0 passes over it.`,
          suggest: ['Put the $ref into an allOf of one, and this beside the allOf; or take it out.'],
          location: location.child(name).key(),
        });
      }
    },
  },
});
