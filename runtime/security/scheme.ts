import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '@lockstep/json/json-pointer';
import type { Pair } from '../validation/parse-url-encoded.ts';
import { cookiePairs } from '../validation/read-parameters.ts';

/** The verdict about credentials. */
export type Verdict<Principal> =
  | {
      readonly kind: 'good';
      /** The party that the request acts for. */
      readonly principal: Principal;
      /** Undefined if scopes are unknown: none are required then. */
      readonly scopes?: ReadonlySet<string>;
    }
  | { readonly kind: 'bad'; readonly reason: BadReason };

export type BadReason = 'invalid' | 'expired' | 'revoked';

/**
 * Verifies the credentials for one scheme.
 *
 * @param soFar if an alternative has several schemes: the principal of the earlier ones, to build one principal for all
 */
export type Verify<Sent, Principal> = (
  sent: Sent,
  soFar: Principal | undefined,
) => Verdict<Principal> | Promise<Verdict<Principal>>;

/** Messages about credentials; each scheme has defaults. */
export type SchemeWords = Readonly<Partial<Record<'missing' | BadReason, string>>>;

/** The check of one security scheme: created by `bearer`, `basic`, `apiKey`, `credentials` or `unshown`. */
export interface Scheme<Principal> {
  /** The credentials that it reads from a request. A start fails if the contract's scheme has another type. */
  readonly takes: 'bearer' | 'basic' | 'apiKey' | 'credentials' | 'nothing';
  judge(sent: string, soFar: Principal | undefined): Verdict<Principal> | Promise<Verdict<Principal>>;
  readonly words: SchemeWords;
}

/** A user name with its password (RFC 7617). */
export interface UserPassword {
  readonly username: string;
  readonly password: string;
}

/** A longer `Authorization` header is not read: 8 KiB exceed any token that fits with other headers. */
export const maxHeaderBytes = 8192;

/** Access tokens: schemes of type `oauth2`, `openIdConnect`, and `http` with `bearer` (RFC 6750). @param verify gets the token only */
export function bearer<Principal>(verify: Verify<string, Principal>, words: SchemeWords = {}): Scheme<Principal> {
  return { takes: 'bearer', judge: verify, words };
}

/** User and password in the `Authorization` header: `http` with `basic` (RFC 7617). The password may be empty, the user not. */
export function basic<Principal>(verify: Verify<UserPassword, Principal>, words: SchemeWords = {}): Scheme<Principal> {
  return {
    takes: 'basic',
    words,
    judge: (encoded, soFar) => {
      const [, username = '', password = ''] = userPattern.exec(decodeUser(encoded)) ?? [];
      return verify({ username, password }, soFar);
    },
  };
}

/** A key in a header, query parameter or cookie: `apiKey`. It is never empty. */
export function apiKey<Principal>(verify: Verify<string, Principal>, words: SchemeWords = {}): Scheme<Principal> {
  return { takes: 'apiKey', judge: verify, words };
}

/** The text after the name of any other scheme in the `Authorization` header, such as `http` with `digest`. It is never empty. */
export function credentials<Principal>(verify: Verify<string, Principal>, words: SchemeWords = {}): Scheme<Principal> {
  return { takes: 'credentials', judge: verify, words };
}

/**
 * A check for a scheme that no request shows, such as `mutualTLS`: it accepts nothing. An operation that only this scheme protects rejects
 * every request, until the contract adds another.
 */
export function unshown(): Scheme<never> {
  return { takes: 'nothing', judge: () => ({ kind: 'bad', reason: 'invalid' }), words: {} };
}

/** The credentials of a request for a scheme, still as text. */
export type Sent =
  | { readonly kind: 'sent'; readonly value: string }
  | { readonly kind: 'missing'; readonly says: string }
  | { readonly kind: 'invalid'; readonly says: string };

/** A scheme of the contract, read once at the start. */
export interface DeclaredScheme {
  readonly takes: Exclude<Scheme<unknown>['takes'], 'nothing'>;
  /** Name of its challenge (RFC 9110, 11.6.1): `Bearer`, `Basic`, `ApiKey`, or as in the contract. */
  readonly challenge: string;
  readonly find: (request: IncomingMessage, query: readonly Pair[]) => Sent;
  /** The query parameter for it, if any. */
  readonly queryName: string | undefined;
}

const bearerPattern = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const basicPattern = /^basic +([A-Za-z0-9+/]+=*)$/i;

/** A user that is not empty, and the text after the first colon (RFC 7617, 2). */
const userPattern = /^([^:]+):(.*)$/s;

function decodeUser(encoded: string): string {
  return Buffer.from(encoded, 'base64').toString('utf8');
}

const declaredHttp: Readonly<Record<string, DeclaredScheme>> = {
  bearer: {
    takes: 'bearer',
    challenge: 'Bearer',
    find: (request) => findAuthorization(request, 'bearer', bearerPattern, 'Bearer <access token>'),
    queryName: undefined,
  },
  basic: {
    takes: 'basic',
    challenge: 'Basic',
    find: (request) => findUser(request),
    queryName: undefined,
  },
};

/** @returns undefined for a scheme that a request can't show: `mutualTLS`, and types that OpenAPI does not have */
export function readScheme(scheme: JsonObject): DeclaredScheme | undefined {
  const { type } = scheme;
  if (type === 'oauth2' || type === 'openIdConnect') return declaredHttp.bearer;
  const name = String(type === 'http' ? scheme.scheme : scheme.in).toLowerCase();
  if (type === 'http')
    return Object.hasOwn(declaredHttp, name) ? declaredHttp[name] : readOther(String(scheme.scheme ?? ''));
  return type === 'apiKey' && Object.hasOwn(keyFinders, name) ? readApiKey(name, String(scheme.name)) : undefined;
}

/**
 * Takes credentials out of the `Authorization` header (RFC 6750, 2.1; the scheme in any case, RFC 9110, 11.1). Those of another scheme
 * were not sent for this one (RFC 6750, 3.1). Node keeps the first of two such headers: which of them a proxy in front has judged is
 * unknown, so that two are refused.
 */
function findAuthorization(
  { headersDistinct: { authorization = [] } }: IncomingMessage,
  scheme: string,
  pattern: RegExp,
  wanted: string,
): Sent {
  const [value = ''] = authorization;
  if (authorization.length > 1)
    return { kind: 'invalid', says: `The header Authorization is sent ${authorization.length} times: send it once` };
  if (value === '') return { kind: 'missing', says: `The header Authorization is missing: send ${wanted}` };
  const malformed: Sent = { kind: 'invalid', says: `The header Authorization is malformed: send ${wanted}` };
  if (value.length > maxHeaderBytes) return malformed;
  const [sentScheme = ''] = value.split(' ', 1);
  if (sentScheme.toLowerCase() !== scheme)
    return { kind: 'missing', says: `The header Authorization is of another scheme: send ${wanted}` };
  const credentials = pattern.exec(value)?.[1];
  return credentials === undefined ? malformed : { kind: 'sent', value: credentials };
}

/** A scheme whose credentials are never found. Its challenge is its type, as no scheme of HTTP asks for it (RFC 9110, 11.6.1). */
export function declareUnshown(name: string, { type }: JsonObject): DeclaredScheme {
  const says = `No request shows the security scheme ${name}, so nobody is let in by it`;
  return {
    takes: 'credentials',
    challenge: typeof type === 'string' && tokenPattern.test(type) ? type : 'Unknown',
    find: () => ({ kind: 'missing', says }),
    queryName: undefined,
  };
}

/** RFC 9110, 5.6.2: what a scheme may be called. */
const tokenPattern = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

function readOther(name: string): DeclaredScheme | undefined {
  if (!tokenPattern.test(name)) return undefined;
  const pattern = new RegExp(`^${RegExp.escape(name)} +(\\S.*)$`, 'i');
  return {
    takes: 'credentials',
    challenge: name,
    find: (request) => findAuthorization(request, name.toLowerCase(), pattern, `${name} <credentials>`),
    queryName: undefined,
  };
}

function findUser(request: IncomingMessage): Sent {
  const wanted = 'Basic <base64 of client_id:client_secret>';
  const sent = findAuthorization(request, 'basic', basicPattern, wanted);
  if (sent.kind !== 'sent' || userPattern.test(decodeUser(sent.value))) return sent;
  return { kind: 'invalid', says: `The header Authorization is malformed: send ${wanted}` };
}

/** The locations of a key (OpenAPI 3.1, 4.8.27); each finds all values under its name. */
const keyFinders: Readonly<
  Record<string, (name: string, request: IncomingMessage, query: readonly Pair[]) => readonly string[]>
> = {
  header: (name, { headersDistinct }) => headersDistinct[name.toLowerCase()] ?? [],
  query: (name, _, query) => query.filter((pair) => pair.name === name).map(({ value }) => value),
  cookie: (name, { headers }) =>
    cookiePairs(headers.cookie)
      .filter((pair) => pair.name === name)
      .map(({ value }) => value),
};

function readApiKey(place: string, name: string): DeclaredScheme {
  return {
    takes: 'apiKey',
    challenge: 'ApiKey',
    queryName: place === 'query' ? name : undefined,
    find: (request, query) => {
      const [value = '', ...more] = keyFinders[place]?.(name, request, query) ?? [];
      if (more.length > 0) return { kind: 'invalid', says: `The ${place} ${name} is sent ${more.length + 1} times` };
      return value === '' ? { kind: 'missing', says: `The ${place} ${name} is missing` } : { kind: 'sent', value };
    },
  };
}
