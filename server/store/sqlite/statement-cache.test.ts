import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from 'vitest';
import { cacheStatements } from './statement-cache.ts';

test('a statement is prepared once, and those unused for longest go first', () => {
  const cache = cacheStatements(new BetterSqlite3(':memory:'));
  const [often, seldom] = [cache.prepare('select 1'), cache.prepare('select 2')];
  for (let index = 0; index < 500; index += 1) {
    cache.prepare(`select ${index} as other`);
    expect(cache.prepare('select 1')).toBe(often);
  }
  expect(cache.prepare('select 2')).not.toBe(seldom);
  expect(seldom.all([])).toEqual([{ 2: 2 }]); // its holder may still run it
  cache.close();
});

test('a statement has flags for returning and for changing rows', () => {
  const cache = cacheStatements(new BetterSqlite3(':memory:'));
  cache.prepare('create table house (name)').run([]);
  const read = (sql: string) => {
    const { givesRows, changesNothing } = cache.prepare(sql);
    return [givesRows, changesNothing];
  };
  expect(read('select name from house')).toEqual([true, true]);
  expect(read("insert into house values ('a')")).toEqual([false, false]);
  expect(read("insert into house values ('a') returning name")).toEqual([true, false]);
  cache.close();
});
