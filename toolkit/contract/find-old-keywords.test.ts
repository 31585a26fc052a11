import { expect, test } from 'vitest';
import { findOldKeywords } from './find-old-keywords.ts';

const at = '#/components/schemas/A';

test.each([
  {
    name: 'nullable next to a type',
    schema: { type: 'string', nullable: true },
    want: [{ pointer: `${at}/nullable`, fix: "Write type: [string, 'null'], and null in the enum if there is one." }],
  },
  {
    name: 'nullable alone, at any depth',
    schema: { properties: { nullable: { items: { nullable: true } } } },
    want: [{ pointer: `${at}/properties/nullable/items/nullable`, fix: expect.stringContaining('anyOf') }],
  },
  { name: 'nullable: false', schema: { nullable: false }, want: [{ pointer: `${at}/nullable`, fix: 'Delete it.' }] },
  {
    name: 'bounds that are booleans',
    schema: { minimum: 3, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
    want: [
      { pointer: `${at}/exclusiveMinimum`, fix: 'Write exclusiveMinimum: 3, and delete minimum.' },
      { pointer: `${at}/exclusiveMaximum`, fix: 'Delete it.' },
    ],
  },
  {
    name: 'nothing in data, extensions, names and 3.1',
    schema: {
      type: ['string', 'null'],
      exclusiveMinimum: 1,
      default: { nullable: true },
      'x-a': { nullable: true },
      properties: { exclusiveMinimum: true, nullable: true },
    },
    want: [],
  },
])('$name', ({ schema, want }) => {
  expect(findOldKeywords({ openapi: '3.1.1', components: { schemas: { A: schema } } })).toMatchObject(want);
});

test('schemas of parameters and bodies are looked through', () => {
  const schema = { type: 'string', nullable: true };
  const operation = {
    parameters: [{ name: 'nullable', in: 'query', schema }],
    requestBody: { content: { 'text/plain': { schema } } },
  };
  expect(findOldKeywords({ paths: { '/a': { post: operation } } }).map(({ pointer }) => pointer)).toEqual([
    '#/paths/~1a/post/parameters/0/schema/nullable',
    '#/paths/~1a/post/requestBody/content/text~1plain/schema/nullable',
  ]);
});
