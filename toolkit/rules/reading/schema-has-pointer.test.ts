import { expect, test } from 'vitest';
import type { Resolve } from './dereference.ts';
import { schemaHasPointer } from './schema-has-pointer.ts';

const resolve: Resolve = () => {
  throw new Error('no reference stands in these');
};
const described = { properties: { a: { type: 'string' } } };

test.each([
  { name: 'described by it', schema: described, pointer: '/a', want: true },
  { name: 'described under allOf', schema: { allOf: [described] }, pointer: '/a', want: true },
  { name: 'described under else', schema: { if: false, else: described }, pointer: '/a', want: true },
  {
    name: 'described where another is there',
    schema: { dependentSchemas: { b: described } },
    pointer: '/a',
    want: true,
  },
  { name: 'described of an item', schema: { prefixItems: [{}], items: described }, pointer: '/1/a', want: true },
  { name: 'not forbidden', schema: { type: 'object' }, pointer: '/a', want: false },
  { name: 'described elsewhere', schema: { properties: { b: described } }, pointer: '/a', want: false },
])('a schema has a member that is $name: $want', ({ schema, pointer, want }) => {
  expect(schemaHasPointer(schema, pointer, resolve)).toBe(want);
});
