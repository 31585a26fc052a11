import { describe, expect, test } from 'vitest';
import type { Parameter } from '../contract/contract.ts';
import { schemasOf } from '../schema/canonical.ts';
import { decodeText, encodeHeader, encodePath, encodeQuery } from './parameter-styles.ts';

const colour = { R: 100, G: 200 };
const list = ['blue', 'bl&ck'];

function parameter(change: Partial<Parameter>): Parameter {
  const base = {
    name: 'color',
    in: 'query',
    required: true,
    style: 'form',
    explode: true,
    allowReserved: false,
  } as const;
  return { ...base, pointer: '#', schema: undefined, mediaType: undefined, examples: [], rule: undefined, ...change };
}

// Source: OpenAPI 3.1, 4.8.12.6, "Style Examples".
describe('query', () => {
  const rows: readonly [string, Partial<Parameter>, unknown, string][] = [
    ['form, explode', {}, list, 'color=blue&color=bl%26ck'],
    ['form', { explode: false }, list, 'color=blue,bl%26ck'],
    ['form, object, explode', {}, colour, 'R=100&G=200'],
    ['form, object', { explode: false }, colour, 'color=R,100,G,200'],
    ['spaceDelimited', { style: 'spaceDelimited', explode: false }, list, 'color=blue%20bl%26ck'],
    ['pipeDelimited', { style: 'pipeDelimited', explode: false }, list, 'color=blue%7Cbl%26ck'],
    ['deepObject', { style: 'deepObject' }, colour, 'color%5BR%5D=100&color%5BG%5D=200'],
    ['form, without a member', {}, { ...colour, B: undefined }, 'R=100&G=200'],
    ['deepObject, without a member', { style: 'deepObject' }, { R: undefined, G: 200 }, 'color%5BG%5D=200'],
    ['a plus sign', {}, '+01:00', 'color=%2B01%3A00'],
    ['a large integer', {}, 1e21, 'color=1000000000000000000000'],
    ['JSON', { mediaType: 'application/json' }, { a: [1] }, 'color=%7B%22a%22%3A%5B1%5D%7D'],
  ];
  test.each(rows)('%s', (_, change, value, want) => {
    expect(
      encodeQuery(parameter(change), value)
        .map(([name, text]) => `${name}=${text}`)
        .join('&'),
    ).toBe(want);
  });
});

describe('path', () => {
  const rows: readonly [string, Partial<Parameter>, unknown, string][] = [
    ['simple', { style: 'simple', explode: false }, list, 'blue,bl%26ck'],
    ['simple, object, explode', { style: 'simple' }, colour, 'R=100,G=200'],
    ['label, explode', { style: 'label' }, list, '.blue.bl%26ck'],
    ['matrix', { style: 'matrix', explode: false }, list, ';color=blue,bl%26ck'],
    ['matrix, explode', { style: 'matrix' }, list, ';color=blue;color=bl%26ck'],
    ['matrix, object, explode', { style: 'matrix' }, colour, ';R=100;G=200'],
    ['a slash', { style: 'simple' }, 'a/b', 'a%2Fb'],
    ['two dots stay one segment', { style: 'simple' }, '..', '%2E%2E'],
  ];
  test.each(rows)('%s', (_, change, value, want) => {
    expect(encodePath(parameter({ in: 'path', ...change }), value)).toBe(want);
  });
});

test('a header is not percent-encoded', () => {
  expect(encodeHeader(parameter({ in: 'header', style: 'simple', explode: false }), list)).toBe('blue,bl&ck');
});

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
