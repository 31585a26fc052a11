// Wrong credentials, derived from right ones: a server that only looks at their form accepts some of them.
import { isObject, parseJson } from '../contract/document.ts';
import type { CredentialChange } from './exchange.ts';

interface Given {
  /** Whether the text is an `Authorization` header, with a scheme before the credential. */
  readonly hasScheme: boolean;
  /** A token that no longer holds. */
  readonly expired: string | undefined;
}

/** A name that no account has: wrong passwords for it lock nobody out. */
const nobody = 'conform-nobody';

/** @returns undefined if a credential of this form cannot be changed so */
export function changeCredentials(text: string, change: CredentialChange, given: Given): string | undefined {
  // Some APIs take a key in `Authorization` without a scheme.
  const [, scheme = '', credential = ''] = (given.hasScheme && /^(\S+) +(.*)$/s.exec(text)) || ['', '', text];
  const isBasic = given.hasScheme && /^basic$/i.test(scheme);
  const write = (changed: string): string => (given.hasScheme ? `${scheme} ${changed}`.trim() : changed);
  const jwt = readJwt(credential);
  switch (change) {
    case 'empty':
      return write('');
    case 'nonsense':
      return write(isBasic ? basicOf(nobody, 'wrong') : scramble(credential));
    case 'other scheme':
      if (!given.hasScheme) return undefined;
      return isBasic ? `Bearer ${scramble(credential)}` : `Basic ${basicOf(nobody, 'wrong')}`;
    case 'as Basic':
    case 'as Token': {
      const other = change.slice('as '.length);
      return given.hasScheme && !isBasic && scheme.toLowerCase() !== other.toLowerCase()
        ? `${other} ${credential}`
        : undefined;
    }
    case 'empty secret':
    case 'altered secret': {
      const [, client, secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(credential, 'base64').toString()) ?? [];
      return isBasic && client !== undefined ? write(basicOf(client, changeSecret(secret, change))) : undefined;
    }
    case 'longer':
      return isBasic || credential === '' ? undefined : write(`${credential}conform`);
    case 'other case':
    case 'all in other case': {
      const isMixed = /[a-z]/.test(credential) && /[A-Z]/.test(credential);
      const isFit = isMixed === (change === 'other case') && !isHex.test(credential);
      return isFit && !isBasic && jwt === undefined ? write(swapCase(credential)) : undefined;
    }
    case 'scheme in lower case':
      return given.hasScheme && scheme !== scheme.toLowerCase() ? `${scheme.toLowerCase()} ${credential}` : undefined;
    case 'altered end':
      return isBasic || credential.length < leastLength ? undefined : write(alterEnd(credential));
    case 'altered payload':
      return jwt && write([jwt.head, encode({ ...jwt.payload, sub: nobody }), jwt.signature].join('.'));
    case 'alg none':
      return jwt && write([encode({ ...jwt.header, alg: 'none' }), encode(jwt.payload), ''].join('.'));
    case 'expired':
      return given.expired === undefined ? undefined : write(given.expired);
  }
}

/** The secret of a client without its characters, or with another last one. */
export function changeSecret(secret: string, change: 'empty secret' | 'altered secret'): string {
  const last = secret.at(-1);
  return change === 'empty secret' || last === undefined ? '' : `${secret.slice(0, -1)}${last === 'x' ? 'y' : 'x'}`;
}

/** A shorter credential is guessed rather than checked by parts. */
const leastLength = 8;

/** Numbers and UUIDs have the same value in both cases (RFC 9562, 4), and so do texts without a letter. */
const isHex = /^[^g-z]*$/i;

function swapCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase()));
}

function basicOf(name: string, password: string): string {
  return Buffer.from(`${name}:${password}`).toString('base64');
}

/** Another text of the same form: each letter and digit is replaced by the one five places on. */
export function scramble(text: string): string {
  return text.replaceAll(/[A-Za-z0-9]/g, (one) => {
    const all = /\d/.test(one) ? digits : /[a-z]/.test(one) ? letters : letters.toUpperCase();
    return all[(all.indexOf(one) + 5) % all.length] ?? one;
  });
}

const digits = '0123456789';
const letters = 'abcdefghijklmnopqrstuvwxyz';

/** Changes characters near the end. The last characters of base64 may carry no bits, so they stay. */
function alterEnd(text: string): string {
  const at = Math.max(0, text.length - 6);
  return `${text.slice(0, at)}${scramble(text.slice(at, at + 3))}${text.slice(at + 3)}`;
}

function readJwt(text: string) {
  const [head = '', body = '', signature = '', ...rest] = text.split('.');
  const [header, payload] = [head, body].map((part) => parseJson(Buffer.from(part, 'base64url').toString()));
  if (rest.length > 0 || !isObject(header) || !isObject(payload)) return undefined;
  return { head, header, payload, signature };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
