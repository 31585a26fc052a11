import { describe, expect, test } from 'vitest';
import { parseBody } from './parse-body.ts';

const schema = { type: 'object', properties: { a: { type: 'string' } } };

describe('a form that cannot be decoded', () => {
  test.each([
    ['a=%ZZ', '/a', 'a has a broken escape: % must be followed by two hexadecimal digits'],
    ['a=%ED%A0%80', '/a', 'a has escapes that are not UTF-8: encode the text as UTF-8, then escape it'],
    ['%FF=a', '/%FF', '%FF has escapes that are not UTF-8: encode the text as UTF-8, then escape it'],
  ])('%s says at %s why', (text, at, says) => {
    const body = { bytes: Buffer.from(text), mediaType: 'application/x-www-form-urlencoded' };
    expect(parseBody({}, body, schema)).toEqual({ kind: 'fault', at, says });
  });
});
