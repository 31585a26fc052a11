import { describe, expect, test } from 'vitest';
import { createSchemaCompiler } from './compile-schema.ts';
import { createJudge } from './judge-value.ts';
import { readDirection } from './one-direction.ts';

const id = { type: 'string', readOnly: true };
const secret = { type: 'string', writeOnly: true };
const components = { schemas: { Id: id, Base: { properties: { id: { $ref: '#/components/schemas/Id' } } } } };

const cases = [
  {
    name: 'members of its own',
    schema: { required: ['id', 'secret', 'name'], properties: { id, secret } },
    request: { required: ['secret', 'name'] },
    response: { required: ['id', 'name'] },
  },
  {
    name: 'a member that another part describes',
    schema: { allOf: [{ $ref: '#/components/schemas/Base' }, { required: ['id'] }] },
    request: { allOf: [{ $ref: '#/components/schemas/Base' }, { required: [] }] },
    response: {},
  },
  {
    name: 'a member further in',
    schema: { properties: { a: { items: { required: ['secret'], properties: { secret } } } } },
    request: {},
    response: { properties: { a: { items: { required: [], properties: { secret } } } } },
  },
  {
    name: 'no member of the same name further in',
    schema: { required: ['id'], properties: { a: { properties: { id } } } },
    request: {},
    response: {},
  },
];

describe('what does not travel this way is not required', () => {
  for (const { name, schema, request, response } of cases) {
    test(`${name}`, () => {
      const document = { components, given: { schema } };
      expect(readDirection(document, 'request')).toEqual({ components, given: { schema: { ...schema, ...request } } });
      expect(readDirection(document, 'response')).toEqual({
        components,
        given: { schema: { ...schema, ...response } },
      });
    });
  }

  test('a contract that marks nothing stays the same value', () => {
    const document = { schema: { required: ['a'], properties: { a: {} } } };
    expect(readDirection(document, 'request')).toBe(document);
  });
});

describe('the mapping of a discriminator selects the alternative', () => {
  const named = (...required: readonly string[]) => ({
    type: 'object',
    required,
    properties: { kind: { type: 'string' }, name: { type: 'string' } },
  });
  const refs = [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }];
  const mapping = { c: '#/components/schemas/Cat', d: 'Dog', 'd/2': '#/components/schemas/Dog' };
  const schemas = { Cat: named('kind', 'name'), Dog: named('kind') };
  const rows = [
    { name: 'if both match', value: { kind: 'd', name: 'a' }, isGood: true },
    { name: 'by another of its values', value: { kind: 'd/2', name: 'a' }, isGood: true },
    { name: 'if only another one matches', value: { kind: 'c' }, isGood: false },
    { name: 'but not for a value without it', value: { kind: 'x', name: 'a' }, isGood: false },
    { name: 'unless the alternative rejects that value', Cat: 'x', value: { kind: 'c' }, isGood: true },
  ];
  test.each(rows)('$name', ({ Cat, value, isGood }) => {
    const own = Cat === undefined ? schemas : { ...schemas, Cat: { properties: { kind: { const: Cat } } } };
    const whole = {
      components: { schemas: { ...own, Pet: { oneOf: refs, discriminator: { propertyName: 'kind', mapping } } } },
    };
    for (const direction of ['request', 'response'] as const) {
      const document = readDirection(whole, direction);
      const schema = { $ref: '#/components/schemas/Pet' };
      const verdicts = [createJudge(document)(value, schema), createSchemaCompiler(document)(schema)(value)];
      expect(verdicts.map((fault) => fault === undefined)).toEqual([isGood, isGood]);
    }
  });
});
