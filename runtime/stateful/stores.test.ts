import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createStore, type Store, type StoredItem, usualLimits } from '@lockstep/state/store';
import { describe, expect, test } from 'vitest';
import { openSqliteStore } from './sqlite-store.ts';

// If these fail, a project behaves differently after its store has moved to a file.

const stores: readonly { readonly name: string; readonly open: () => Store }[] = [
  { name: 'memory', open: () => createStore(usualLimits) },
  { name: 'SQLite', open: () => openSqliteStore(':memory:') },
];

function item(key: string, text = '', parents: readonly string[] = []): StoredItem {
  return { key, parents, belongs: {}, value: { text }, isExample: false, version: 1, createdAt: 0, changedAt: 0 };
}

describe.each(stores)('a store in $name', ({ open }) => {
  test('lists items in the order in which they were created, and a changed one at its place', () => {
    const store = open();
    for (const key of ['b', 'a', 'c']) expect(store.put('/a', item(key))).toBe(true);
    store.put('/a', { ...item('b', 'new'), version: 2 });
    store.put('/other', item('d'));
    store.remove('/a', item('a'));
    expect(store.list('/a')).toEqual([{ ...item('b', 'new'), version: 2 }, item('c')]);
    expect(store.list('/none')).toEqual([]);
    expect(store.size().items).toBe(3);
  });

  test('finds items of different owners that have the same id', () => {
    const store = open();
    store.put('/a/{}/b', item('1', 'x', ['p']));
    store.put('/a/{}/b', item('1', 'y', ['q']));
    expect(store.find('/a/{}/b', ['p'], '1')).toEqual(item('1', 'x', ['p']));
    expect(store.find('/a/{}/b', ['r'], '1')).toBeUndefined();
    store.remove('/a/{}/b', item('1', '', ['p']));
    expect(store.list('/a/{}/b')).toEqual([item('1', 'y', ['q'])]);
  });

  test('finds an item by a member after each change', () => {
    const store = open();
    const keysBy = (text: string): readonly string[] => store.findBy('/a', 'text', text).map(({ key }) => key);
    store.put('/a', item('1', 'x'));
    expect(keysBy('x')).toEqual(['1']);
    store.put('/a', item('2', 'x'));
    store.put('/a', item('1', 'y'));
    expect(keysBy('x')).toEqual(['2']);
    store.remove('/a', item('2'));
    expect([keysBy('x'), keysBy('y')]).toEqual([[], ['1']]);
  });

  test('finds an item by a member with any name', () => {
    const store = open();
    const member = "it's a `name`.x";
    store.put('/a', { ...item('1'), value: { [member]: "it's" } });
    store.put('/a', { ...item('2'), value: { [member]: 5 } });
    store.put('/b', { ...item('3'), value: { [member]: "it's" } });
    expect(store.findBy('/a', member, "it's").map(({ key }) => key)).toEqual(['1']);
    expect(store.findBy('/a', member, '5')).toEqual([]);
  });

  test('finds items by more members than have an index', () => {
    const store = open();
    const names = Array.from({ length: 100 }, (_, index) => `m${index}`);
    store.put('/a', { ...item('1'), value: Object.fromEntries(names.map((name) => [name, name])) });
    expect(names.flatMap((name) => store.findBy('/a', name, name)).length).toBe(100);
    store.put('/a', { ...item('1'), value: { m1: 'new', m99: 'new' } });
    expect(['m1', 'm50', 'm99'].map((name) => store.findBy('/a', name, 'new').length)).toEqual([1, 0, 1]);
  });

  test('keeps a text as it is, whatever its characters', () => {
    const store = open();
    const text = 'a\u0000"\'\\ \u{1f512} %_;--';
    store.put('/a', item(text, text));
    expect(store.find('/a', [], text)).toEqual(item(text, text));
  });

  test('keeps names by their kind, and counts by resource', () => {
    const store = open();
    store.names('seeded').add('/a');
    store.names('seeded').add('/a');
    expect([store.names('seeded').has('/a'), store.names('gone').has('/a')]).toEqual([true, false]);
    expect([store.names('seeded').delete('/a'), store.names('seeded').delete('/a')]).toEqual([true, false]);
    expect([store.count('/a'), store.count('/a'), store.count('/b')]).toEqual([1, 2, 1]);
  });

  test('keeps the last reply of a name until its time is over', () => {
    const { replies } = open();
    replies.keep('a', { text: 'first', until: 10 }, 0);
    replies.keep('a', { text: 'second', until: 20 }, 5);
    expect(replies.find('a', 19)).toBe('second');
    replies.keep('b', { text: 'third', until: 40 }, 20);
    expect(['a', 'b', 'c'].map((name) => replies.find(name, 20))).toEqual([undefined, 'third', undefined]);
  });

  test('returns the result of a change', () => {
    const store = open();
    expect(store.change(() => store.put('/a', item('1')))).toBe(true);
    expect(store.list('/a')).toEqual([item('1')]);
  });
});

describe('a listing of a store in SQLite', () => {
  const store = openSqliteStore(':memory:');
  for (const key of ['b', 'a', '#', 'c']) store.put('/a', item(key));
  const owners = ['p', 'p"', 'p","q', ''];
  for (const key of ['1', '2', '3']) for (const owner of owners) store.put('/a/{}/b', item(key, '', [owner]));

  test.each<readonly [string, readonly string[]]>([
    ['/a', []],
    ['/none', []],
    ...owners.map((owner) => ['/a/{}/b', [owner]] as const),
  ])('of %s below %j has the items of the list in their order', (resource, parents) => {
    const all = store.list(resource).filter((one) => one.parents[0] === parents[0]);
    const listing = store.listing?.(resource, parents);
    expect(listing?.length).toBe(all.length);
    for (const [start, end] of [
      [0, 2],
      [1, 9],
      [0.5, 1.5],
      [9, 1e300],
      [1e300, Number.POSITIVE_INFINITY],
    ] as const)
      expect(listing?.slice(start, end)).toEqual(all.slice(start, end));
    for (const key of ['a', '3', 'unknown'])
      expect(listing?.indexOf(key)).toBe(all.findIndex((one) => one.key === key));
  });
});

test('a store in SQLite keeps nothing of a change that throws', () => {
  const store = openSqliteStore(':memory:');
  const change = (): never => {
    store.put('/a', item('1'));
    store.names('gone').add('x');
    throw new Error('half');
  };
  expect(() => store.change(change)).toThrow('half');
  expect([store.list('/a'), store.names('gone').has('x')]).toEqual([[], false]);
  expect(store.change(() => store.put('/a', item('2')))).toBe(true);
});

test('a database of another program is named, and stays as it is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-test-'));
  try {
    const file = join(folder, 'shop.sqlite');
    const other = new DatabaseSync(file);
    other.exec('CREATE TABLE items (id INTEGER PRIMARY KEY, price INTEGER)');
    other.close();
    expect(() => openSqliteStore(file)).toThrow(`${file}, the store, can't be opened: no such column`);
    const again = new DatabaseSync(file);
    expect(again.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'items' }]);
    again.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a file that can’t be opened is named', () => {
  expect(() => openSqliteStore(import.meta.dirname)).toThrow(`${import.meta.dirname}, the store, can't be opened: `);
  expect(() => openSqliteStore(import.meta.filename)).toThrow(
    /stores\.test\.ts, the store, can't be opened: .*not a database/,
  );
});
