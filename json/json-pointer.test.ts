import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  extendPointer,
  followRef,
  formatPointer,
  parsePointer,
  parseReference,
  readPointer,
  valueAt,
} from './json-pointer.ts';

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
])('$want is written by RFC 6901', ({ segments, want }) => {
  expect(formatPointer(segments)).toBe(want);
});

test.each([
  { pointer: '#/paths/~1a', segments: ['b/c', 0], want: '#/paths/~1a/b~1c/0' },
  { pointer: '#', segments: ['a'], want: '#/a' },
  { pointer: '#/', segments: ['a'], want: '#/a' },
  { pointer: '/a', segments: [], want: '#/a' },
])('extending $pointer by $segments escapes only the new segments', ({ pointer, segments, want }) => {
  expect(extendPointer(pointer, ...segments)).toBe(want);
});

test.each([
  { at: ['a', '0', 'b'], want: 1 },
  { at: ['a', '1'], want: undefined },
  { at: ['toString'], want: undefined },
])('the value at $at is $want', ({ at, want }) => {
  expect(valueAt({ a: [{ b: 1 }] }, at)).toBe(want);
});

test.each([
  { given: '#/a~1b/~0c', want: ['a/b', '~c'] },
  { given: '/a', want: ['a'] },
  { given: '#', want: [] },
  { given: '#/', want: [] },
  { given: '', want: [] },
  { given: '#/%7Ba%7D', want: ['%7Ba%7D'] },
])('the pointer "$given" has the segments $want', ({ given, want }) => expect(parsePointer(given)).toEqual(want));

test.each([
  { name: 'what is percent-encoded', given: '#/paths/~1a~1%7Bid%7D', want: ['paths', '/a/{id}'] },
  { name: 'braces as they are', given: '#/paths/~1{id}', want: ['paths', '/{id}'] },
  { name: 'an encoded tilde, which escapes as one does', given: '#/a%7E1b', want: ['a/b'] },
  { name: 'a percent sign that encodes nothing', given: '#/100%', want: ['100%'] },
])('a reference decodes $name', ({ given, want }) => expect(parseReference(given)).toEqual(want));

const document = {
  A: { $ref: '#/B', summary: 'mine' },
  B: { $ref: '#/C' },
  C: { type: 'string', summary: 'theirs' },
  Loop: { $ref: '#/Loop' },
  Nowhere: { $ref: '#/Missing' },
};

test.each([
  { name: 'to the end of a chain', at: 'B', want: { type: 'string', summary: 'theirs' } },
  { name: 'under the members next to them', at: 'A', want: { type: 'string', summary: 'mine' } },
  { name: 'out of a circle, to nothing', at: 'Loop', want: {} },
  { name: 'into nothing', at: 'Nowhere', want: {} },
])('references are followed $name', ({ at, want }) => {
  expect(followRef(document, readPointer(document, `#/${at}`))).toEqual(want);
});
