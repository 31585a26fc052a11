import type { Contract, Operation, SecurityScheme } from '../contract/contract.ts';
import type { Connection } from './connection.ts';
import { type Authorization, type Identity, isDescriptive } from './exchange.ts';
import {
  type Alternative,
  bareOf,
  type Chosen,
  fitsLimits,
  type Limits,
  nameOf,
  schemesOf,
  withChange,
  withoutScheme,
} from './limit-credentials.ts';
import { type Badge, createSession, type Session, type User } from './log-in.ts';
import { basicOfClient, findTokenEndpoint, type TokenCredentials } from './mint-token.ts';
import { createTokens, scopesOf, type Tokens, takesToken } from './tokens.ts';

type Pair = readonly [name: string, value: string];

/** Credentials that the user gave for one account. All but the client id are secret. */
export interface Credentials extends TokenCredentials {
  /** Key, token or `name:password` by the name of its security scheme. */
  readonly byScheme?: Readonly<Record<string, string>> | undefined;
  /** Headers for every request; those with a credential belong only to this account. */
  readonly headers?: readonly Pair[] | undefined;
  readonly login?: User | undefined;
  /** Whether connections present a client certificate. */
  readonly hasCertificate?: boolean | undefined;
  /** A token of the account that no longer holds. */
  readonly expiredToken?: string | undefined;
}

/**
 * Finds by trial which alternative accepts a bare token: after a 401, the request is repeated with the next alternative. Results count
 * from the next round on, so that the order of answers has no effect.
 */
function createTrials() {
  const accepted = new Set<string>();
  let rejected = 0;
  let pending: { readonly alternative: string; readonly isAccepted: boolean }[] = [];
  return {
    isAccepted: (alternative: string) => accepted.has(alternative),
    /** Whether further trials are worthwhile. */
    isOpen: () => rejected < mostRejected,
    record: (alternative: string, isAccepted: boolean): void => {
      pending.push({ alternative, isAccepted });
    },
    settle: (): void => {
      for (const { alternative, isAccepted } of pending) {
        if (isAccepted) accepted.add(alternative);
        else rejected += 1;
      }
      pending = [];
    },
  };
}

/** Rejected trials after which no alternative is expected to accept the token. */
const mostRejected = 40;

interface Account {
  readonly trials: ReturnType<typeof createTrials>;
  readonly credentials: Credentials;
  readonly tokens: Tokens;
  /** The parts that every request of the account carries, and how to renew them. */
  readonly badge: () => Promise<Renewable>;
  readonly session: Session | undefined;
}

type Renewable = Badge & { readonly renew: () => boolean };

/** Everything that authorizes requests. */
export interface Accounts {
  readonly contract: Contract;
  readonly own: Account;
  readonly second: Account | undefined;
  /** The user's headers for every request that carry no credential. */
  readonly plainHeaders: readonly Pair[];
  readonly keepSecret: Given['keepSecret'];
  readonly problems: () => readonly string[];
}

interface Given {
  readonly contract: Contract;
  readonly credentials: Credentials;
  readonly second: Credentials | undefined;
  readonly baseUrl: string;
  readonly authUrl: string | undefined;
  readonly connection: Pick<Connection, 'send'>;
  /** Receives each secret, with the shell variable that replaces it in reports. */
  readonly keepSecret: (text: string, variable?: string) => void;
  readonly mayCreateUsers: boolean;
}

export function createAccounts(given: Given): Accounts {
  const { contract, credentials, second, baseUrl, connection, keepSecret, mayCreateUsers } = given;
  const scopes = scopesOf(contract);
  const endpoint = findTokenEndpoint(contract, given);
  const open = (account: Credentials, prefix: string): Account => {
    keepSecretsOf(account, prefix, keepSecret);
    const keep = (text: string): void => keepSecret(text, `${prefix}TOKEN`);
    const tokens = createTokens({ credentials: account, endpoint, scopes, connection, keepSecret: keep });
    const { login: user, headers = [] } = account;
    const session = user && createSession({ user, baseUrl, connection, keepSecret: keep, mayCreate: mayCreateUsers });
    for (const [name, value] of headers)
      if (!isDescriptive(name)) keepSecret(bareOf(value), `${prefix}${variableOf(name)}`);
    const fixed = headers.filter(([name]) => isCredential(contract, name));
    return {
      trials: createTrials(),
      credentials: account,
      tokens,
      session,
      badge: async () => {
        const badge = (await session?.badge()) ?? nothing;
        const read = readBadge([...fixed, ...badge.headers], badge);
        for (const [name, value] of read.cookies) keepSecret(value, `${prefix}${variableOf(name)}`);
        return { ...read, renew: () => session?.renew(badge) ?? false };
      },
    };
  };
  const accounts = [open(credentials, ''), second && open(second, 'SECOND_')] as const;
  return {
    contract,
    own: accounts[0],
    second: accounts[1],
    keepSecret,
    plainHeaders: (credentials.headers ?? []).filter(([name]) => !isCredential(contract, name)),
    problems: () =>
      accounts.flatMap((account) => [...(account?.tokens.problems() ?? []), ...(account?.session?.problems() ?? [])]),
  };
}

const nothing: Badge = { headers: [], query: [], cookies: [] };
const none: Authorization = { ...nothing, scopes: undefined };

/**
 * Satisfies the security of an operation by the first alternative that the account has credentials for. Alternatives that the
 * credentials are certainly meant for come first.
 *
 * @param extraScopes scopes that the values of the request need
 * @param rejected trials that this request was answered 401 with
 * @returns undefined if the identity is not available: no alternative can be satisfied, there is no second account or no such token,
 *   no credential that can be removed or changed so, or the connection itself identifies the client
 */
export async function authorize(
  accounts: Pick<Accounts, 'contract' | 'own' | 'second' | 'keepSecret'>,
  operation: Operation,
  extraScopes: readonly string[],
  identity: Identity = 'own',
  rejected: ReadonlySet<string> = new Set(),
): Promise<Authorization | undefined> {
  const { contract, own, second } = accounts;
  const closed = operation.security.filter((alternative) => Object.keys(alternative).length > 0);
  // A client certificate belongs to the connection: no request over it is anonymous.
  const isKnown =
    own.credentials.hasCertificate &&
    closed.flatMap((one) => schemesOf(contract, one)).some(({ type }) => type === 'mutualTLS');
  if (identity === 'anonymous') return isKnown ? undefined : none;
  const account = identity === 'second' ? second : own;
  if (account === undefined) return undefined;
  const limits: Limits = typeof identity === 'object' ? identity : {};
  const tools: Tools = { contract, account, badge: await account.badge(), limits };
  const chosen = await chooseAlternative(tools, operation, closed, extraScopes, identity === 'own', rejected);
  if (chosen !== undefined) {
    const { lacking, changed, of = '' } = limits;
    const { expiredToken, hasCertificate = false } = own.credentials;
    if (lacking !== undefined) return withoutScheme(contract, chosen, lacking);
    const { keepSecret } = accounts;
    if (changed !== undefined)
      return withChange(contract, chosen, { changed, of, closed, expiredToken, hasCertificate, keepSecret });
    return chosen.authorization;
  }
  if (typeof identity === 'object') return undefined;
  const hasBadge = operation.target === 'api' && isBadge(tools.badge);
  const isOpen = closed.length < operation.security.length || operation.security.length === 0;
  return hasBadge ? withBadge(tools, operation, none) : isOpen ? none : undefined;
}

async function chooseAlternative(
  tools: Tools,
  operation: Operation,
  closed: readonly Alternative[],
  extraScopes: readonly string[],
  mayTry: boolean,
  rejected: ReadonlySet<string>,
): Promise<Chosen | undefined> {
  const { contract, account, limits } = tools;
  const { trials } = account;
  const possible = closed.filter(
    (alternative) =>
      fitsLimits(contract, alternative, limits) &&
      (limits.by === undefined || schemesOf(contract, alternative).every((scheme) => isMeantFor(tools, scheme))),
  );
  const sure = possible.filter((one) => schemesOf(contract, one).every((scheme) => isSure(tools, scheme)));
  const mayGuess = (one: Alternative): boolean =>
    mayTry && schemesOf(contract, one).every((scheme) => isByToken(tools, scheme));
  const ranked = [...new Set([...sure, ...possible])].sort(
    (a, b) => Number(trials.isAccepted(nameOf(b))) - Number(trials.isAccepted(nameOf(a))),
  );
  const isSettled = ranked.some((alternative) => trials.isAccepted(nameOf(alternative)));
  const guesses = isSettled || !trials.isOpen() ? [] : ranked.filter(mayGuess);
  for (const alternative of ranked) {
    const isGuess = guesses.length > 1 && guesses.includes(alternative);
    if (isGuess && rejected.has(nameOf(alternative))) continue;
    const parts: Authorization[] = [];
    for (const [name, scopes] of Object.entries(alternative)) {
      const scheme = contract.schemes[name];
      const wanted = [...new Set([...scopes, ...extraScopes])];
      const part = scheme === undefined ? undefined : await fulfil(tools, scheme, wanted);
      if (part !== undefined) parts.push(part);
    }
    const joined = parts.length === Object.keys(alternative).length ? parts.reduce(join) : undefined;
    if (joined === undefined || !isSendable(joined)) continue;
    const othersLeft = guesses.filter((other) => other !== alternative && !rejected.has(nameOf(other))).length;
    const guess = isGuess ? { name: nameOf(alternative), othersLeft } : undefined;
    return { alternative, authorization: { ...withBadge(tools, operation, joined), guess } };
  }
  return undefined;
}

interface Tools {
  readonly contract: Contract;
  readonly account: Account;
  readonly badge: Renewable;
  readonly limits: Limits;
}

/** Whether the user's bare token may satisfy a scheme: as a key, the value of a cookie or a bearer token. */
function isByToken({ account: { credentials }, badge }: Tools, scheme: SecurityScheme): boolean {
  const isOwn = credentials.byScheme?.[scheme.name] !== undefined || isCovered(scheme, badge);
  return credentials.token !== undefined && !isOwn && scheme.scheme !== 'basic' && scheme.type !== 'mutualTLS';
}

/** Whether the credentials are certainly meant for this scheme: a bare token is a key only if the contract has no token schemes. */
function isSure({ contract, account, badge }: Tools, scheme: SecurityScheme): boolean {
  if (account.credentials.byScheme?.[scheme.name] !== undefined || isCovered(scheme, badge)) return true;
  return scheme.key === undefined || !Object.values(contract.schemes).some(takesToken);
}

/** Whether the user gave credentials for this scheme: a bare token may be no key, and the secret of a client no password. */
function isMeantFor({ account: { credentials }, badge }: Tools, scheme: SecurityScheme): boolean {
  if (credentials.byScheme?.[scheme.name] !== undefined || isCovered(scheme, badge)) return true;
  if (scheme.scheme === 'basic') return credentials.user !== undefined;
  return takesToken(scheme) || scheme.type === 'mutualTLS';
}

/** Whether a header, cookie or query parameter of the account satisfies the scheme. */
function isCovered({ type, key }: SecurityScheme, { headers, query, cookies }: Badge): boolean {
  if (type === 'mutualTLS') return false;
  if (key?.in === 'query') return query.some(([name]) => name === key.name);
  if (key?.in === 'cookie') return cookies.some(([name]) => name === key.name);
  return hasHeader(headers, key?.name ?? 'authorization');
}

async function fulfil(
  { account, badge, limits: { without, exactly } }: Tools,
  scheme: SecurityScheme,
  scopes: readonly string[],
): Promise<Authorization | undefined> {
  const { credentials, tokens } = account;
  const own = credentials.byScheme?.[scheme.name];
  const isNarrowed = (without !== undefined || exactly !== undefined) && takesToken(scheme);
  if (scheme.type === 'mutualTLS') return credentials.hasCertificate ? none : undefined;
  if (own !== undefined && !isNarrowed) return place(scheme, own);
  if (isCovered(scheme, badge)) return isNarrowed ? undefined : none;
  if (scheme.scheme === 'basic') {
    const { clientId, clientSecret, user } = credentials;
    if (user !== undefined) return place(scheme, `${user.name}:${user.password}`);
    if (clientId === undefined || clientSecret === undefined) return undefined;
    return { ...none, headers: [['authorization', `Basic ${basicOfClient(clientId, clientSecret)}`]] };
  }
  const token = isNarrowed
    ? await (without === undefined ? tokens.tokenExactly(exactly ?? []) : tokens.tokenWithout(without))
    : await tokens.tokenFor(scheme.type === 'oauth2' || scheme.type === 'openIdConnect' ? scopes : []);
  if (token === undefined) return undefined;
  const placed = place(scheme, token.text);
  return { ...placed, scopes: scheme.key === undefined ? scopes : undefined, renew: () => tokens.renew(token) };
}

/** Puts a credential into the place that its scheme declares. */
function place({ type, scheme, key }: SecurityScheme, text: string): Authorization {
  if (key !== undefined) {
    const part = key.in === 'query' ? 'query' : key.in === 'cookie' ? 'cookies' : 'headers';
    return { ...none, [part]: [[key.name, text]] };
  }
  // UTF-8 is what servers expect that accept more than ASCII (RFC 7617, 2).
  if (scheme === 'basic')
    return { ...none, headers: [['authorization', `Basic ${Buffer.from(text).toString('base64')}`]] };
  const name = type === 'http' && scheme !== 'bearer' ? (scheme ?? 'Bearer') : 'Bearer';
  return { ...none, headers: [['authorization', `${name} ${text}`]] };
}

/** Headers of two schemes. Of a bare key and the same text with a scheme of HTTP in one header, the latter counts: a request has one of them. */
function joinHeaders(a: readonly Pair[], b: readonly Pair[]): readonly Pair[] {
  const isWithin = ([name, value]: Pair, others: readonly Pair[]): boolean =>
    others.some(([other, text]) => other.toLowerCase() === name.toLowerCase() && text.endsWith(` ${value}`));
  const kept = a.filter((header) => !isWithin(header, b));
  return [...kept, ...b.filter((header) => !isWithin(header, a) && !kept.some((known) => isSame(known, header)))];
}

function join(a: Authorization, b: Authorization): Authorization {
  const renews = [a.renew, b.renew].filter((renew) => renew !== undefined);
  return {
    headers: joinHeaders(a.headers, b.headers),
    query: [...a.query, ...b.query],
    cookies: [...a.cookies, ...b.cookies],
    scopes: a.scopes === undefined ? b.scopes : [...a.scopes, ...(b.scopes ?? [])],
    renew: () => renews.map((renew) => renew()).some(Boolean),
  };
}

/** Adds the parts of every request of the account, but only for the API: another server must not receive them. */
function withBadge({ badge }: Tools, { target }: Operation, authorization: Authorization): Authorization {
  const isNeeded = target === 'api' || authorization === none;
  if (!isNeeded || !isBadge(badge)) return authorization;
  const { headers, query, cookies, renew } = badge;
  return join(authorization, {
    headers: headers.filter(([name]) => !hasHeader(authorization.headers, name)),
    query: query.filter(([name]) => !authorization.query.some(([known]) => known === name)),
    cookies: cookies.filter(([name]) => !authorization.cookies.some(([known]) => known === name)),
    scopes: undefined,
    renew,
  });
}

/** Parses `Cookie` headers into cookies, so that a request has only one such header (RFC 6265, 5.4). */
function readBadge(all: readonly Pair[], { query, cookies }: Badge): Badge {
  const isCookie = ([name]: Pair): boolean => name.toLowerCase() === 'cookie';
  const spelled = all
    .filter(isCookie)
    .flatMap(([, value]) => value.split(';'))
    .map((pair): Pair => [pair.split('=')[0]?.trim() ?? '', pair.split('=').slice(1).join('=').trim()]);
  return { headers: all.filter((pair) => !isCookie(pair)), query, cookies: [...spelled, ...cookies] };
}

function isBadge({ headers, query, cookies }: Badge): boolean {
  return headers.length + query.length + cookies.length > 0;
}

/** Whether a header carries a credential: those of HTTP, and those that a security scheme names. */
function isCredential({ schemes }: Contract, header: string): boolean {
  const name = header.toLowerCase();
  if (name === 'authorization' || name === 'cookie') return true;
  return Object.values(schemes).some(({ key }) => key?.in === 'header' && key.name.toLowerCase() === name);
}

function keepSecretsOf(credentials: Credentials, prefix: string, keep: Given['keepSecret']): void {
  const { token, clientId = '', clientSecret, user, refreshToken, scopedTokens, byScheme, login } = credentials;
  if (token !== undefined) keep(token, `${prefix}TOKEN`);
  if (credentials.expiredToken !== undefined) keep(credentials.expiredToken, `${prefix}EXPIRED_TOKEN`);
  for (const { text } of scopedTokens ?? []) keep(text, `${prefix}TOKEN`);
  if (refreshToken !== undefined) keep(refreshToken);
  if (clientSecret !== undefined) {
    keep(clientSecret, `${prefix}CLIENT_SECRET`);
    keep(basicOfClient(clientId, clientSecret));
  }
  if (user !== undefined) {
    keep(user.password, `${prefix}PASSWORD`);
    keep(Buffer.from(`${user.name}:${user.password}`).toString('base64'));
  }
  for (const [scheme, value] of Object.entries(byScheme ?? {})) {
    keep(value, `${prefix}${variableOf(scheme)}`);
    if (value.includes(':')) keep(Buffer.from(value).toString('base64'));
  }
  for (const [name, value] of [...(login?.headers ?? []), ...(login?.login?.headers ?? [])])
    if (!isDescriptive(name)) keep(bareOf(value));
  if (login?.login?.password !== undefined) keep(login.login.password, `${prefix}PASSWORD`);
}

/** Name of a shell variable for a header or scheme; curl lines use `TOKEN` for `Authorization`. */
function variableOf(name: string): string {
  return /^authorization$/i.test(name) ? 'TOKEN' : name.replaceAll(/[^A-Za-z0-9]+/g, '_').toUpperCase();
}

function hasHeader(headers: readonly Pair[], name: string): boolean {
  return headers.some(([known]) => known.toLowerCase() === name.toLowerCase());
}

/** One token in one header satisfies two OAuth schemes of one alternative. */
function isSame(a: Pair, b: Pair): boolean {
  return a[0].toLowerCase() === b[0].toLowerCase() && a[1] === b[1];
}

/** A request carries one `Authorization`, so never Basic and a token at once (RFC 9110, 11.6.2). */
function isSendable({ headers }: Authorization): boolean {
  const names = headers.map(([name]) => name.toLowerCase());
  return new Set(names).size === names.length;
}
