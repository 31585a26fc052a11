import { describe, expect, test } from 'vitest';
import type { MediaContent } from '../contract/contract.ts';
import { canEncode, encodeBody } from './encode-body.ts';

function content(mediaType: string, encoding: MediaContent['encoding'] = {}): MediaContent {
  return { mediaType, pointer: '#', schema: undefined, examples: [], encoding };
}

const form = 'application/x-www-form-urlencoded';
const list = { color: ['light blue', 'bl&ck,'], size: 1 };

describe('a body is written as its media type and encoding say', () => {
  // Source: OpenAPI 3.1, 4.8.15 Encoding Object: style form, explode true unless it says otherwise.
  const rows: readonly [string, MediaContent, unknown, string][] = [
    ['JSON', content('application/json'), { a: [1] }, '{"a":[1]}'],
    ['JSON of a kind', content('application/merge-patch+json'), { a: null }, '{"a":null}'],
    ['any type, as JSON', content('*/*'), { a: 1 }, '{"a":1}'],
    ['a form, exploded', content(form), list, 'color=light+blue&color=bl%26ck%2C&size=1'],
    ['a form, not exploded', content(form, { color: { explode: false } }), list, 'color=light+blue,bl%26ck%2C&size=1'],
    [
      'a form, exploded in so many words',
      content(form, { color: { explode: true } }),
      list,
      'color=light+blue&color=bl%26ck%2C&size=1',
    ],
    ['a form with an object', content(form), { a: { b: 1 } }, 'a=%7B%22b%22%3A1%7D'],
    ['text', content('text/plain'), 'a b', 'a b'],
    ['bytes', content('application/octet-stream'), 'a b', 'a b'],
    [
      'multipart',
      content('multipart/form-data', { photo: { contentType: 'image/png, image/jpeg' } }),
      { name: 'x', photo: 'png', more: { a: 1 } },
      [
        '--lockstep-7d1f0c5e',
        'Content-Disposition: form-data; name="name"',
        '',
        'x',
        '--lockstep-7d1f0c5e',
        'Content-Disposition: form-data; name="photo"; filename="photo"',
        'Content-Type: image/png',
        '',
        'png',
        '--lockstep-7d1f0c5e',
        'Content-Disposition: form-data; name="more"',
        'Content-Type: application/json',
        '',
        '{"a":1}',
        '--lockstep-7d1f0c5e--',
        '',
      ].join('\r\n'),
    ],
  ];
  test.each(rows)('%s', (_, given, value, want) => {
    expect(encodeBody(given, value)?.bytes.toString()).toBe(want);
  });
});

test('the boundary of a multipart body stands in its type', () => {
  expect(encodeBody(content('multipart/form-data'), {})?.contentType).toBe(
    'multipart/form-data; boundary=lockstep-7d1f0c5e',
  );
});

test('what cannot be written is said to be so', () => {
  expect([canEncode(content('application/xml')), encodeBody(content('application/xml'), {})]).toEqual([
    false,
    undefined,
  ]);
});
