import type { Contract, Operation, SecurityScheme } from '../contract/contract.ts';
import type { Connection } from './connection.ts';
import { type Identity, isDescriptive } from './exchange.ts';
import { type Badge, createSession, type Session, type User } from './log-in.ts';
import { basicOfClient, findTokenEndpoint, type TokenCredentials } from './mint-token.ts';
import { createTokens, scopesOf, type Tokens, takesToken } from './tokens.ts';

type Pair = readonly [name: string, value: string];

/** Credentials of one account, as the user gave them. All are secret but the client id. */
export interface Credentials extends TokenCredentials {
  /** Key, token, or `name:password`, by the name of the security scheme that it is for. */
  readonly byScheme?: Readonly<Record<string, string>> | undefined;
  /** Headers for every request; those that carry a credential belong to this account alone. */
  readonly headers?: readonly Pair[] | undefined;
  readonly login?: User | undefined;
  /** Whether connections present a client certificate. */
  readonly hasCertificate?: boolean | undefined;
}

/** Parts that are added to a request so that it is let in. */
export interface Authorization {
  readonly headers: readonly Pair[];
  readonly query: readonly Pair[];
  readonly cookies: readonly Pair[];
  /** Scopes that the token in it was asked for; undefined where it has none. */
  readonly scopes: readonly string[] | undefined;
  /** After a 401: whether other credentials can be had in place of these, which are then taken for ended. */
  readonly renew?: () => boolean;
  /** The alternative of `security` that it fulfils with a token of which nobody said what it is for, where there are others. */
  readonly guess?: { readonly name: string; readonly othersLeft: number } | undefined;
}

/**
 * Finds by trial the alternative that a bare token is for: a request that one alternative is refused with 401 is sent again by the
 * next. Results count from the next round on, so that nothing depends on which answer is the first to arrive.
 */
function createTrials() {
  const accepted = new Set<string>();
  let refused = 0;
  let news: { readonly alternative: string; readonly isAccepted: boolean }[] = [];
  return {
    isAccepted: (alternative: string) => accepted.has(alternative),
    /** Whether it is worth asking: not once so many were refused that none of them can be it. */
    isOpen: () => refused < mostRefused,
    tell: (alternative: string, isAccepted: boolean): void => {
      news.push({ alternative, isAccepted });
    },
    settle: (): void => {
      for (const { alternative, isAccepted } of news) {
        if (isAccepted) accepted.add(alternative);
        else refused += 1;
      }
      news = [];
    },
  };
}

/** So many requests are refused by all alternatives before no more are asked. */
const mostRefused = 40;

interface Account {
  readonly trials: ReturnType<typeof createTrials>;
  readonly credentials: Credentials;
  readonly tokens: Tokens;
  /** The parts that every request of the account carries, with the way to other credentials in their place. */
  readonly badge: () => Promise<Renewable>;
  readonly session: Session | undefined;
}

type Renewable = Badge & { readonly renew: () => boolean };

/** Everything that requests are authorized from. */
export interface Accounts {
  readonly contract: Contract;
  readonly own: Account;
  readonly second: Account | undefined;
  /** Headers that the user gave for every request and that let nobody in. */
  readonly plainHeaders: readonly Pair[];
  readonly problems: () => readonly string[];
}

interface Given {
  readonly contract: Contract;
  readonly credentials: Credentials;
  readonly second: Credentials | undefined;
  readonly baseUrl: string;
  readonly authUrl: string | undefined;
  readonly connection: Pick<Connection, 'send'>;
  /** Told each secret, with the shell variable that stands for it. */
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
    plainHeaders: (credentials.headers ?? []).filter(([name]) => !isCredential(contract, name)),
    problems: () =>
      accounts.flatMap((account) => [...(account?.tokens.problems() ?? []), ...(account?.session?.problems() ?? [])]),
  };
}

const nothing: Badge = { headers: [], query: [], cookies: [] };
const none: Authorization = { ...nothing, scopes: undefined };

/**
 * Fulfils an operation's security: the first alternative for which there are credentials, of those first which they are
 * sure to be meant for.
 *
 * @param extraScopes scopes that the values of the request ask for
 * @param refused guesses that this request was refused with
 * @returns undefined when nobody of that identity can be shown: for `own` that no alternative can be fulfilled, for the
 *   others that there is no second account, no narrower token, or no way to be anonymous
 */
export async function authorize(
  { contract, own, second }: Pick<Accounts, 'contract' | 'own' | 'second'>,
  operation: Operation,
  extraScopes: readonly string[],
  identity: Identity = 'own',
  refused: ReadonlySet<string> = new Set(),
): Promise<Authorization | undefined> {
  const closed = operation.security.filter((alternative) => Object.keys(alternative).length > 0);
  const schemesOf = (alternative: object): SecurityScheme[] =>
    Object.keys(alternative).flatMap((name) => contract.schemes[name] ?? []);
  // A certificate belongs to the connection: whoever uses that is known.
  const isKnown = own.credentials.hasCertificate && closed.flatMap(schemesOf).some(({ type }) => type === 'mutualTLS');
  if (identity === 'anonymous') return isKnown ? undefined : none;
  const account = identity === 'second' ? second : own;
  if (account === undefined) return undefined;
  const without = typeof identity === 'object' ? identity.without : undefined;
  const tools: Tools = { contract, account, badge: await account.badge(), without };

  const possible = closed.filter((alternative) => without === undefined || schemesOf(alternative).some(takesToken));
  const sure = possible.filter((alternative) => schemesOf(alternative).every((scheme) => isSure(tools, scheme)));
  const mayGuess = (alternative: object): boolean =>
    identity === 'own' && schemesOf(alternative).every((scheme) => isByToken(tools, scheme));
  const { trials } = account;
  const ranked = [...new Set([...sure, ...possible])].sort(
    (a, b) => Number(trials.isAccepted(nameOf(b))) - Number(trials.isAccepted(nameOf(a))),
  );
  const isKnownWay = ranked.some((alternative) => trials.isAccepted(nameOf(alternative)));
  const guesses = isKnownWay || !trials.isOpen() ? [] : ranked.filter(mayGuess);
  for (const alternative of ranked) {
    const isGuess = guesses.length > 1 && guesses.includes(alternative);
    if (isGuess && refused.has(nameOf(alternative))) continue;
    const parts: Authorization[] = [];
    for (const [name, scopes] of Object.entries(alternative)) {
      const scheme = contract.schemes[name];
      const wanted = [...new Set([...scopes, ...extraScopes])];
      const part = scheme === undefined ? undefined : await fulfil(tools, scheme, wanted);
      if (part !== undefined) parts.push(part);
    }
    const joined = parts.length === Object.keys(alternative).length ? parts.reduce(join) : undefined;
    if (joined === undefined || !isSendable(joined)) continue;
    const othersLeft = guesses.filter((other) => other !== alternative && !refused.has(nameOf(other))).length;
    const guess = isGuess ? { name: nameOf(alternative), othersLeft } : undefined;
    return { ...withBadge(tools, operation, joined), guess };
  }
  if (without !== undefined) return undefined;
  const hasBadge = operation.target === 'api' && isBadge(tools.badge);
  const isOpen = closed.length < operation.security.length || operation.security.length === 0;
  return hasBadge ? withBadge(tools, operation, none) : isOpen ? none : undefined;
}

interface Tools {
  readonly contract: Contract;
  readonly account: Account;
  readonly badge: Renewable;
  readonly without: readonly string[] | undefined;
}

const nameOf = (alternative: object): string => Object.keys(alternative).sort().join(' ');

/** Whether it is fulfilled by the user's bare token, which may be a key, the value of a cookie or a bearer token. */
function isByToken({ account: { credentials }, badge }: Tools, scheme: SecurityScheme): boolean {
  const isOwn = credentials.byScheme?.[scheme.name] !== undefined || isCovered(scheme, badge);
  return credentials.token !== undefined && !isOwn && scheme.scheme !== 'basic' && scheme.type !== 'mutualTLS';
}

/** Whether the credential is plainly meant for this scheme: a bare token is a key only where the contract has no tokens. */
function isSure({ contract, account, badge }: Tools, scheme: SecurityScheme): boolean {
  if (account.credentials.byScheme?.[scheme.name] !== undefined || isCovered(scheme, badge)) return true;
  return scheme.key === undefined || !Object.values(contract.schemes).some(takesToken);
}

/** Whether a header, cookie or query of the account is what the scheme asks for. */
function isCovered({ type, key }: SecurityScheme, { headers, query, cookies }: Badge): boolean {
  if (type === 'mutualTLS') return false;
  if (key?.in === 'query') return query.some(([name]) => name === key.name);
  if (key?.in === 'cookie') return cookies.some(([name]) => name === key.name);
  return hasHeader(headers, key?.name ?? 'authorization');
}

async function fulfil(
  { account, badge, without }: Tools,
  scheme: SecurityScheme,
  scopes: readonly string[],
): Promise<Authorization | undefined> {
  const { credentials, tokens } = account;
  const own = credentials.byScheme?.[scheme.name];
  const isNarrowed = without !== undefined && takesToken(scheme);
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
    ? await tokens.tokenWithout(without)
    : await tokens.tokenFor(scheme.type === 'oauth2' || scheme.type === 'openIdConnect' ? scopes : []);
  if (token === undefined) return undefined;
  const placed = place(scheme, token.text);
  return { ...placed, scopes: scheme.key === undefined ? scopes : undefined, renew: () => tokens.renew(token) };
}

/** Puts a credential where its scheme wants it. */
function place({ type, scheme, key }: SecurityScheme, text: string): Authorization {
  if (key !== undefined) {
    const part = key.in === 'query' ? 'query' : key.in === 'cookie' ? 'cookies' : 'headers';
    return { ...none, [part]: [[key.name, text]] };
  }
  // RFC 7617, 2: in UTF-8, which is what servers expect that expect anything beyond ASCII.
  if (scheme === 'basic')
    return { ...none, headers: [['authorization', `Basic ${Buffer.from(text).toString('base64')}`]] };
  const name = type === 'http' && scheme !== 'bearer' ? (scheme ?? 'Bearer') : 'Bearer';
  return { ...none, headers: [['authorization', `${name} ${text}`]] };
}

function join(a: Authorization, b: Authorization): Authorization {
  const renews = [a.renew, b.renew].filter((renew) => renew !== undefined);
  return {
    headers: [...a.headers, ...b.headers.filter((header) => !a.headers.some((known) => isSame(known, header)))],
    query: [...a.query, ...b.query],
    cookies: [...a.cookies, ...b.cookies],
    scopes: a.scopes === undefined ? b.scopes : [...a.scopes, ...(b.scopes ?? [])],
    renew: () => renews.map((renew) => renew()).some(Boolean),
  };
}

/** Adds what the account's requests carry anyway, but to the API alone: another server has no business with it. */
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

/** A header `Cookie` becomes cookies, so that a request has one such header in all (RFC 6265, 5.4). */
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

/** Headers that let somebody in: those of HTTP, and those that a security scheme names. */
function isCredential({ schemes }: Contract, header: string): boolean {
  const name = header.toLowerCase();
  if (name === 'authorization' || name === 'cookie') return true;
  return Object.values(schemes).some(({ key }) => key?.in === 'header' && key.name.toLowerCase() === name);
}

function keepSecretsOf(credentials: Credentials, prefix: string, keep: Given['keepSecret']): void {
  const { token, clientId = '', clientSecret, user, refreshToken, scopedTokens, byScheme, login } = credentials;
  if (token !== undefined) keep(token, `${prefix}TOKEN`);
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

/** Without the scheme of `Authorization`: a report may say that it was `Bearer`. */
function bareOf(value: string): string {
  return value.trim().replace(/^[A-Za-z]+ +/, '');
}

/** Name of a shell variable for it. The token of `Authorization` has one by which curl lines call it. */
function variableOf(name: string): string {
  return /^authorization$/i.test(name) ? 'TOKEN' : name.replaceAll(/[^A-Za-z0-9]+/g, '_').toUpperCase();
}

function hasHeader(headers: readonly Pair[], name: string): boolean {
  return headers.some(([known]) => known.toLowerCase() === name.toLowerCase());
}

/** Two OAuth schemes that are both asked for are fulfilled by one token in one header. */
function isSame(a: Pair, b: Pair): boolean {
  return a[0].toLowerCase() === b[0].toLowerCase() && a[1] === b[1];
}

/** RFC 9110, 11.6.2: a request carries one `Authorization`, so not Basic and a token at once. */
function isSendable({ headers }: Authorization): boolean {
  const names = headers.map(([name]) => name.toLowerCase());
  return new Set(names).size === names.length;
}
