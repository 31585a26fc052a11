// FF1 straight from NIST SP 800-38G, in its own letters and step by step, for tests alone: an oracle should be slow and obvious.
import { createCipheriv } from 'node:crypto';

interface Ff1Parameters {
  /** 16, 24 or 32 bytes: AES-128, -192 or -256. */
  readonly key: Uint8Array;
  readonly radix: number;
  /** T */
  readonly tweak: Uint8Array;
}

/** Algorithm 7. @param X numerals, each below the radix */
export function encryptFf1({ key, radix, tweak }: Ff1Parameters, X: readonly number[]): number[] {
  const { u, v, b, d, P } = prepare(radix, tweak, X.length);
  let A = X.slice(0, u);
  let B = X.slice(u);
  for (let i = 0; i < 10; i += 1) {
    const y = roundNumber({ key, radix, tweak, b, d, P }, i, B);
    const m = i % 2 === 0 ? u : v;
    const c = mod(NUM(radix, A) + y, BigInt(radix) ** BigInt(m));
    A = B;
    B = STR(radix, m, c);
  }
  return [...A, ...B];
}

/** Algorithm 8. */
export function decryptFf1({ key, radix, tweak }: Ff1Parameters, X: readonly number[]): number[] {
  const { u, v, b, d, P } = prepare(radix, tweak, X.length);
  let A = X.slice(0, u);
  let B = X.slice(u);
  for (let i = 9; i >= 0; i -= 1) {
    const y = roundNumber({ key, radix, tweak, b, d, P }, i, A);
    const m = i % 2 === 0 ? u : v;
    const c = mod(NUM(radix, B) - y, BigInt(radix) ** BigInt(m));
    B = A;
    A = STR(radix, m, c);
  }
  return [...A, ...B];
}

/** Steps 1 to 5. */
function prepare(radix: number, tweak: Uint8Array, n: number) {
  const u = Math.floor(n / 2);
  const v = n - u;
  const b = Math.ceil((BigInt(radix) ** BigInt(v) - 1n).toString(2).length / 8);
  const d = 4 * Math.ceil(b / 4) + 4;
  const P = [
    1,
    2,
    1,
    ...bytes(BigInt(radix), 3),
    10,
    u % 256,
    ...bytes(BigInt(n), 4),
    ...bytes(BigInt(tweak.length), 4),
  ];
  return { u, v, b, d, P };
}

/** Steps 6.i to 6.iv. */
function roundNumber(
  { key, radix, tweak, b, d, P }: Ff1Parameters & { b: number; d: number; P: readonly number[] },
  i: number,
  half: readonly number[],
): bigint {
  const padding = new Array<number>(Number(mod(BigInt(-tweak.length - b - 1), 16n))).fill(0);
  const Q = [...tweak, ...padding, i, ...bytes(NUM(radix, half), b)];
  const R = PRF(key, [...P, ...Q]);
  const S = [...R];
  for (let j = 1; S.length < d; j += 1) S.push(...CIPH(key, xor(R, bytes(BigInt(j), 16))));
  return S.slice(0, d).reduce((number, byte) => number * 256n + BigInt(byte), 0n);
}

/** Algorithm 6: CBC-MAC. */
function PRF(key: Uint8Array, X: readonly number[]): number[] {
  let Y = new Array<number>(16).fill(0);
  for (let at = 0; at < X.length; at += 16) Y = CIPH(key, xor(Y, X.slice(at, at + 16)));
  return Y;
}

function CIPH(key: Uint8Array, block: readonly number[]): number[] {
  const cipher = createCipheriv(`aes-${key.length * 8}-ecb`, key, null).setAutoPadding(false);
  return [...cipher.update(Uint8Array.from(block))];
}

function NUM(radix: number, X: readonly number[]): bigint {
  return X.reduce((number, numeral) => number * BigInt(radix) + BigInt(numeral), 0n);
}

function STR(radix: number, m: number, x: bigint): number[] {
  const X: number[] = [];
  for (let rest = x; X.length < m; rest /= BigInt(radix)) X.unshift(Number(rest % BigInt(radix)));
  return X;
}

function bytes(x: bigint, length: number): number[] {
  return STR(256, length, x);
}

function xor(one: readonly number[], other: readonly number[]): number[] {
  return one.map((byte, index) => byte ^ (other[index] ?? 0));
}

function mod(x: bigint, m: bigint): bigint {
  return ((x % m) + m) % m;
}
