import { expect, test } from 'vitest';
import { contractOf } from '../seeded/by-hand.ts';
import { type ListShape, listShapeOf } from './list-shape.ts';
import { deviationOf, totalDeviation, type Walk, withoutRestart } from './walk.ts';

// If these fail, a fault of paging gets the wrong name, or a correct list is reported.

const integer = { type: 'integer' };

function shapeBy(step: 'cursor' | 'offset' | 'none'): ListShape {
  const names = { cursor: { cursor: { type: 'string' } }, offset: { offset: integer }, none: {} }[step];
  const parameters = Object.entries({ limit: integer, ...names }).map(([name, schema]) => ({
    name,
    in: 'query',
    schema,
  }));
  const items = { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } };
  const next = step === 'cursor' ? { next: { type: 'string' } } : {};
  const schema = { type: 'object', properties: { items, ...next } };
  const get = { parameters, responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } } };
  const contract = contractOf({ '/things': { get } });
  const [operation] = contract.operations;
  const shape = operation && listShapeOf(contract, operation);
  if (shape === undefined) throw new Error('no list');
  return shape;
}

/** Pages of ids, one letter each: `ab,c`. The last one states its end, unless a comma is last. */
function walkOf(text: string, size: number, total?: number): Walk {
  const texts = text.replace(/,$/, '').split(',');
  const pages = texts.map((ids, index) => {
    const isLast = index === texts.length - 1 && !text.endsWith(',');
    return { items: [...ids].map((id) => ({ id })), next: isLast ? undefined : `c${index}`, isLast, total };
  });
  return { pages, size };
}

test.each([
  { name: 'equal pages', whole: 'abc', walk: 'a,b,c', size: 1, law: undefined },
  { name: 'short and empty pages in the middle', whole: 'abcd', walk: 'a,,bc,d', size: 2, law: undefined },
  { name: 'a beginning of the list', whole: 'abcd', walk: 'a,b,', size: 1, law: undefined },
  { name: 'a new item', whole: 'abc', walk: 'x,a,b,c', size: 1, law: undefined },
  { name: 'a page that is too long', whole: 'abc', walk: 'ab,c', size: 1, law: 'page-size' },
  { name: 'an item twice', whole: 'abcd', walk: 'ab,bc,d', size: 2, law: 'page-duplicate' },
  { name: 'the list again after its end', whole: 'abc', walk: 'a,b,c,a', size: 1, law: 'page-ends' },
  { name: 'an item missing in the middle', whole: 'abcd', walk: 'a,c,d', size: 1, law: 'page-gap' },
  { name: 'an item missing at the end', whole: 'abc', walk: 'a,b', size: 1, law: 'page-gap' },
  { name: 'another order', whole: 'abc', walk: 'b,a,c', size: 1, law: 'limit-neutral' },
])('$name: $law', ({ whole, walk, size, law }) => {
  expect(deviationOf(shapeBy('cursor'), walkOf(whole, 100), walkOf(walk, size))?.law).toBe(law);
});

test('a list without pages has to begin alike in every length', () => {
  const shape = shapeBy('none');
  expect(deviationOf(shape, walkOf('abc', 100), walkOf('c', 1))?.law).toBe('limit-neutral');
  expect(deviationOf(shape, walkOf('abc', 100), walkOf('a', 2))?.law).toBe('page-gap');
  expect(deviationOf(shape, walkOf('abc', 100), walkOf('ab', 2))).toBeUndefined();
});

test('the pages that repeat a list are no part of it', () => {
  const { list, restart } = withoutRestart(shapeBy('cursor'), walkOf('abc,abc,', 100));
  expect({ restart, pages: list.pages.length }).toEqual({ restart: 1, pages: 1 });
});

test.each([
  { name: 'the number of items', walk: 'ab,c', total: 3, isWrong: false },
  { name: 'the number of the page', walk: 'ab,c', total: 2, isWrong: true },
  { name: 'hidden items, on a short page', walk: 'a,bc', total: 4, isWrong: false },
  { name: 'more items than the pages have', walk: 'ab,c', total: 4, isWrong: true },
  { name: 'more items than the pages so far', walk: 'ab,', total: 4, isWrong: false },
])('a total of $name', ({ walk, total, isWrong }) => {
  expect(totalDeviation(shapeBy('cursor'), walkOf(walk, 2, total)) !== undefined).toBe(isWrong);
});
