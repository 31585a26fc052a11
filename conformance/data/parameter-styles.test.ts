import { describe, expect, test } from 'vitest';
import type { Parameter } from '../contract/contract.ts';
import { encodeHeader, encodePath, encodeQuery } from './parameter-styles.ts';

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
  return {
    ...base,
    pointer: '#',
    schema: undefined,
    mediaType: undefined,
    examples: [],
    rule: undefined,
    invalidStatus: undefined,
    ...change,
  };
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
