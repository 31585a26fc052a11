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
  expect(seldom.all([])).toEqual([{ 2: 2 }]); // whoever holds it may still run it
  cache.close();
});

test('nothing is streamed from it', () => {
  const cache = cacheStatements(new BetterSqlite3(':memory:'));
  expect(() => cache.prepare('select 1').iterate([])).toThrow('does not stream');
  cache.close();
});
