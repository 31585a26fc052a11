import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit from 'p-limit';

// Passwords of owners are kept as scrypt (RFC 7914) in a PHC string, which names its own cost: `$scrypt$ln=17,r=8,p=1$SALT$HASH`. One
// check takes a third of a second and 128 MiB. More than two at once would let a handful of logins take the memory of the server.

/** Passwords that are checked or hashed at once. */
export const passwordsAtOnce = 2;

const [saltBytes, hashBytes] = [16, 32];

/** The sizes that are honoured in a kept hash. What lies beyond was not made here, and would cost gigabytes. */
const most = { ln: 20, r: 32, p: 16 } as const;

interface Cost {
  /** Binary logarithm of N. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

interface Kept extends Cost {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

export type Scrypt = (
  password: string,
  salt: Uint8Array,
  lengthBytes: number,
  options: ScryptOptions,
) => Promise<Buffer>;

export interface Passwords {
  /** @returns a PHC string, each time with a salt of its own */
  hash(password: string): Promise<string>;
  /**
   * @param kept undefined where there is no such person: the same work, and false, so that time does not tell (ASVS 6.3.8)
   * @throws Error when what is kept is no hash of this kind: a database that somebody else wrote into
   */
  matches(password: string, kept: string | undefined): Promise<boolean>;
}

/**
 * @param ln cost of new hashes: N is 2 to this power. OWASP asks for 17 at r = 8
 * @param derive scrypt of Node, which runs in its pool of threads
 */
export function createPasswords({
  ln = 17,
  derive = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt),
}: {
  readonly ln?: number;
  readonly derive?: Scrypt;
} = {}): Passwords {
  const limit = pLimit(passwordsAtOnce);
  const cost = { ln, r: 8, p: 1 };
  const nobody: Kept = { ...cost, salt: randomBytes(saltBytes), hash: randomBytes(hashBytes) };

  const run = (password: string, salt: Uint8Array, lengthBytes: number, { ln, r, p }: Cost) => {
    const N = 2 ** ln;
    // What OpenSSL counts, to the byte: its default of 32 MiB would refuse.
    const maxmem = 128 * r * (N + p + 2);
    // One person types a letter composed, another its parts (SP 800-63B, 3.1.1.2).
    return limit(() => derive(password.normalize('NFKC'), salt, lengthBytes, { N, r, p, maxmem }));
  };

  return {
    hash: async (password) => {
      const salt = randomBytes(saltBytes);
      return format({ ...cost, salt, hash: await run(password, salt, hashBytes, cost) });
    },
    matches: async (password, kept) => {
      const { salt, hash, ...cost } = kept === undefined ? nobody : parse(kept);
      const isEqual = timingSafeEqual(await run(password, salt, hash.length, cost), hash);
      return isEqual && kept !== undefined;
    },
  };
}

/** In characters, and without rules about which (SP 800-63B, 3.1.1.2). */
export const passwordLength = { least: 12, most: 128 } as const;

export function isLongEnough(password: string): boolean {
  const { length } = [...password.normalize('NFKC')];
  return length >= passwordLength.least && length <= passwordLength.most;
}

/** Digits and letters that can't be taken for each other, 32 of them. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * A password that can be read out: four groups of five characters, each of 5 bits.
 *
 * @param bytes 20 that nobody can guess
 */
export function spellPassword(bytes: Uint8Array): string {
  const characters = Array.from(bytes.subarray(0, 20), (byte) => alphabet[byte % alphabet.length]).join('');
  return characters.replace(/.{5}(?=.)/g, '$&-');
}

export function generatePassword(): string {
  return spellPassword(randomBytes(20));
}

function format({ ln, r, p, salt, hash }: Kept): string {
  const [saltText, hashText] = [salt, hash].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$scrypt$ln=${ln},r=${r},p=${p}$${saltText}$${hashText}`;
}

function parse(kept: string): Kept {
  const parts = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]{22,})$/.exec(kept);
  const [ln = 0, r = 0, p = 0] = parts?.slice(1, 4).map(Number) ?? [];
  const isHonoured = ln >= 1 && r >= 1 && p >= 1 && ln <= most.ln && r <= most.r && p <= most.p;
  // Not the text itself: it may be a password that was written here in clear.
  if (parts === null || !isHonoured)
    throw new Error('a kept password is no hash of the form $scrypt$ln=17,r=8,p=1$SALT$HASH');
  const [salt = Buffer.of(), hash = Buffer.of()] = parts.slice(4).map((text) => Buffer.from(text, 'base64'));
  return { ln, r, p, salt, hash };
}
