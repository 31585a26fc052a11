import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCursors, longestContentBytes } from './cursor.ts';

const key = Buffer.alloc(32, 'not a real key, for tests alone ');
const cursors = createCursors(key, randomBytes);
const content = Buffer.from('content of a cursor');
// A nonce of ones, so that the text has characters in which base64url differs from base64.
const text = createCursors(key, (size) => Buffer.alloc(size, 0xff)).seal('harbour', content);
const bytes = Buffer.from(text, 'base64url');

function flipBit(index: number): string {
  const changed = Buffer.from(bytes);
  changed[index >> 3] = (changed[index >> 3] ?? 0) ^ (1 << (index & 7));
  return changed.toString('base64url');
}

describe('sealed text', () => {
  test('opens to what was sealed, for the account it was sealed for', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: longestContentBytes }), fc.string(), (given, accountId) => {
        const sealed = cursors.seal(accountId, given);
        expect(sealed).toMatch(/^[A-Za-z0-9_-]{1,512}$/);
        expect(cursors.open(accountId, sealed)).toEqual(Buffer.from(given));
        expect(cursors.open(`${accountId}2`, sealed)).toBeUndefined();
      }),
    );
  });

  test('is 512 characters long at most, the bound of the contract', () => {
    expect(cursors.seal('harbour', new Uint8Array(longestContentBytes))).toHaveLength(512);
    expect(() => cursors.seal('harbour', new Uint8Array(longestContentBytes + 1))).toThrow(RangeError);
  });

  test('begins with its version, then the nonce it was given', () => {
    const nonce = Buffer.from('twelve bytes');
    const sealed = createCursors(key, (size) => nonce.subarray(0, size)).seal('harbour', content);
    expect(Buffer.from(sealed, 'base64url').subarray(0, 13)).toEqual(Buffer.concat([Uint8Array.of(1), nonce]));
  });

  test('shows nothing of its content, and differs each time', () => {
    expect(bytes.includes('content')).toBe(false);
    expect(cursors.seal('harbour', content)).not.toBe(cursors.seal('harbour', content));
  });
});

/** Checklist 40: forged, foreign, cut, changed. None of these texts may open. */
const hostile = [
  ...Array.from({ length: bytes.length * 8 }, (_, index) => ({ name: `bit ${index} changed`, given: flipBit(index) })),
  ...Array.from({ length: text.length }, (_, length) => ({ name: `cut to ${length}`, given: text.slice(0, length) })),
  { name: 'cut at its beginning', given: text.slice(1) },
  { name: 'longer by a character', given: `${text}A` },
  { name: 'longer by a byte', given: Buffer.concat([bytes, Uint8Array.of(0)]).toString('base64url') },
  { name: 'twice', given: `${text}${text}` },
  { name: 'padded', given: `${text}=` },
  { name: 'in plain base64', given: bytes.toString('base64') },
  { name: 'in hexadecimal', given: bytes.toString('hex') },
  { name: 'in base64url of base64url', given: Buffer.from(text).toString('base64url') },
  { name: 'upper case', given: text.toUpperCase() },
  { name: 'of another account', given: cursors.seal('meadow', content) },
  { name: 'under another key', given: createCursors(Buffer.alloc(32, 1), randomBytes).seal('harbour', content) },
  { name: 'the example of the contract', given: 'EXAMPLE-CURSOR-PAGE-2' },
  { name: 'random', given: randomBytes(60).toString('base64url') },
  {
    name: 'random, of the right version',
    given: Buffer.concat([Uint8Array.of(1), randomBytes(60)]).toString('base64url'),
  },
];

describe('a cursor opens in one form alone', () => {
  test('as it was given', () => expect(cursors.open('harbour', text)).toEqual(content));

  test.each(hostile)('not $name', ({ given }) => {
    expect(given).not.toBe(text);
    expect(cursors.open('harbour', given)).toBeUndefined();
  });

  test('not with other bits where the last character has some to spare, which Node ignores', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // 31 and 32 bytes leave 4 and 2 unused bits, so 15 and 3 other texts have the same bytes.
    const texts = [2, 3].map((length) => cursors.seal('harbour', new Uint8Array(length)));
    const others = texts.flatMap((one) =>
      [...alphabet]
        .map((last) => one.slice(0, -1) + last)
        .filter((other) => other !== one && Buffer.from(other, 'base64url').equals(Buffer.from(one, 'base64url'))),
    );
    expect(others).toHaveLength(15 + 3);
    for (const other of others) expect(cursors.open('harbour', other)).toBeUndefined();
  });
});
