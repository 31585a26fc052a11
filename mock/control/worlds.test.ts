import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createWorlds } from './worlds.ts';

test('a world that failed late does not remove the next one of its name', () => {
  const worlds = createWorlds({ create: (name) => ({ name }), most: 1, mayCreate: () => true });
  const select = () => {
    const request = { url: '/w/a/books', headers: {} } as unknown as IncomingMessage;
    expect(worlds.select(request)).toBeUndefined();
    return worlds.of(request);
  };
  const first = select();
  expect(worlds.remove('a')).toBe(true);
  const second = select();
  expect(second).not.toBe(first);
  expect(worlds.remove('a', first)).toBe(false);
  expect(select()).toBe(second);
  expect(worlds.remove('a', second)).toBe(true);
  expect(worlds.names()).toEqual([]);
});
