import { expect, test } from 'vitest';
import { contentFor, coversMediaType, essenceOf, isJson } from './contract.ts';

const covers: readonly [declared: string, sent: string, want: boolean][] = [
  ['application/json', 'Application/JSON; charset=utf-8', true],
  ['text/*', 'text/csv', true],
  ['text/*', 'textile/plain', false],
  ['text/*', 'application/text', false],
  ['*/*', 'image/png', true],
  ['application/json', 'application/problem+json', false],
  ['application/*', 'application/problem+json', true],
  ['application/json', 'json', false],
];
test.each(covers)('%s covers %s: %s', (declared, sent, want) => {
  expect(coversMediaType(declared, sent)).toBe(want);
});

test('a type without a subtype, or with a space, is not a media type (RFC 9110, 8.3.1)', () => {
  expect(['json', 'text/', 'text / csv', '', 'a/b c'].map(essenceOf)).toEqual(Array(5).fill(undefined));
  expect(essenceOf(' Text/CSV ; header=present')).toBe('text/csv');
});

test('JSON is recognized by its type or suffix', () => {
  const types = ['application/json', 'text/json', 'application/hal+json; v=1', 'application/jsonl', 'application/xml'];
  expect(types.map(isJson)).toEqual([true, true, true, false, false]);
});

test('the exact media type goes before a range', () => {
  const contents = ['*/*', 'text/*', 'text/csv'].map((mediaType) => {
    return { mediaType, pointer: '', schema: undefined, examples: [], encoding: {} };
  });
  const found = ['text/csv; header=present', 'text/html', 'a'].map((type) => contentFor(contents, type)?.mediaType);
  expect(found).toEqual(['text/csv', '*/*', undefined]);
});
