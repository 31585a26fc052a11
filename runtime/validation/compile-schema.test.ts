import { describe, expect, test } from 'vitest';
import { createSchemaCompiler } from './compile-schema.ts';
import { describeFault } from './describe-fault.ts';

const validate = createSchemaCompiler({})({ multipleOf: 0.01 });

describe('a multiple of a fraction', () => {
  test.each([19.99, 0.07, 1.1, 0, -4.35, 100_000.01])(
    '%d is one of 0.01, whatever binary fractions make of it',
    (value) => {
      expect(validate(value)).toBeUndefined();
    },
  );

  test.each([19.995, 0.001, 1e-8])('%d is none of 0.01', (value) => {
    expect(validate(value)).toMatchObject([{ keyword: 'multipleOf' }]);
  });
});

describe('a list of different items', () => {
  const check = createSchemaCompiler({ Item: { type: 'object' } })({ uniqueItems: true, items: { $ref: '#/Item' } });

  test('is read a few times, and not once for each other item', () => {
    let reads = 0;
    const items = Array.from({ length: 500 }, (_, index) => ({
      get name() {
        reads += 1;
        return index;
      },
    }));
    expect(check(items)).toBeUndefined();
    expect(reads / items.length).toBeLessThanOrEqual(3);
  });

  test('has none twice, in whatever order its members are', () => {
    const twins = [{ a: 1, b: [2] }, {}, { b: [2], a: 1 }];
    expect(check(twins)).toMatchObject([{ keyword: 'uniqueItems', instancePath: '', params: { i: 2, j: 0 } }]);
    const nested = createSchemaCompiler({})({ properties: { list: { uniqueItems: true } } })({ list: ['1', 1, 1] });
    expect(nested).toMatchObject([{ instancePath: '/list', params: { i: 2, j: 1 }, schema: true, data: ['1', 1, 1] }]);
    expect(createSchemaCompiler({})({ uniqueItems: false })([1, 1])).toBeUndefined();
  });
});

test('a schema is compiled once for all who serve its contract', () => {
  const document = { Name: { type: 'string' } };
  const [one, other] = [createSchemaCompiler(document), createSchemaCompiler(document)];
  expect(one({ $ref: '#/Name' })).toBe(other({ $ref: '#/Name' }));
  expect(createSchemaCompiler({ ...document })({ $ref: '#/Name' })).not.toBe(one({ $ref: '#/Name' }));
});

test.each([
  ['$id', { $id: 'one', size: 1 }, { $id: 'one', size: 2 }],
  ['$anchor', { $anchor: '1 !', size: 1 }, { $anchor: '1 !', size: 2 }],
])('an example with %s names nothing', (_, one, other) => {
  const Name = { type: 'string', example: one };
  const Pet = {
    properties: { name: { $ref: '#/components/schemas/Name' }, example: { type: 'integer' } },
    examples: [other],
  };
  const document = { components: { schemas: { Name, Pet }, examples: { pet: { value: one } } }, example: other };
  const check = createSchemaCompiler(document)({ ...Pet, $comment: 'inline', example: one });
  expect(check({ name: 1 })).toMatchObject([{ instancePath: '/name' }]);
  expect(check({ example: '1' })).toMatchObject([{ instancePath: '/example' }]);
  expect(check({ name: 'a', example: 1 })).toBeUndefined();
});

test('a reference may lead to a schema in an extension or an example', () => {
  const count = { type: 'integer' };
  const document = { 'x-parts': { default: count }, components: { examples: { count: { value: count } } } };
  const compile = createSchemaCompiler(document);
  for (const $ref of ['#/x-parts/default', '#/components/examples/count/value'])
    expect(compile({ $ref })('a')).toMatchObject([{ keyword: 'type' }]);
});

describe('a choice with a discriminator', () => {
  const mapping = { cat: '#/Cat', dog: '#/Dog', eel: '#/Eel', bird: 'Bird' };
  const pets = {
    Pet: { oneOf: [{ $ref: '#/Cat' }, { $ref: '#/Dog' }], discriminator: { propertyName: 'kind', mapping } },
    Home: { properties: { pets: { type: 'array', items: { $ref: '#/Pet' } } } },
    Cat: { allOf: [{ $ref: '#/Named' }, { properties: { kind: { const: 'cat' }, lives: { maximum: 9 } } }] },
    Dog: { required: ['kind', 'breed'], properties: { kind: { const: 'dog' } } },
    Named: { required: ['name'] },
  };
  const judge = createSchemaCompiler(pets)({ $ref: '#/Home' });

  test.each([
    { name: 'a member that it lacks', pet: { kind: 'dog' }, wants: { missingProperty: 'breed' }, at: '/pets/0' },
    { name: 'a composed member', pet: { kind: 'cat' }, wants: { missingProperty: 'name' }, at: '/pets/0' },
    { name: 'a value', pet: { kind: 'cat', name: 'a', lives: 10 }, wants: { limit: 9 }, at: '/pets/0/lives' },
  ])('is judged by the form that is meant: $name', ({ pet, wants, at }) => {
    expect(judge({ pets: [pet] })).toMatchObject([{ params: wants, instancePath: at }]);
  });

  test.each(['eel', 'bird', 'fish', 7])('is judged by all of them where the contract has no form for %s', (kind) => {
    expect(judge({ pets: [{ kind }] })?.at(-1)).toMatchObject({ keyword: 'oneOf', instancePath: '/pets/0' });
  });
});

describe('a schema that refers to itself in several ways', () => {
  const n = { n: { $ref: '#/N' } };
  /** Rejects every value of these tests, but only after its members were checked. */
  const late = { allOf: [{ properties: n }, { required: ['a'] }] };
  const nest = (levels: number): unknown => (levels === 0 ? {} : { n: nest(levels - 1) });
  const byKeyword = {
    allOf: { N: { allOf: [{ properties: n }, { properties: n }] } },
    anyOf: { N: { type: 'object', anyOf: [{ properties: n }, { properties: n }] } },
    oneOf: { N: { oneOf: [{ properties: n }, late] } },
    not: { N: { properties: n, not: late } },
    'two schemas by turns': {
      N: { allOf: [{ $ref: '#/M' }, { $ref: '#/M' }] },
      M: { type: 'object', properties: n },
    },
    unevaluatedProperties: { N: { anyOf: [{ properties: n }, { properties: n }], unevaluatedProperties: false } },
    discriminator: {
      N: {
        oneOf: [{ $ref: '#/A' }, { $ref: '#/B' }],
        discriminator: { propertyName: 'kind', mapping: { a: '#/A' } },
      },
      A: late,
      B: { properties: n },
    },
  };

  test.each(Object.entries(byKeyword))('is not followed for as long as it could be: %s', (_, document) => {
    const judge = createSchemaCompiler(document)({ $ref: '#/N' });
    const errors = judge(nest(30)) ?? [];
    expect(describeFault(errors, 'body')).toMatchObject({
      at: '',
      says: 'body is nested too deeply for its schema, which refers to itself in several ways: use fewer levels',
    });
    expect(judge(nest(1))).toBeUndefined();
  });

  test('judges a list of any length, as each item takes a reference', () => {
    const check = createSchemaCompiler({ Item: { properties: { a: { type: 'integer' } } } })({
      items: { $ref: '#/Item' },
    });
    const items = Array.from({ length: 400_000 }, (_, a) => ({ a }));
    expect(check(items)).toBeUndefined();
    expect(check([...items, { a: 'a' }])).toMatchObject([{ keyword: 'type', instancePath: '/400000/a' }]);
  });
});
