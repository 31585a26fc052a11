import { expect, test } from 'vitest';
import { unlessModified } from './not-modified.ts';

const answer = { status: 200, headers: { ETag: '"a,b"' }, body: 'x' };
const tag = { ETag: '"a,b"' };

test.each([
  { name: 'the same tag', method: 'GET', condition: '"a,b"', want: { status: 304, headers: tag, isUndeclared: true } },
  {
    name: 'a weak tag in a list',
    method: 'HEAD',
    condition: '"c", W/"a,b"',
    want: { status: 304, headers: tag, isUndeclared: true },
  },
  { name: 'any tag', method: 'GET', condition: '*', want: { status: 304, headers: tag, isUndeclared: true } },
  {
    name: 'a tag of an answer with other headers',
    method: 'GET',
    condition: '"b"',
    given: { status: 200, headers: { etag: '"b"', vary: 'Accept', 'cache-control': 'no-cache', 'x-total': '3' } },
    want: { status: 304, headers: { etag: '"b"', vary: 'Accept', 'cache-control': 'no-cache' }, isUndeclared: true },
  },
  { name: 'another tag', method: 'GET', condition: '"a"', want: answer },
  { name: 'no condition', method: 'GET', condition: undefined, want: answer },
  { name: 'a write', method: 'PUT', condition: '"a,b"', want: answer },
])('If-None-Match with $name', ({ method, condition, given = answer, want }) => {
  expect(unlessModified(method, condition, given)).toEqual(want);
});
