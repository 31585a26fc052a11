import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '@lockstep/json/json-pointer';
import type { Pair } from '../validation/parse-url-encoded.ts';
import { cookiePairs } from '../validation/read-parameters.ts';

/** What somebody who judges credentials found. */
export type Verdict<Principal> =
  | {
      readonly kind: 'good';
      /** Who the request acts for. */
      readonly principal: Principal;
      /** Left out: nothing is known of scopes, and none is asked for. */
      readonly scopes?: ReadonlySet<string>;
    }
  | { readonly kind: 'bad'; readonly reason: BadReason };

export type BadReason = 'invalid' | 'expired' | 'revoked';

/**
 * Judges what was sent for one scheme.
 *
 * @param soFar where an alternative asks for several schemes: who those before it found, for a principal that stands for all
 */
export type Verify<Sent, Principal> = (
  sent: Sent,
  soFar: Principal | undefined,
) => Verdict<Principal> | Promise<Verdict<Principal>>;

/** What is said of credentials; each scheme has words of its own for what is left out. */
export type SchemeWords = Readonly<Partial<Record<'missing' | BadReason, string>>>;

/** How one security scheme of a contract is kept: made by `bearer`, `basic`, `apiKey`, `credentials` or `unshown`. */
export interface Scheme<Principal> {
  /** What it takes out of a request. A start fails where the contract's scheme has another type. */
  readonly takes: 'bearer' | 'basic' | 'apiKey' | 'credentials' | 'nothing';
  judge(sent: string, soFar: Principal | undefined): Verdict<Principal> | Promise<Verdict<Principal>>;
  readonly words: SchemeWords;
}

/** A user and what proves them (RFC 7617). */
export interface UserPassword {
  readonly username: string;
  readonly password: string;
}

/** Beyond this an `Authorization` header is not looked into: 8 KiB, longer than any token that fits beside other headers. */
export const maxHeaderBytes = 8192;

/** Access tokens: schemes of type `oauth2`, `openIdConnect`, and `http` with `bearer` (RFC 6750). @param verify is given the token alone */
export function bearer<Principal>(verify: Verify<string, Principal>, words: SchemeWords = {}): Scheme<Principal> {
  return { takes: 'bearer', judge: verify, words };
}

/** User and password in the `Authorization` header: `http` with `basic` (RFC 7617). The password may be empty, the user not. */
export function basic<Principal>(verify: Verify<UserPassword, Principal>, words: SchemeWords = {}): Scheme<Principal> {
  return {
    takes: 'basic',
    words,
    judge: (encoded, soFar) => {
      const [, username = '', password = ''] = userForm.exec(decodeUser(encoded)) ?? [];
      return verify({ username, password }, soFar);
    },
  };
}

/** A key in a header, query parameter or cookie: `apiKey`. It is never empty. */
export function apiKey<Principal>(verify: Verify<string, Principal>, words: SchemeWords = {}): Scheme<Principal> {
  return { takes: 'apiKey', judge: verify, words };
}

/** What stands behind the name of any other scheme in the `Authorization` header: `http` with `digest`, say. It is never empty. */
export function credentials<Principal>(verify: Verify<string, Principal>, words: SchemeWords = {}): Scheme<Principal> {
  return { takes: 'credentials', judge: verify, words };
}

/**
 * Stands for a scheme that no request shows, as `mutualTLS`: nobody is let in by it. An operation that it alone protects refuses
 * everybody, until the contract protects it otherwise.
 */
export function unshown(): Scheme<never> {
  return { takes: 'nothing', judge: () => ({ kind: 'bad', reason: 'invalid' }), words: {} };
}

/** What a request sends for a scheme, still as text. */
export type Sent =
  | { readonly kind: 'sent'; readonly value: string }
  | { readonly kind: 'missing'; readonly says: string }
  | { readonly kind: 'invalid'; readonly says: string };

/** A scheme of the contract, read once at the start. */
export interface DeclaredScheme {
  readonly takes: Exclude<Scheme<unknown>['takes'], 'nothing'>;
  /** Name of its challenge (RFC 9110, 11.6.1): `Bearer`, `Basic`, `ApiKey`, or as the contract writes it. */
  readonly challenge: string;
  readonly find: (request: IncomingMessage, query: readonly Pair[]) => Sent;
  /** The query parameter that carries it, where one does. */
  readonly queryName: string | undefined;
}

const bearerForm = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const basicForm = /^basic +([A-Za-z0-9+/]+=*)$/i;

/** A user that is not empty, and all behind the first colon (RFC 7617, 2). */
const userForm = /^([^:]+):(.*)$/s;

function decodeUser(encoded: string): string {
  return Buffer.from(encoded, 'base64').toString('utf8');
}

const declaredHttp: Readonly<Record<string, DeclaredScheme>> = {
  bearer: {
    takes: 'bearer',
    challenge: 'Bearer',
    find: (request) => findAuthorization(request, 'bearer', bearerForm, 'Bearer <access token>'),
    queryName: undefined,
  },
  basic: {
    takes: 'basic',
    challenge: 'Basic',
    find: (request) => findUser(request),
    queryName: undefined,
  },
};

/** @returns undefined for a scheme that no request can be checked for: `mutualTLS`, and what OpenAPI does not have */
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
  form: RegExp,
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
  const credentials = form.exec(value)?.[1];
  return credentials === undefined ? malformed : { kind: 'sent', value: credentials };
}

/** A scheme whose credentials are never found. Its challenge is its type, as no scheme of HTTP asks for it (RFC 9110, 11.6.1). */
export function declareUnshown(name: string, { type }: JsonObject): DeclaredScheme {
  const says = `No request shows the security scheme ${name}, so nobody is let in by it`;
  return {
    takes: 'credentials',
    challenge: typeof type === 'string' && tokenForm.test(type) ? type : 'Unknown',
    find: () => ({ kind: 'missing', says }),
    queryName: undefined,
  };
}

/** RFC 9110, 5.6.2: what a scheme may be called. */
const tokenForm = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

function readOther(name: string): DeclaredScheme | undefined {
  if (!tokenForm.test(name)) return undefined;
  const form = new RegExp(`^${RegExp.escape(name)} +(\\S.*)$`, 'i');
  return {
    takes: 'credentials',
    challenge: name,
    find: (request) => findAuthorization(request, name.toLowerCase(), form, `${name} <credentials>`),
    queryName: undefined,
  };
}

function findUser(request: IncomingMessage): Sent {
  const wanted = 'Basic <base64 of client_id:client_secret>';
  const sent = findAuthorization(request, 'basic', basicForm, wanted);
  if (sent.kind !== 'sent' || userForm.test(decodeUser(sent.value))) return sent;
  return { kind: 'invalid', says: `The header Authorization is malformed: send ${wanted}` };
}

/** Where a key may stand (OpenAPI 3.1, 4.8.27), and all that was sent there under its name. */
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
