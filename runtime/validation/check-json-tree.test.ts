import { describe, expect, test } from 'vitest';
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

/** A list that counts reads of its keys and property descriptors. */
function countEntries(items: readonly unknown[]): { readonly list: readonly unknown[]; readonly asked: () => number } {
  let asked = 0;
  const count =
    <Args extends unknown[], Result>(act: (...args: Args) => Result) =>
    (...args: Args): Result => {
      asked += 1;
      return act(...args);
    };
  const list: readonly unknown[] = new Proxy<readonly unknown[]>(items, {
    ownKeys: count(Reflect.ownKeys),
    getOwnPropertyDescriptor: count(Reflect.getOwnPropertyDescriptor),
  });
  return { list, asked: () => asked };
}

describe('checkJsonTree', () => {
  // An entry, a pointer and a task for each of 80,000 items blocked the event loop for 34 to 74 ms; the benchmark measures it.
  test('makes nothing of the items of a list but a look at each', () => {
    const { list, asked } = countEntries(Array(80_000).fill(1));
    expect(checkJsonTree({ list })).toBeUndefined();
    expect(asked()).toBe(0);
  });

  for (const { name, given, want } of cases) {
    test(`judges ${name}`, () => expect(checkJsonTree(given)).toEqual(want));
  }
});
