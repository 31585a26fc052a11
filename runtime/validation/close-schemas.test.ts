import { describe, expect, test } from 'vitest';
import { closeSchemas } from './close-schemas.ts';
import { createSchemaCompiler } from './compile-schema.ts';

const contract = {
  components: {
    schemas: {
      Room: {
        allOf: [
          { type: 'object', properties: { name: { type: 'string' } } },
          { type: 'object', properties: { beds: { type: 'array', items: { $ref: '#/components/schemas/Bed' } } } },
        ],
      },
      Bed: {
        anyOf: [{ $ref: '#/components/schemas/Bunk' }, { type: 'object', properties: { wide: { type: 'boolean' } } }],
      },
      Bunk: {
        type: 'object',
        required: ['steps'],
        properties: { steps: { type: 'integer' }, above: { $ref: '#/components/schemas/Bed' } },
      },
      Key: { allOf: [{ type: 'object', properties: { cut: {} }, additionalProperties: true }] },
      Notes: { type: 'object' },
      House: {
        type: 'object',
        properties: { notes: { $ref: '#/components/schemas/Notes' }, items: { type: 'object', properties: {} } },
      },
      Tower: { type: 'array', prefixItems: [{ $ref: '#/components/schemas/Bunk' }] },
      items: { type: 'object', properties: { first: {} } },
      List: { allOf: [{ $ref: '#/components/schemas/items' }, { type: 'object', properties: { second: {} } }] },
    },
    responses: {
      default: {
        content: { 'application/json': { schema: { type: 'array', items: { type: 'object', properties: {} } } } },
      },
    },
  },
};
const { document, close } = closeSchemas(contract);
const compile = createSchemaCompiler(document);
const judge = (name: string, value: unknown) =>
  compile(close({ $ref: `#/components/${name.includes('/') ? name : `schemas/${name}`}` }))(value)?.at(-1)
    ?.instancePath ?? 'good';

const cases = [
  {
    name: 'members of both parts of a whole',
    schema: 'Room',
    given: { name: 'a', beds: [{ wide: true }] },
    want: 'good',
  },
  { name: 'a member of neither', schema: 'Room', given: { name: 'a', key: 1 }, want: '' },
  { name: 'a member in an item', schema: 'Room', given: { beds: [{ wide: true, key: 1 }] }, want: '/beds/0' },
  { name: 'a form further in', schema: 'Room', given: { beds: [{ steps: 3, above: { wide: true } }] }, want: 'good' },
  {
    name: 'a member further in',
    schema: 'Room',
    given: { beds: [{ steps: 3, above: { key: 1 } }] },
    want: '/beds/0',
  },
  { name: 'a member with an empty permission', schema: 'Key', given: { cut: 1, copy: 2 }, want: '' },
  { name: 'any member where none is described', schema: 'House', given: { notes: { a: 1 } }, want: 'good' },
  { name: 'members named as keywords are', schema: 'House', given: { items: { a: 1 } }, want: '/items' },
  { name: 'a member of a place in a list', schema: 'Tower', given: [{ steps: 3, key: 1 }], want: '/0' },
  { name: 'a whole with a part named as a keyword is', schema: 'List', given: { first: 1, second: 2 }, want: 'good' },
  {
    name: 'a member in a response by default',
    schema: 'responses/default/content/application~1json/schema',
    given: [{ key: 1 }],
    want: '/0',
  },
];

describe('a closed contract', () => {
  for (const { name, schema, given, want } of cases)
    test(`judges ${name}`, () => expect(judge(schema, given)).toBe(want));

  test('leaves the contract itself as it was', () => expect(JSON.stringify(contract)).not.toContain('unevaluated'));
});
