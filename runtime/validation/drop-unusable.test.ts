import { assert, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contracts, values } from '../fixtures/random-schema.ts';
import { createSchemaCompiler } from './compile-schema.ts';
import { dropUnusable } from './drop-unusable.ts';
import { createJudge } from './judge-value.ts';

const cases = [
  {
    name: 'a pattern that is none',
    given: { pattern: '(' },
    says: /^pattern is not usable: Invalid regular expression/,
  },
  {
    name: 'a pattern that no engine runs in linear time',
    given: { pattern: '^(?=(a+)+$)' },
    says: 'pattern is not usable: it may take more than linear time, and no linear engine runs a lookahead',
  },
  {
    name: 'a pattern of names, with what the other names are held to',
    given: { patternProperties: { '[': {} }, additionalProperties: false },
    says: /^patternProperties is not usable/,
    instead: { additionalProperties: {} },
  },
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
];

describe('dropUnusable', () => {
  for (const { name, given, says, instead } of cases) {
    test(`removes ${name}, reports it, and keeps the rest`, () => {
      const { document, unchecked } = dropUnusable({ schema: { properties: { a: { ...given, maxProperties: 3 } } } });
      expect(document).toEqual({ schema: { properties: { a: { maxProperties: 3, ...instead } } } });
      const why = typeof says === 'string' ? says : expect.stringMatching(says);
      expect(unchecked).toEqual([{ pointer: `#/schema/properties/a/${Object.keys(given)[0]}`, why }]);
      expect(() => createSchemaCompiler(document)(document.schema)).not.toThrow();
    });
  }

  test('takes any member for one of a pattern that is none, whatever stands around it', () => {
    const part = { patternProperties: { '[': {} } };
    const { document } = dropUnusable({ schema: { allOf: [part], unevaluatedProperties: false } });
    expect(createSchemaCompiler(document)(document.schema)({ a: 1 })).toBeUndefined();
  });

  const unusable = { pattern: '(' };
  test.each([
    { name: 'what it is not', given: { not: unusable } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    { name: 'a condition', given: { if: { items: unusable }, then: { type: 'integer' } } },
    { name: 'one of several forms', given: { oneOf: [{ $ref: '#/components/schemas/Part' }, { type: 'string' }] } },
    { name: 'a counted item', given: { properties: { a: {} }, items: { contains: unusable, maxContains: 0 } } },
  ])('refuses nothing since $name takes more than it should', ({ given }) => {
    const { document } = dropUnusable(contractOf({ Part: unusable, Whole: given }));
    const check = createSchemaCompiler(document)({ $ref: '#/components/schemas/Whole' });
    expect([check('a'), check([['a']])]).toEqual([undefined, undefined]);
  });

  test('takes one form alone still, where nothing but a name was lost', () => {
    const contract = { schema: { oneOf: [{ $id: 'a', type: 'string' }, { maxLength: 3 }] } };
    const { document } = dropUnusable(contract);
    expect(createSchemaCompiler(document)(document.schema)('ab')).toMatchObject([{ keyword: 'oneOf' }]);
  });

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

  describe('schemas that hold themselves', () => {
    const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const kinds = Array.from({ length: 10 }, (_, index) => `Kind${index}`);
    const formOf = (kind: string) => ({
      allOf: [refTo('Pet'), { required: ['name'], properties: { kind: { const: kind }, name: { maxLength: 3 } } }],
    });
    const pets = contractOf({
      Pet: {
        required: ['kind'],
        properties: { kind: { type: 'string' }, friend: refTo('Pet') },
        unevaluatedProperties: false,
        oneOf: kinds.map(refTo),
      },
      ...Object.fromEntries(kinds.map((kind) => [kind, formOf(kind)])),
    });
    const { document, unchecked } = dropUnusable(pets);
    const validate = createSchemaCompiler(document);
    const judge = createJudge(document);

    test.each([
      { of: 'Pet', value: { kind: 'Kind3', name: 'Max' }, isGood: true },
      { of: 'Pet', value: { kind: 'Kind3', name: 'Max', friend: { kind: 'Kind4', name: 'Mia' } }, isGood: true },
      { of: 'Pet', value: { kind: 'Kind3', name: 'Max', friend: { kind: 'Kind4', name: 'Moritz' } }, isGood: false },
      { of: 'Pet', value: { kind: 'Kind3', name: 'Moritz' }, isGood: false },
      { of: 'Pet', value: { kind: 'none', name: 'Max' }, isGood: false },
      { of: 'Pet', value: { kind: 'Kind3', name: 'Max', other: 1 }, isGood: false },
      { of: 'Kind3', value: { kind: 'Kind3', name: 'Max' }, isGood: true },
      { of: 'Kind3', value: { name: 'Max' }, isGood: false },
    ])('$value is judged by $of as it is meant', ({ of, value, isGood }) => {
      expect(validate(refTo(of))(value) === undefined).toBe(isGood);
      expect(judge(value, refTo(of)) === undefined).toBe(isGood);
    });

    test('each location is reported', () => {
      const why =
        '$ref leads back to the schema that it stands in: of #/components/schemas/Pet only what stands there itself is checked';
      expect(unchecked).toEqual(kinds.map((kind) => ({ pointer: `#/components/schemas/${kind}/allOf/0/$ref`, why })));
    });

    test.each([
      { name: 'nothing but itself', a: refTo('a'), want: {} },
      {
        name: 'itself with a bound',
        a: { allOf: [refTo('a')], maximum: 1 },
        want: { allOf: [{ maximum: 1 }], maximum: 1 },
      },
      { name: 'itself as a form', a: { anyOf: [refTo('a'), { type: 'null' }], maximum: 1 }, want: { maximum: 1 } },
      { name: 'what it is not', a: { not: refTo('a'), unevaluatedProperties: false }, want: {} },
    ])('$name has an end', ({ a, want }) => {
      const cut = dropUnusable(contractOf({ a }));
      expect(cut.unchecked).toHaveLength(1);
      expect(cut.document).toEqual(contractOf({ a: want }));
    });

    test('the compiled check of any schema terminates', () => terminates(100));
    test('the compiled check of any schema terminates, 300 times', { tags: ['full'] }, () => terminates(300));

    function terminates(numRuns: number): void {
      assert(
        property(contracts, values, (contract, value) => {
          const { document } = dropUnusable(contract);
          const check = createSchemaCompiler(document)(refTo('a'));
          expect(() => check(value)).not.toThrow();
          expect(dropUnusable(document).unchecked).toEqual([]);
        }),
        { numRuns },
      );
    }

    test('a step into the value is no circle', () => {
      const contract = contractOf({ Node: { properties: { next: refTo('Node') }, anyOf: [{ items: refTo('Node') }] } });
      expect(dropUnusable(contract)).toEqual({ document: contract, unchecked: [] });
    });
  });
});

function contractOf(schemas: object) {
  return { components: { schemas } };
}

test('nullable, which has no meaning in OpenAPI 3.1, is neither read nor reported', () => {
  const contract = { components: { schemas: { A: { type: 'string', nullable: true } } } };
  const { document, unchecked } = dropUnusable(contract);
  expect(unchecked).toEqual([]);
  expect(createSchemaCompiler(document)({ $ref: '#/components/schemas/A' })(null)).toMatchObject([{ keyword: 'type' }]);
});
