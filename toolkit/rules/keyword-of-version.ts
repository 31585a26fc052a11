import { isObject } from '@lockstep/json/json-pointer';
import type { Oas3Rule } from 'redocly-core';

interface Finding {
  readonly keyword: string;
  readonly message: string;
  readonly fix: string;
}

/** Of JSON Schema 2020-12 and unknown to OpenAPI 3.0, whose schemas are a dialect of their own (OpenAPI 3.0.4, 4.8.24). */
const newer: readonly string[] = [
  ...['const', 'contentEncoding', 'contentMediaType', 'contentSchema', 'contains', 'maxContains', 'minContains'],
  ...['dependentRequired', 'dependentSchemas', 'else', 'examples', 'if', 'patternProperties', 'prefixItems'],
  ...['propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties', '$anchor', '$comment', '$defs', '$id'],
];

/**
 * A schema keeps to the keywords of its version: `nullable` is of 3.0, `const` of 3.1.
 *
 * A validator takes a foreign keyword for an annotation: null is then refused, or a value not held, and nobody is told. Where the two versions
 * want values of different types, as of `exclusiveMinimum`, `struct` finds it.
 */
export const keywordOfVersion: Oas3Rule = () => ({
  Schema(schema, { report, location, specVersion }) {
    if (!isObject(schema)) return;
    for (const { keyword, message, fix } of specVersion === 'oas3_0' ? foundIn30(schema) : foundIn31(schema)) {
      report({ message: message, suggest: [fix], location: location.child(keyword).key() });
    }
  },
});

/** In the same words for every type, so that many of them are one problem. */
const writeNull =
  "Put 'null' among the types instead, as in type: [string, 'null'], or {type: 'null'} among the schemas of an anyOf.";

type Schema = Readonly<Record<string, unknown>>;

function* foundIn31(schema: Schema): Generator<Finding> {
  if ('nullable' in schema) {
    yield {
      keyword: 'nullable',
      message: 'nullable is of OpenAPI 3.0 and means nothing in 3.1.',
      fix: schema.nullable === true ? writeNull : 'Take it out.',
    };
  }
}

function* foundIn30(schema: Schema): Generator<Finding> {
  // OpenAPI 3.0.4, 4.8.24.2: nullable is looked at only where the same schema names a type.
  if (schema.nullable === true && schema.type === undefined) {
    yield {
      keyword: 'nullable',
      message: 'nullable has no effect where the same schema names no type.',
      fix: 'Name the type beside it, or take it out.',
    };
  }
  const fix = 'Write openapi: 3.1.1 at the top of the document, or say it in words of 3.0.';
  if (Array.isArray(schema.type)) yield { keyword: 'type', message: 'A list of types is of OpenAPI 3.1.', fix };
  for (const keyword of newer) {
    if (Object.hasOwn(schema, keyword)) yield { keyword, message: `${keyword} is of OpenAPI 3.1, not of 3.0.`, fix };
  }
}
