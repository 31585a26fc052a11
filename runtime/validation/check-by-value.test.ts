import { describe, expect, test } from 'vitest';
import type { ValueRule } from './by-value.ts';
import { checkByValue } from './check-by-value.ts';
import { createSchemaCompiler } from './compile-schema.ts';

const document = {
  schemas: {
    Nothing: { type: 'object', additionalProperties: false },
    Paint: { type: 'object', required: ['colour'], properties: { colour: { enum: ['red', 'blue'] } } },
  },
};
const rules: readonly ValueRule[] = [
  {
    place: { in: 'body', pointer: '/task' },
    cases: [
      { values: ['OPEN', '1'], scopes: ['x'], schemas: { '/data': '#/schemas/Nothing' } },
      { values: ['PAINT'], scopes: [], schemas: { '/data': '#/schemas/Paint' } },
      { values: ['WAIT'], scopes: [], schemas: {} },
    ],
  },
  {
    place: { in: 'query', name: 'task' },
    cases: [{ values: ['OPEN'], scopes: [], schemas: { '/data': '#/schemas/Paint' } }],
  },
];

const cases = [
  { name: 'a member that fits', given: { task: 'PAINT', data: { colour: 'red' } }, want: undefined },
  { name: 'a member that fits, as text', given: { task: 'PAINT', data: '{"colour":"red"}' }, want: undefined },
  { name: 'a member that is left out as an empty object', given: { task: 'OPEN' }, want: undefined },
  {
    name: 'empty text as an empty object',
    given: { task: 'PAINT', data: '' },
    want: ['/data/colour', 'data/colour is required'],
  },
  {
    name: 'a number as the text it is compared with',
    given: { task: 1, data: { a: 1 } },
    want: ['/data/a', 'data/a is not known, nothing is taken here'],
  },
  {
    name: 'text that is no JSON',
    given: { task: 'OPEN', data: '{' },
    want: ['/data', 'data does not hold valid JSON'],
  },
  {
    name: 'text that is nested too deep',
    given: { task: 'OPEN', data: '['.repeat(33) + ']'.repeat(33) },
    want: ['/data', 'data: the body is nested deeper than 32 levels'],
  },
  { name: 'another type', given: { task: 'OPEN', data: [] }, want: ['/data', 'data must be an object, not a list'] },
  { name: 'a value without a schema', given: { task: 'WAIT', data: 1 }, want: undefined },
  { name: 'a value that no case has', given: { task: '__proto__', data: 1 }, want: undefined },
  { name: 'no object', given: null, want: undefined },
];

describe('checkByValue', () => {
  for (const { name, given, want } of cases) {
    test(`judges ${name}`, () => {
      const found = checkByValue(createSchemaCompiler(document), rules, given);
      expect(found && [found.at, found.says]).toEqual(want);
    });
  }
});
