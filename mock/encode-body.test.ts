import { expect, test } from 'vitest';
import { encodeBody } from './encode-body.ts';

// RFC 9110, 8.3.1: type and subtype are case-insensitive.
test.each([
  { mediaType: 'Application/X-WWW-Form-URLEncoded; charset=utf-8', value: { a: 1, b: 'c d' }, want: 'a=1&b=c+d' },
  { mediaType: 'IMAGE/PNG', value: 'no picture', want: expect.any(Buffer) },
  { mediaType: 'Application/JSON', value: { a: 1 }, want: { a: 1 } },
  { mediaType: 'Text/XML', value: { a: 1 }, want: { a: 1 } },
])('$mediaType is written as it is in lower case', ({ mediaType, value, want }) => {
  expect(encodeBody(mediaType, value)).toEqual(want);
  expect(encodeBody(mediaType.toLowerCase(), value)).toEqual(want);
});
