import { describe, expect, test } from 'vitest';
import { createSchemaCompiler } from './compile-schema.ts';
import { dropUnusable } from './drop-unusable.ts';

const cases = [
  {
    name: 'a pattern that is none',
    given: { pattern: '(' },
    says: /^pattern is not usable: Invalid regular expression/,
  },
  { name: 'a pattern of names', given: { patternProperties: { '[': {} } }, says: /^patternProperties is not usable/ },
  { name: 'a reference that leads nowhere', given: { $ref: '#/Gone' }, says: '$ref leads nowhere: #/Gone' },
  { name: 'a reference to a file', given: { $ref: 'a.json' }, says: '$ref must be a reference into the contract' },
  { name: 'required of draft 3', given: { required: true }, says: 'required must be a list of names' },
  { name: 'a bound of draft 4', given: { exclusiveMinimum: true }, says: 'exclusiveMinimum must be a number' },
  { name: 'a tuple of draft 4', given: { items: [{}] }, says: 'items must be a schema' },
  { name: 'a type that is none', given: { type: 'file' }, says: 'type must be a type of JSON' },
  { name: 'an empty enum', given: { enum: [] }, says: 'enum must be a list of values' },
  { name: 'an empty choice', given: { oneOf: [] }, says: 'oneOf must be a list of schemas' },
  { name: 'a count below 0', given: { minLength: -1 }, says: 'minLength must be a whole number from 0 on' },
  { name: 'id of draft 4', given: { id: 'x' }, says: 'id is of an earlier draft, and names nothing' },
  { name: 'nullable', given: { nullable: true }, says: "nullable is of OpenAPI 3.0: add 'null' to type" },
];

describe('dropUnusable', () => {
  for (const { name, given, says } of cases) {
    test(`takes out ${name}, tells it, and keeps the rest`, () => {
      const { document, unchecked } = dropUnusable({ schema: { properties: { a: { ...given, maxProperties: 3 } } } });
      expect(document).toEqual({ schema: { properties: { a: { maxProperties: 3 } } } });
      const why = typeof says === 'string' ? says : expect.stringMatching(says);
      expect(unchecked).toEqual([{ pointer: `#/schema/properties/a/${Object.keys(given)[0]}`, why }]);
      expect(() => createSchemaCompiler(document)(document.schema)).not.toThrow();
    });
  }

  test.each([
    { pattern: '^[\\w\\-]+$' },
    { type: ['string', 'null'], format: 'of-nobody' },
    { enum: [null] },
    { 'x-required': true },
    { example: { required: true } },
    { required: [], minimum: 0.5 },
  ])('keeps $0', (schema) => {
    const contract = { schema };
    expect(dropUnusable(contract)).toEqual({ document: contract, unchecked: [] });
  });

  test('takes a Parameter Object for none', () => {
    const contract = { parameters: [{ name: 'id', required: true, schema: {} }] };
    expect(dropUnusable(contract).unchecked).toEqual([]);
  });
});
