import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit from 'p-limit';

// Passwords of owners are stored as scrypt (RFC 7914) in a PHC string, which contains its own cost: `$scrypt$ln=17,r=8,p=1$SALT$HASH`. One
// check takes a third of a second and 128 MiB. With more than two at once, a handful of logins could use up the memory of the server.

/** Passwords that are checked or hashed at once. */
export const passwordsAtOnce = 2;

const [saltBytes, hashBytes] = [16, 32];

/** The largest accepted cost of a stored hash. A higher cost is not from this server, and would take gigabytes. */
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
  /** @returns a PHC string with a new salt */
  hash(password: string): Promise<string>;
  /**
   * @param kept undefined for an unknown owner: the same work, and false, so that the time reveals nothing (ASVS 6.3.8)
   * @throws Error when `kept` is not a hash of this kind: another program has written to the database
   */
  matches(password: string, kept: string | undefined): Promise<boolean>;
}

/**
 * @param ln cost of new hashes: N is 2 to this power. OWASP recommends 17 at r = 8
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
    // Exactly the memory that OpenSSL counts; its default limit of 32 MiB is too low.
    const maxmem = 128 * r * (N + p + 2);
    // Keyboards send a letter composed or decomposed (SP 800-63B, 3.1.1.2).
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

/** In characters; there are no rules about which (SP 800-63B, 3.1.1.2). */
export const passwordLength = { least: 12, most: 128 } as const;

export function isLongEnough(password: string): boolean {
  const { length } = [...password.normalize('NFKC')];
  return length >= passwordLength.least && length <= passwordLength.most;
}

/** 32 digits and letters that can't be confused. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * A password that can be read aloud: four groups of five characters of 5 bits each.
 *
 * @param bytes 20 random or secret bytes
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
  const isAccepted = ln >= 1 && r >= 1 && p >= 1 && ln <= most.ln && r <= most.r && p <= most.p;
  // The message does not quote the text, which may be a password in clear.
  if (parts === null || !isAccepted)
    throw new Error('a stored password is not a hash of the format $scrypt$ln=17,r=8,p=1$SALT$HASH');
  const [salt = Buffer.of(), hash = Buffer.of()] = parts.slice(4).map((text) => Buffer.from(text, 'base64'));
  return { ln, r, p, salt, hash };
}
