import { expect, test } from 'vitest';
import { prefersOther } from './accepted-type.ts';

test.each([
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['application/xml', true],
  ['Application/XML; charset=utf-8', true],
  ['application/xml, text/html;q=0.9', true],
  ['application/xml, application/json;q=0.1', false],
  ['application/xml, application/json;q=0, */*; q=0.000', true],
  ['application/xml;q=0', false],
  ['application/xml;q=0.01', true],
  ['text/xml', false],
])('whether a client with Accept: %s prefers XML to JSON: %s', (accept, want) => {
  expect(prefersOther(accept, ['application/xml'])).toBe(want);
});
