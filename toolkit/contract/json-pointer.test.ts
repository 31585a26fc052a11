import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extendPointer, formatPointer, parsePointer, valueAt } from './json-pointer.ts';

test('a pointer parses back to its segments', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1 })),
      (segments) => parsePointer(formatPointer(segments)).join('\n') === segments.join('\n'),
    ),
  );
});

test.each([
  { segments: ['paths', '/devices/{id}', 'get'], want: '#/paths/~1devices~1{id}/get' },
  { segments: ['a~b', 'c/d', 0], want: '#/a~0b/c~1d/0' },
  { segments: [], want: '#' },
])('$want is written as RFC 6901 says', ({ segments, want }) => {
  expect(formatPointer(segments)).toBe(want);
});

test('extending escapes only the new segments', () => {
  expect(extendPointer('#/paths/~1a', 'b/c')).toBe('#/paths/~1a/b~1c');
});

test.each([
  { at: ['a', '0', 'b'], want: 1 },
  { at: ['a', '1'], want: undefined },
  { at: ['toString'], want: undefined },
])('the value at $at is $want', ({ at, want }) => {
  expect(valueAt({ a: [{ b: 1 }] }, at)).toBe(want);
});
