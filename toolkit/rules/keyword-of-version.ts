import { isObject } from '@lockstep/json/json-pointer';
import type { Oas3Rule } from 'redocly-core';

interface Finding {
  readonly keyword: string;
  readonly message: string;
  readonly fix: string;
}

/** Keywords of JSON Schema 2020-12 that OpenAPI 3.0 lacks: its schemas are a dialect of their own (OpenAPI 3.0.4, 4.8.24). */
const newer: readonly string[] = [
  ...['const', 'contentEncoding', 'contentMediaType', 'contentSchema', 'contains', 'maxContains', 'minContains'],
  ...['dependentRequired', 'dependentSchemas', 'else', 'examples', 'if', 'patternProperties', 'prefixItems'],
  ...['propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties', '$anchor', '$comment', '$defs', '$id'],
];

/**
 * A schema uses only keywords of its version: `nullable` is of 3.0, `const` of 3.1.
 *
 * A validator silently treats a foreign keyword as an annotation: null is then invalid, or a constraint has no effect. If the versions require
 * values of different types, as of `exclusiveMinimum`, `struct` reports it.
 */
export const keywordOfVersion: Oas3Rule = () => ({
  Schema(schema, { report, location, specVersion }) {
    if (!isObject(schema)) return;
    for (const { keyword, message, fix } of specVersion === 'oas3_0' ? foundIn30(schema) : foundIn31(schema)) {
      report({ message: message, suggest: [fix], location: location.child(keyword).key() });
    }
  },
});

/** The message is the same for every type, so that equal problems are joined. */
const writeNull =
  "Add 'null' to the types instead, as in type: [string, 'null'], or {type: 'null'} to the schemas of an anyOf.";

type Schema = Readonly<Record<string, unknown>>;

function* foundIn31(schema: Schema): Generator<Finding> {
  if ('nullable' in schema) {
    yield {
      keyword: 'nullable',
      message: 'nullable is a keyword of OpenAPI 3.0 and has no effect in 3.1.',
      fix: schema.nullable === true ? writeNull : 'Delete it.',
    };
  }
}

function* foundIn30(schema: Schema): Generator<Finding> {
  // OpenAPI 3.0.4, 4.8.24.2: `nullable` has an effect only next to a `type`.
  if (schema.nullable === true && schema.type === undefined) {
    yield {
      keyword: 'nullable',
      message: 'nullable has no effect in a schema without a type.',
      fix: 'Add a type to the schema, or delete nullable.',
    };
  }
  const fix = 'Write openapi: 3.1.1 at the top of the document, or use keywords of 3.0.';
  if (Array.isArray(schema.type)) yield { keyword: 'type', message: 'A list of types is OpenAPI 3.1, not 3.0.', fix };
  for (const keyword of newer) {
    if (Object.hasOwn(schema, keyword))
      yield { keyword, message: `${keyword} is a keyword of OpenAPI 3.1, not of 3.0.`, fix };
  }
}
