import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { isObject } from '@lockstep/json/json-pointer';
import type { JWK } from 'jose';
import type { Keys } from './keys.ts';

/** Version of the key file's format. A file of another version is refused. */
export const keyFileVersion = 1;

/** RFC 7518, 3.3: RS256 needs 2048 bits or more. */
const minModulusBits = 2048;
const secretBytes = 32;
/** 32 random bytes in base64url. */
const cookieKeyFormat = /^[A-Za-z0-9_-]{43,}$/;

/** The keys, or every fault with its member. */
export type ParsedKeys =
  | { readonly kind: 'keys'; readonly keys: Keys }
  | { readonly kind: 'faults'; readonly faults: readonly string[] };

/**
 * Parses and validates the text of a key file. No fault quotes a value, since every value is a secret. The JSON parser's own message, which
 * quotes the text, is dropped too.
 */
export function parseKeys(text: string): ParsedKeys {
  const file = parseObject(text);
  if (file === undefined) return { kind: 'faults', faults: ['is not a JSON object'] };
  if (file.version !== keyFileVersion) return { kind: 'faults', faults: [`"version" must be ${keyFileVersion}`] };

  const faults: string[] = [];
  const jwks = readJwks(file.jwks, faults);
  const cookieKeys = readCookieKeys(file.cookieKeys, faults);
  const [cursorKey, deviceKey, demoKey] = (['cursorKey', 'deviceKey', 'demoKey'] as const).map((name) =>
    readSecret(name, file[name], faults),
  );
  return faults.length === 0 && cursorKey && deviceKey && demoKey
    ? { kind: 'keys', keys: Object.freeze({ jwks, cookieKeys, cursorKey, deviceKey, demoKey }) }
    : { kind: 'faults', faults };
}

function readJwks(value: unknown, faults: string[]): Keys['jwks'] {
  const keys = isObject(value) && Array.isArray(value.keys) ? value.keys : [];
  if (keys.length === 0) faults.push('"jwks.keys" must be a list of at least one private RSA key');
  keys.forEach((key, index) => {
    const fault = findKeyFault(key);
    if (fault !== undefined) faults.push(`"jwks.keys[${index}]" ${fault}`);
  });
  const kids = keys.filter(isObject).map(({ kid }) => kid);
  if (new Set(kids).size < kids.length) faults.push('"jwks.keys" has two keys of the same "kid"');
  return { keys };
}

/** Signs and verifies once, since the import accepts a private part that belongs to another public part. */
function findKeyFault(key: unknown): string | undefined {
  if (!isObject(key) || key.kty !== 'RSA') return 'must be an RSA key ("kty": "RSA")';
  if (key.alg !== 'RS256' || key.use !== 'sig') return 'must have "alg": "RS256" and "use": "sig"';
  if (typeof key.kid !== 'string' || key.kid === '') return 'must have a "kid"';
  try {
    const privateKey = createPrivateKey({ key: key as JWK, format: 'jwk' });
    const bits = privateKey.asymmetricKeyDetails?.modulusLength ?? 0;
    if (bits < minModulusBits) return `must have ${minModulusBits} bits or more, it has ${bits}`;
    const publicKey = createPublicKey({ key: { kty: 'RSA', n: String(key.n), e: String(key.e) }, format: 'jwk' });
    const probe = Buffer.from('probe');
    const isPair = verify('sha256', probe, publicKey, sign('sha256', probe, privateKey));
    return isPair ? undefined : 'has a private part that does not fit its public part';
  } catch {
    return 'must be a whole private key (n, e, d, p, q, dp, dq, qi)';
  }
}

function readCookieKeys(value: unknown, faults: string[]): readonly string[] {
  const isGood = Array.isArray(value) && value.length > 0 && value.every((key) => cookieKeyFormat.test(String(key)));
  if (!isGood) faults.push('"cookieKeys" must be a list of texts of at least 43 base64url characters');
  return isGood ? value : [];
}

function readSecret(name: string, value: unknown, faults: string[]): Uint8Array | undefined {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'base64url') : undefined;
  const isWhole = bytes?.length === secretBytes && bytes.toString('base64url') === value;
  if (isWhole) return new Uint8Array(bytes);
  faults.push(`"${name}" must be ${secretBytes} bytes in base64url`);
  return undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
