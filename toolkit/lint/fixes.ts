/**
 * The fix for each rule of Redocly that a profile switches on. Problems of our own rules, and of the assertions in `house.yaml`, contain their fix.
 */
export const fixes: Readonly<Record<string, string>> = {
  'component-name-unique': 'Give each component a name of its own.',
  'info-license': 'Add info.license.',
  'info-license-strict': 'Add an identifier from the SPDX list, or a url, to info.license.',
  'no-ambiguous-paths':
    'Change one path so that no request matches both, or make the concrete one concrete in every segment.',
  'no-duplicated-enum-values': 'Keep the value once.',
  'no-duplicated-tag-names': 'Keep one declaration of the tag.',
  'no-empty-servers': 'Add servers, with the base URL of the API.',
  'no-enum-type-mismatch': 'Give every value of the enum the declared type.',
  'no-example-value-and-externalValue': 'Keep either value or externalValue.',
  'no-identical-paths': 'Merge the paths that differ only in the names of their parameters.',
  'no-illogical-composition-keywords':
    'Give oneOf, anyOf and allOf at least two different schemas, or write the one schema itself.',
  'no-invalid-media-type-examples': 'Correct the example, or the schema if the example is what the service answers.',
  'no-invalid-parameter-examples':
    'Correct the example, or the schema if the example is a value that the service accepts.',
  'no-invalid-schema-examples': 'Correct the example, or the schema if the example is a value that may occur.',
  'no-mixed-number-range-constraints': 'Keep either the inclusive or the exclusive bound.',
  'no-path-trailing-slash': 'Remove the slash from the end of the path.',
  'no-schema-type-mismatch': 'Keep the keywords that belong to the declared type.',
  'no-server-trailing-slash': 'Remove the slash from the end of the server URL.',
  'no-server-variables-empty-enum': 'List the values of the server variable, its default among them.',
  'no-undefined-server-variable': 'Declare the variable under variables, or remove it from the URL.',
  'no-unresolved-refs': 'Correct the $ref: its file must exist and have a value at that pointer.',
  'no-unsafe-markdown': 'Remove the script or the unsafe link from the text.',
  'no-unused-components': 'Refer to the component by $ref, or delete it.',
  'operation-operationId': 'Add an operationId: it names the operation in generated code.',
  'operation-operationId-unique': 'Give each operation an operationId of its own.',
  'operation-operationId-url-safe': 'Use only letters, digits and - . _ ~.',
  'operation-parameters-unique': 'Keep one parameter of each name and location.',
  'operation-summary': 'Add a summary of one line.',
  'path-declaration-must-exist': 'Give each parameter in the path a name between the braces.',
  'path-not-include-query': 'Describe the query as parameters in: query.',
  'path-parameters-defined': 'Describe each name in the braces of the path as a parameter in: path, and no other.',
  'response-contains-header': 'Add the header to the headers of the response, with an example.',
  'scalar-property-missing-example': 'Add an example to the property or to the schema it refers to.',
  'security-defined': 'Describe the scheme under components.securitySchemes, or correct its name.',
  'security-scopes-defined': 'Describe the scope in the flows of the scheme, or correct its name.',
  'spec-components-invalid-map-name': 'Use only letters, digits and - . _ in the name of the component.',
  'spec-example-values': 'Keep one of value and externalValue.',
  'spec-ref-siblings': 'Move the members next to the $ref into its target.',
  struct: 'Correct the name or the type to match the OpenAPI Specification.',
  'tag-description': 'Add a description to the tag.',
};

/** Fixes for keywords whose values have different types in OpenAPI 3.0 and 3.1, where `struct` reports the type of the other version. */
export const versionFixes: readonly { readonly at: RegExp; readonly message: RegExp; readonly fix: string }[] = [
  {
    at: /\/exclusiveM(?:in|ax)imum$/,
    message: /got `boolean`/,
    fix: 'A boolean is OpenAPI 3.0. Write the bound itself here, and delete minimum or maximum.',
  },
  {
    at: /\/exclusiveM(?:in|ax)imum$/,
    message: /got `(?:number|integer)`/,
    fix: 'A number is OpenAPI 3.1. Write openapi: 3.1.1 at the top, or true here and the bound as minimum or maximum.',
  },
];
