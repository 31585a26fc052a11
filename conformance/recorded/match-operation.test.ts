import { expect, test } from 'vitest';
import { readContractFile } from '../contract/read-contract.ts';
import { apis } from '../seeded/apis.ts';
import { beneath, createMatcher } from './match-operation.ts';

const contract = await readContractFile(apis.library.file);
const match = createMatcher(contract.operations, { baseUrl: 'http://host.example/v2', authUrl: undefined });

const recorded = (method: string, url: string) => ({
  ...{ number: 1, method, url, headers: [], body: undefined, answer: 'none', startedAt: 0 },
});

test.each([
  ['GET', 'http://host.example/v2/books', 'listBooks', {}],
  ['GET', 'HTTP://HOST.example:80/v2/books?x=1', 'listBooks', {}],
  ['GET', 'http://host.example/v2/books/b%201', 'readBook', { bookId: 'b 1' }],
  ['HEAD', 'http://host.example/v2/books', 'listBooks', {}],
])('%s %s is %s', (method, url, operation, segments) => {
  const found = match(recorded(method, url));
  expect([found?.operation.id, found?.segments]).toEqual([operation, segments]);
});

test.each([
  ['PATCH', 'http://host.example/v2/books'],
  ['GET', 'http://host.example/v2/books/b1/pages'],
  ['GET', 'http://host.example/v20/books'],
  ['GET', 'http://other.example/v2/books'],
  ['GET', 'https://host.example/v2/books'],
])('%s %s is no operation', (method, url) => {
  expect(match(recorded(method, url))).toBeUndefined();
});

test('a literal segment goes before a parameter, whatever the order of the contract', () => {
  const [first] = contract.operations;
  if (first === undefined) throw new Error('the contract has no operations');
  const operations = ['/{id}', '/new', '/{id}/x'].map((path) => ({ ...first, id: path, path }));
  const find = createMatcher(operations, { baseUrl: 'http://host.example', authUrl: undefined });
  expect(find(recorded('GET', 'http://host.example/new'))?.operation.id).toBe('/new');
  expect(find(recorded('GET', 'http://host.example/7'))?.operation.id).toBe('/{id}');
  expect(find(recorded('GET', 'http://host.example/new/x'))?.operation.id).toBe('/{id}/x');
});

test('the part beneath a base begins with a slash or a query', () => {
  expect(beneath('http://host.example/v2?x', 'http://host.example/v2')).toBe('?x');
  expect(beneath('http://host.example/v2', 'http://host.example/v2')).toBe('');
  expect(beneath('http://host.example/v2x', 'http://host.example/v2')).toBeUndefined();
});
