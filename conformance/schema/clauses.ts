/** Sections of JSON Schema 2020-12, which OpenAPI 3.1 adopts: validation, and core for applicators. */
const sections: Readonly<Record<string, string>> = {
  ...sectionsOf('JSON Schema 2020-12, validation, ', {
    type: '6.1.1',
    enum: '6.1.2',
    const: '6.1.3',
    multipleOf: '6.2.1',
    maximum: '6.2.2',
    exclusiveMaximum: '6.2.3',
    minimum: '6.2.4',
    exclusiveMinimum: '6.2.5',
    maxLength: '6.3.1',
    minLength: '6.3.2',
    pattern: '6.3.3',
    maxItems: '6.4.1',
    minItems: '6.4.2',
    uniqueItems: '6.4.3',
    maxContains: '6.4.4',
    minContains: '6.4.5',
    maxProperties: '6.5.1',
    minProperties: '6.5.2',
    required: '6.5.3',
    dependentRequired: '6.5.4',
    format: '7.2',
    contentEncoding: '8.3',
    contentMediaType: '8.4',
    contentSchema: '8.5',
    readOnly: '9.4',
    writeOnly: '9.4',
  }),
  ...sectionsOf('JSON Schema 2020-12, core, ', {
    'false schema': '4.3.2',
    $ref: '8.2.3.1',
    $dynamicRef: '8.2.3.2',
    allOf: '10.2.1.1',
    anyOf: '10.2.1.2',
    oneOf: '10.2.1.3',
    not: '10.2.1.4',
    if: '10.2.2.1',
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: '10.2.2.2',
    else: '10.2.2.3',
    dependentSchemas: '10.2.2.4',
    prefixItems: '10.3.1.1',
    items: '10.3.1.2',
    contains: '10.3.1.3',
    properties: '10.3.2.1',
    patternProperties: '10.3.2.2',
    additionalProperties: '10.3.2.3',
    propertyNames: '10.3.2.4',
    unevaluatedItems: '11.2',
    unevaluatedProperties: '11.3',
  }),
};

/** Sections of the draft that OpenAPI 3.0 takes its keywords from. */
const sections30 = sectionsOf('JSON Schema, draft-wright-json-schema-validation-00, ', {
  multipleOf: '5.1',
  maximum: '5.2',
  exclusiveMaximum: '5.3',
  minimum: '5.4',
  exclusiveMinimum: '5.5',
  maxLength: '5.6',
  minLength: '5.7',
  pattern: '5.8',
  items: '5.9',
  maxItems: '5.10',
  minItems: '5.11',
  uniqueItems: '5.12',
  maxProperties: '5.13',
  minProperties: '5.14',
  required: '5.15',
  properties: '5.16',
  additionalProperties: '5.18',
  enum: '5.20',
  type: '5.21',
  allOf: '5.22',
  anyOf: '5.23',
  oneOf: '5.24',
  not: '5.25',
  format: '7',
});

function sectionsOf(document: string, numbers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(numbers).map(([keyword, number]) => [keyword, `${document}${number}`]));
}

/**
 * The section of a norm that defines a keyword of a schema.
 *
 * @param version the `openapi` member of the document
 */
export function clauseOf(version: unknown, keyword: string): string {
  const isOld = is30(version);
  return (isOld ? sections30 : sections)[keyword] ?? `OpenAPI ${isOld ? '3.0' : '3.1'}, Schema Object`;
}

export function is30(version: unknown): boolean {
  return typeof version === 'string' && version.startsWith('3.0.');
}
