import { expect, test } from 'vitest';
import { createStore, type StoredItem } from './store.ts';

function item(key: string, text = ''): StoredItem {
  return { key, parents: [], belongs: {}, value: { text }, isExample: false, version: 1, createdAt: 0, changedAt: 0 };
}

test('a full store keeps its items, and has room again after a removal', () => {
  const store = createStore({ items: 2, bytes: 10_000 });
  expect([store.put('/a', item('1')), store.put('/b', item('1')), store.put('/a', item('2'))]).toEqual([
    true,
    true,
    false,
  ]);
  // A change of the same size needs no room.
  expect(store.put('/a', { ...item('1'), version: 2 })).toBe(true);
  store.remove('/b', item('1'));
  expect(store.put('/a', item('2'))).toBe(true);
  expect(store.list('/a').map(({ key, version }) => [key, version])).toEqual([
    ['1', 2],
    ['2', 1],
  ]);
});

test('a long id counts as the bytes of its item', () => {
  expect(createStore({ items: 100, bytes: 1_000 }).put('/a', item('x'.repeat(2_000)))).toBe(false);
});

test('the bytes of all items are bounded', () => {
  const store = createStore({ items: 100, bytes: 1_000 });
  expect(store.put('/a', item('1', 'x'.repeat(2_000)))).toBe(false);
  expect(store.put('/a', item('1'))).toBe(true);
  expect(store.put('/a', item('1', 'x'.repeat(2_000)))).toBe(false);
  expect(store.find('/a', [], '1')).toMatchObject({ value: { text: '' } });
  store.remove('/a', item('1'));
  expect(store.size()).toEqual({ items: 0, bytes: 0 });
});
