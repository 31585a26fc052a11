import { expect, test } from 'vitest';
import { schemasOf } from '../schema/canonical.ts';
import { decodeText } from './decode-text.ts';

// Headers have the style `simple` (OpenAPI 3.1, 4.8.12.6): each row is one reading of a decoder.
const rows: readonly { name: string; schema: unknown; text: string; explode?: boolean; want: unknown }[] = [
  { name: 'text', schema: { type: 'string' }, text: 'a,b', want: 'a,b' },
  { name: 'digits as text', schema: { type: 'string' }, text: '5', want: '5' },
  { name: 'digits as a number', schema: { type: 'integer' }, text: '5', want: 5 },
  { name: 'an exponent', schema: { type: 'number' }, text: '-1.5e1', want: -15 },
  { name: 'a boolean in any case', schema: { type: 'boolean' }, text: 'True', want: true },
  { name: 'a list', schema: { type: 'array' }, text: 'a, 2', want: ['a', 2] },
  { name: 'a list of text', schema: { type: 'array', items: { type: 'string' } }, text: 'a,2', want: ['a', '2'] },
  { name: 'an empty list', schema: { type: 'array' }, text: '', want: [] },
  { name: 'an object', schema: { type: 'object' }, text: 'R,100, G,x', want: { R: 100, G: 'x' } },
  {
    name: 'an exploded object',
    schema: { type: 'object' },
    text: 'R=100,G=a=b',
    explode: true,
    want: { R: 100, G: 'a=b' },
  },
  { name: 'a truncated object', schema: { type: 'object' }, text: 'R', want: { R: '' } },
  { name: 'null', schema: { type: ['integer', 'null'] }, text: 'null', want: null },
  { name: 'nothing as null', schema: { type: ['integer', 'null'] }, text: '', want: null },
  {
    name: 'a list of text behind a reference',
    schema: { type: 'array', items: { $ref: '#/schema/$defs/text' }, $defs: { text: { type: 'string' } } },
    text: 'a,2',
    want: ['a', '2'],
  },
  { name: 'a later branch', schema: { oneOf: [{ type: 'string' }, { type: 'array' }] }, text: 'a,b', want: ['a', 'b'] },
];

function formOf(schema: unknown) {
  return schemasOf({ root: { schema }, lineOf: () => 1 }).forms.response;
}

test.each(rows)('reads $name', ({ schema, text, explode = false, want }) => {
  expect(decodeText(formOf(schema), '#/schema', text, explode)).toContainEqual(want);
});

test('reads a text as a list, an object or null only if the schema allows it', () => {
  expect(decodeText(formOf({ type: 'string' }), '#/schema', 'null', false)).toEqual(['null']);
  expect(decodeText(formOf({ type: 'string' }), '#/schema', 'a,b', false)).toEqual(['a,b']);
});
