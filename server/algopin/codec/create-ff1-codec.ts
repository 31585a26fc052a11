import { FF1 } from '@noble/ciphers/ff1.js';
import type { Codec } from './codec.ts';

/** First version of the scheme. It is the tweak, so that a later version gives unrelated digits under the same key. */
const version = 1;
const keyBytes = 32;

/**
 * A bijection between the numbers from 0 on and the texts of `digits` digits that don't begin with 0: FF1 (NIST SP 800-38G) under
 * AES-256, radix 10, with cycle walking until the first digit is not 0.
 *
 * Cycle walking maps the set of these texts onto itself, one to one, but only if it starts inside the set. Hence the offset: number 0 is
 * encrypted as 100...0. Nine of ten texts are in the set, so an encoding needs 1.11 encryptions on average.
 *
 * @param digits 6 and more, at most 15 (whole numbers of JavaScript); NIST asks for a million texts at least
 * @param key 32 bytes
 * @throws RangeError for a key of another length: a bug of the caller
 */
export function createFf1Codec({ digits, key }: { readonly digits: number; readonly key: Uint8Array }): Codec {
  if (key.length !== keyBytes) throw new RangeError(`the key must be ${keyBytes} bytes, not ${key.length}`);
  const cipher = FF1(10, key, Uint8Array.of(version));
  const offset = 10 ** (digits - 1);
  const size = 9 * offset;
  const format = new RegExp(`^[1-9][0-9]{${digits - 1}}$`);
  return {
    size,
    encode(number) {
      if (!Number.isInteger(number) || number < 0 || number >= size)
        throw new RangeError(`the number must be 0 to ${size - 1}, not ${number}`);
      return walk(String(number + offset), cipher.encrypt);
    },
    decode(text) {
      return format.test(text) ? Number(walk(text, cipher.decrypt)) - offset : undefined;
    },
  };
}

function walk(text: string, step: (digits: number[]) => number[]): string {
  let digits = [...text].map(Number);
  do digits = step(digits);
  while (digits[0] === 0);
  return digits.join('');
}
