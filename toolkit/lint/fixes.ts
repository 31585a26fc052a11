/**
 * What to do about a problem of a rule that isn't ours: one sentence for each rule that a profile switches on.
 * Our own rules and the assertions in `house.yaml` bring their fix with the problem.
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
  'no-enum-type-mismatch': 'Let every value of the enum be of the declared type.',
  'no-example-value-and-externalValue': 'Keep either value or externalValue.',
  'no-identical-paths': 'Merge the operations of the paths that differ in the names of their parameters alone.',
  'no-illogical-composition-keywords':
    'Give oneOf, anyOf and allOf at least two different schemas, or write the one schema itself.',
  'no-invalid-media-type-examples': 'Correct the example, or the schema if the example is what the service answers.',
  'no-invalid-parameter-examples':
    'Correct the example, or the schema if the example is a value that the service takes.',
  'no-invalid-schema-examples': 'Correct the example, or the schema if the example is a value that may occur.',
  'no-mixed-number-range-constraints': 'Keep either the inclusive or the exclusive bound.',
  'no-path-trailing-slash': 'Take the slash from the end of the path.',
  'no-schema-type-mismatch': 'Keep the keywords that belong to the declared type.',
  'no-server-trailing-slash': 'Take the slash from the end of the server URL.',
  'no-server-variables-empty-enum': 'List the values of the server variable, its default among them.',
  'no-undefined-server-variable': 'Declare the variable under variables, or take it out of the URL.',
  'no-unresolved-refs': 'Correct the $ref: its file must exist and hold something at that pointer.',
  'no-unsafe-markdown': 'Take the script or the unsafe link out of the text.',
  'no-unused-components': 'Refer to the component by $ref, or delete it.',
  'operation-operationId': 'Add an operationId: it names the operation in generated code.',
  'operation-operationId-unique': 'Give each operation an operationId of its own.',
  'operation-operationId-url-safe': 'Use letters, digits and - . _ ~ alone.',
  'operation-parameters-unique': 'Keep one parameter of each name and place.',
  'operation-summary': 'Add a summary of one line.',
  'path-declaration-must-exist': 'Give each parameter in the path a name between the braces.',
  'path-not-include-query': 'Describe the query as parameters in: query.',
  'path-parameters-defined': 'Describe each name in the braces of the path as a parameter in: path, and no other.',
  'response-contains-header': 'Add the header to the headers of the response, with an example.',
  'scalar-property-missing-example': 'Add an example to the property or to the schema it refers to.',
  'security-defined': 'Describe the scheme under components.securitySchemes, or correct its name.',
  'security-scopes-defined': 'Describe the scope in the flows of the scheme, or correct its name.',
  'spec-components-invalid-map-name': 'Use letters, digits and - . _ alone in the name of the component.',
  'spec-example-values': 'Keep one of value and externalValue.',
  'spec-ref-siblings': 'Move what stands beside the $ref into what it refers to.',
  struct: 'Correct the name or the type, as the OpenAPI Specification has it.',
  'tag-description': 'Add a description to the tag.',
};

/** What both versions of OpenAPI know and write in another way: what stands where `struct` expects another type. */
export const versionFixes: readonly { readonly at: RegExp; readonly message: RegExp; readonly fix: string }[] = [
  {
    at: /\/exclusiveM(?:in|ax)imum$/,
    message: /got `boolean`/,
    fix: 'That is OpenAPI 3.0. Write the bound itself here, and take minimum or maximum out.',
  },
  {
    at: /\/exclusiveM(?:in|ax)imum$/,
    message: /got `(?:number|integer)`/,
    fix: 'That is OpenAPI 3.1. Write openapi: 3.1.1 at the top, or true here and the bound as minimum or maximum.',
  },
];
