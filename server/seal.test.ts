import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSeal, sealOverheadBytes } from './seal.ts';

const key = new Uint8Array(32).fill(7);
const fixedNonce = (size: number) => new Uint8Array(size).fill(9);
const seal = createSeal(key, 'lockstep/test/v1', fixedNonce);

const context = fc.string({ maxLength: 40 });
const content = fc.uint8Array({ maxLength: 200 });

test('sealed bytes open under their own context, 29 bytes shorter', () => {
  fc.assert(
    fc.property(context, content, (owner, bytes) => {
      const sealed = seal.seal(owner, bytes);
      expect(sealed).toHaveLength(bytes.length + sealOverheadBytes);
      expect(Buffer.from(seal.open(owner, sealed) ?? 'unreadable')).toEqual(Buffer.from(bytes));
    }),
  );
});

test('they do not open under another context, purpose or key', () => {
  const strangers = [
    createSeal(new Uint8Array(32).fill(8), 'lockstep/test/v1', fixedNonce),
    createSeal(key, 'lockstep/test/v2', fixedNonce),
  ];
  fc.assert(
    fc.property(context, context, content, (owner, other, bytes) => {
      const sealed = seal.seal(owner, bytes);
      if (owner !== other) expect(seal.open(other, sealed)).toBeUndefined();
      for (const stranger of strangers) expect(stranger.open(owner, sealed)).toBeUndefined();
    }),
  );
});

test('they do not open when a bit was changed or bytes were cut off', () => {
  fc.assert(
    fc.property(content, fc.nat(), (bytes, place) => {
      const sealed = seal.seal('owner', bytes);
      const changed = Uint8Array.from(sealed);
      const at = place % (sealed.length * 8);
      changed[at >> 3] = (changed[at >> 3] ?? 0) ^ (1 << (at & 7));
      expect(seal.open('owner', changed)).toBeUndefined();
      expect(seal.open('owner', sealed.subarray(0, place % sealed.length))).toBeUndefined();
    }),
  );
});

test('a context keeps its key, also after many others', () => {
  const sealed = seal.seal('owner', Uint8Array.of(1, 2, 3));
  for (let index = 0; index < 1500; index += 1) seal.seal(`other ${index}`, Uint8Array.of(index & 255));
  expect(seal.seal('owner', Uint8Array.of(1, 2, 3))).toEqual(sealed);
  expect(seal.open('other 0', seal.seal('other 0', Uint8Array.of(0)))).toEqual(Buffer.of(0));
});

test('the bytes of this release stay readable', () => {
  const bytes = '010909090909090909090909096b924d1cefdcb000b1ed5f95c14fec24b986222761df26';
  expect(Buffer.from(seal.seal('owner', Buffer.from('content'))).toString('hex')).toBe(bytes);
  expect(seal.open('owner', Buffer.from(bytes, 'hex'))).toEqual(Buffer.from('content'));
});
