import { describe, expect, it } from 'vitest';
import { checkJsonTree, deepestJson } from './check-json-tree.ts';

const nest = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

const cases = [
  { name: 'a flat value', given: { a: [1, 'x', null, '🐢'] }, want: undefined },
  { name: 'the deepest that is allowed', given: nest(deepestJson), want: undefined },
  {
    name: 'one level more',
    given: nest(deepestJson + 1),
    want: { at: '', says: 'the body is nested deeper than 32 levels' },
  },
  {
    name: 'thirty thousand levels',
    given: nest(30_000),
    want: { at: '', says: 'the body is nested deeper than 32 levels' },
  },
  {
    name: 'half a surrogate pair in text',
    given: JSON.parse('{"a":["\\ud800"]}'),
    want: { at: '/a/0', says: 'text holds half of a surrogate pair' },
  },
  {
    name: 'half a surrogate pair in a name',
    given: JSON.parse('{"b":{"\\udc00":1}}'),
    want: { at: '/b', says: 'a member name holds half of a surrogate pair' },
  },
  {
    name: 'the first of several faults, by a pointer with escapes',
    given: JSON.parse('{"a~/b":[[0,"x"],[{"c":"\\ud800"}]],"d":"\\ud800"}'),
    want: { at: '/a~0~1b/1/0/c', says: 'text holds half of a surrogate pair' },
  },
  { name: 'text alone', given: '\udc00', want: { at: '', says: 'text holds half of a surrogate pair' } },
];

describe('checkJsonTree', () => {
  for (const { name, given, want } of cases) {
    it(`judges ${name}`, () => expect(checkJsonTree(given)).toEqual(want));
  }
});
