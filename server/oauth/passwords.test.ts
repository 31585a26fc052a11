import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createPasswords,
  generatePassword,
  isLongEnough,
  passwordLength,
  type Scrypt,
  spellPassword,
} from './passwords.ts';

const cheap = createPasswords({ ln: 1 });

/** RFC 7914, 12: the vectors that need less than a gigabyte, as stored hashes. */
const vectors = [
  {
    password: 'password',
    salt: 'NaCl',
    cost: 'ln=10,r=8,p=16',
    hash: `fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162
      2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640`,
  },
  {
    password: 'pleaseletmein',
    salt: 'SodiumChloride',
    cost: 'ln=14,r=8,p=1',
    hash: `7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2
      d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887`,
  },
];

describe('a password', () => {
  test('and its hash match, another does not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), async (password, other) => {
        const kept = await cheap.hash(password);
        expect(await cheap.matches(password, kept)).toBe(true);
        // The bytes decide: a lone surrogate becomes U+FFFD, and HMAC pads a key with zeros (RFC 2104, 2).
        const isSame = bytesOf(other) === bytesOf(password);
        expect(await cheap.matches(other, kept)).toBe(isSame);
      }),
    );
  });

  test.each(vectors)('matches the vector of RFC 7914 with $cost', async ({ password, salt, cost, hash }) => {
    const kept = `$scrypt$${cost}$${base64(Buffer.from(salt))}$${base64(Buffer.from(hash.replace(/\s/g, ''), 'hex'))}`;
    expect(await cheap.matches(password, kept)).toBe(true);
    expect(await cheap.matches(`${password} `, kept)).toBe(false);
  });

  test('is stored with its own salt at the given cost', async () => {
    const kept = await Promise.all([cheap.hash('same'), cheap.hash('same')]);
    for (const one of kept) expect(one).toMatch(/^\$scrypt\$ln=1,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(kept[0]).not.toBe(kept[1]);
  });

  test('costs 128 MiB and r = 8 by default', async () => {
    const { derive, calls } = recorder();
    const hash = createPasswords({ derive }).hash('x');
    await setImmediate();
    calls[0]?.end();
    expect(await hash).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$/);
    expect(calls.map(({ options }) => options)).toMatchObject([{ N: 2 ** 17, r: 8, p: 1 }]);
  });

  test('is the same composed or in parts, full width or not', async () => {
    expect(await cheap.matches('Zoë 1', await cheap.hash('Zoë １'.normalize('NFD')))).toBe(true);
  });

  test('is checked at the cost of its hash, independent of the cost of new ones', async () => {
    const { derive, calls } = recorder();
    const kept = await cheap.hash('x');
    void createPasswords({ ln: 17, derive }).matches('x', kept);
    await setImmediate();
    expect(calls.map(({ options }) => options)).toMatchObject([{ N: 2, r: 8, p: 1 }]);
  });
});

describe('an unknown owner', () => {
  test('matches nothing', async () => {
    for (const password of ['', 'undefined', 'x']) expect(await cheap.matches(password, undefined)).toBe(false);
  });

  test('costs the same work as a known one', async () => {
    const { derive, calls } = recorder();
    const passwords = createPasswords({ ln: 3, derive });
    const kept = await createPasswords({ ln: 3 }).hash('x');
    void passwords.matches('x', kept);
    void passwords.matches('x', undefined);
    await setImmediate();
    const [known, unknown] = calls.map(({ salt, length, options }) => ({ salt: salt.length, length, options }));
    expect(known).toEqual(unknown);
    expect(known).toMatchObject({ salt: 16, length: 32, options: { N: 8 } });
  });
});

test('two are derived at a time, and the others wait their turn', async () => {
  const { derive, calls } = recorder();
  const passwords = createPasswords({ ln: 1, derive });
  const kept = await cheap.hash('x');
  const all = Promise.allSettled([
    passwords.hash('1'),
    passwords.matches('2', kept),
    passwords.matches('3', undefined),
    passwords.hash('4'),
    passwords.matches('5', kept),
  ]);
  const asked = 5;
  for (let ended = 0; ended < asked; ended += 1) {
    await setImmediate();
    expect(calls.length - ended).toBe(Math.min(2, asked - ended));
    // A failure makes room too.
    if (ended === 1) calls[ended]?.fail(new Error('no memory'));
    else calls[ended]?.end();
  }
  const results = await all;
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', ...Array(3).fill('fulfilled')]);
});

const [salt, hash] = ['c2FsdHNhbHRzYWx0c2FsdA', 'aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g'];
test.each([
  '',
  'correct horse battery staple',
  `$scrypt$ln=17,r=8,p=1$${salt}`,
  `$scrypt$ln=17,r=8,p=1$${salt}$`,
  `$scrypt$ln=17,r=8,p=1$$${hash}`,
  `$scrypt$ln=17,r=8,p=1$${salt}$${hash}$`,
  `$scrypt$ln=17,r=8,p=1$${salt}$${hash}=`,
  `$scrypt$ln=17,r=8,p=1$${salt}$aGFzaA`,
  `$scrypt$ln=17,r=8$${salt}$${hash}`,
  `$scrypt$ln=0,r=8,p=1$${salt}$${hash}`,
  `$scrypt$ln=21,r=8,p=1$${salt}$${hash}`,
  `$scrypt$ln=17,r=0,p=1$${salt}$${hash}`,
  `$scrypt$ln=17,r=33,p=1$${salt}$${hash}`,
  `$scrypt$ln=17,r=8,p=0$${salt}$${hash}`,
  `$scrypt$ln=17,r=8,p=17$${salt}$${hash}`,
  `$scrypt$ln=1e1,r=8,p=1$${salt}$${hash}`,
  `$argon2id$v=19$m=65536,t=3,p=4$${salt}$${hash}`,
  `$scrypt$ln=17,r=8,p=1$${salt}$${hash}\n`,
])('a stored text that is not a hash is a fault of the database, and is not quoted: %j', async (kept) => {
  const { derive, calls } = recorder();
  const checked = createPasswords({ derive }).matches('correct horse battery staple', kept);
  await expect(checked).rejects.toThrow(/not a hash of the format/);
  await expect(checked).rejects.not.toThrow(/horse|c2Fsd/);
  expect(calls).toEqual([]);
});

test.each([
  { password: 'x'.repeat(passwordLength.least - 1), want: false },
  { password: 'x'.repeat(passwordLength.least), want: true },
  { password: 'x'.repeat(passwordLength.most), want: true },
  { password: 'x'.repeat(passwordLength.most + 1), want: false },
  { password: '🐢'.repeat(passwordLength.least - 1), want: false },
  { password: 'e\u0301'.repeat(passwordLength.most), want: true },
])('a new password has 12 to 128 characters: $password is fine: $want', ({ password, want }) => {
  expect(isLongEnough(password)).toBe(want);
});

describe('a generated password', () => {
  test('is 100 bits in four groups, and never repeats', () => {
    const made = Array.from({ length: 100 }, generatePassword);
    for (const one of made) {
      expect(one).toMatch(/^(?:[0-9a-hjkmnp-tv-z]{5}-){3}[0-9a-hjkmnp-tv-z]{5}$/);
      expect(isLongEnough(one)).toBe(true);
    }
    expect(new Set(made).size).toBe(made.length);
  });

  test('encodes five bits of each byte, so that all characters are equally likely', () => {
    expect(spellPassword(Uint8Array.from({ length: 20 }, (_, index) => index))).toBe('01234-56789-abcde-fghjk');
    const spelt = Array.from({ length: 256 }, (_, byte) => spellPassword(Uint8Array.of(byte)));
    expect(new Set(spelt).size).toBe(32);
    for (const character of spelt.slice(0, 32)) expect(spelt.filter((one) => one === character)).toHaveLength(8);
  });
});

interface Call {
  readonly salt: Uint8Array;
  readonly length: number;
  readonly options: Parameters<Scrypt>[3];
  readonly end: () => void;
  readonly fail: (error: Error) => void;
}

/** Replaces scrypt: no call finishes before the test releases it. */
function recorder(): { readonly derive: Scrypt; readonly calls: readonly Call[] } {
  const calls: Call[] = [];
  const derive: Scrypt = (_password, salt, length, options) => {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    calls.push({ salt, length, options, end: () => resolve(Buffer.alloc(length)), fail: reject });
    return promise;
  };
  return { derive, calls };
}

function bytesOf(password: string): string {
  return Buffer.from(password.normalize('NFKC'))
    .toString('hex')
    .replace(/(?:00)+$/, '');
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
