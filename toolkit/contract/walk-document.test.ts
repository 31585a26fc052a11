import { expect, test } from 'vitest';
import { walkDocument } from './walk-document.ts';

const found = { type: 'string' };

test.each([
  { name: 'a schema', given: { properties: { a: found } }, want: true },
  { name: 'a list of schemas', given: { allOf: [found] }, want: true },
  { name: 'a property called default', given: { properties: { default: found } }, want: true },
  { name: 'a response called default', given: { responses: { default: found } }, want: true },
  { name: 'a component called value', given: { components: { parameters: { value: found } } }, want: true },
  { name: 'an extension', given: { 'x-rule': { a: found } }, want: true },
  { name: 'a default', given: { default: found }, want: false },
  {
    name: 'an example of a property called properties',
    given: { properties: { properties: { example: found } } },
    want: false,
  },
  { name: 'what an enum lists', given: { enum: [found] }, want: false },
  { name: 'the value of an example', given: { examples: { a: { value: found } } }, want: false },
])('of a document, $name is visited: $want', ({ given, want }) => {
  expect(walkDocument(given).some(({ node }) => node === found)).toBe(want);
});
