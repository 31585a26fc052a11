import { execFile } from 'node:child_process';
import type { Contract } from '../contract/contract.ts';
import { isObject, memberOf, objectAt, parseJson, readPointer, textAt } from '../contract/document.ts';
import type { Connection } from './connection.ts';
import { type Answer, isSuccess } from './exchange.ts';

/** Sources of a token in order of preference: the user's tokens, a command that prints one, the token endpoint. */
export interface TokenCredentials {
  /** A token or key of unknown scopes for every scheme. */
  readonly token: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** Tokens whose scopes the user named. */
  readonly scopedTokens?: readonly ScopedToken[];
  /** A command for `sh` that prints a token, or the JSON of a token endpoint. `{scope}` is replaced by scopes separated by spaces. */
  readonly tokenCommand?: string | undefined;
  readonly refreshToken?: string | undefined;
  /** For HTTP Basic, and for the password grant if the contract has no other. */
  readonly user?: { readonly name: string; readonly password: string } | undefined;
}

export interface ScopedToken {
  readonly scopes: readonly string[];
  readonly text: string;
}

export interface Token {
  readonly text: string;
  /** Scopes named by the user, the server (RFC 6749, 5.1) or the token itself (RFC 9068, 2.2.3); undefined if none are named. */
  readonly granted: readonly string[] | undefined;
}

export interface FreshToken extends Token {
  /** By the given clock. */
  readonly freshUntil: number;
}

/** Requests a token once. @returns the token, or the reason why there is none; undefined if the run was aborted */
export type Mint = (scopes: readonly string[]) => Promise<FreshToken | string | undefined>;

export interface MintTools {
  readonly credentials: TokenCredentials;
  readonly connection: Pick<Connection, 'send'>;
  /** Milliseconds that only grow. */
  readonly clock: () => number;
}

/** The address of the token endpoint, and the grant without a client. */
export interface TokenEndpoint {
  readonly base: string;
  readonly path: string;
  readonly grant?: 'password';
}

/**
 * Finds the token endpoint. The contract names the publisher's address; the deployment has the same path beneath the address that
 * the user gave. Only addresses that the user gave are called.
 *
 * @returns undefined if the contract names no token endpoint and no `--auth-url` was given
 */
export function findTokenEndpoint(
  contract: Contract,
  { baseUrl, authUrl }: { readonly baseUrl: string; readonly authUrl: string | undefined },
): TokenEndpoint | undefined {
  const flows = Object.values(contract.schemes).map(({ pointer }) =>
    objectAt(readPointer(contract.root, pointer), 'flows'),
  );
  const urlOf = (name: string): string | undefined =>
    flows.map((flow) => textAt(objectAt(flow, name), 'tokenUrl')).find((url) => url !== undefined);
  const byClient = urlOf('clientCredentials');
  const byPassword = byClient === undefined ? urlOf('password') : undefined;
  const declared = byClient ?? byPassword ?? urlOf('authorizationCode');
  if (declared === undefined) return authUrl === undefined ? undefined : { base: authUrl, path: '' };
  const place = placeEndpoint(contract, declared, { baseUrl, authUrl });
  return place === undefined || byPassword === undefined ? place : { ...place, grant: 'password' };
}

function placeEndpoint(
  { operations }: Contract,
  declared: string,
  { baseUrl, authUrl }: { readonly baseUrl: string; readonly authUrl: string | undefined },
): TokenEndpoint | undefined {
  const described = operations.find(
    ({ method, path, servers }) => method === 'post' && servers.some((server) => `${server}${path}` === declared),
  );
  if (described !== undefined) {
    const base = described.target === 'auth' ? authUrl : baseUrl;
    return base === undefined ? undefined : { base, path: described.path };
  }
  const isRelative = !/^[a-z][a-z0-9+.-]*:/i.test(declared);
  const beneath = isRelative && !declared.startsWith('/') ? `/${declared}` : declared;
  const shared = operations.find(({ method, path }) => method === 'post' && beneath.endsWith(path));
  if (shared !== undefined && shared.target === 'api') return { base: baseUrl, path: shared.path };
  if (authUrl !== undefined) return { base: authUrl, path: '' };
  if (!isRelative) return undefined;
  return declared.startsWith('/')
    ? { base: new URL(baseUrl).origin, path: declared }
    : { base: baseUrl, path: beneath };
}

/** Credentials for HTTP Basic at a token endpoint, form-encoded first (RFC 6749, 2.3.1). */
export function basicOfClient(clientId: string, clientSecret: string): string {
  const encode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
  return Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64');
}

/** @returns undefined without credentials for a token endpoint */
export function mintAtEndpoint(
  endpoint: TokenEndpoint,
  { credentials, connection, clock }: MintTools,
): Mint | undefined {
  const { clientId, clientSecret, user } = credentials;
  const address = `POST ${endpoint.base}${endpoint.path}`;
  let { refreshToken } = credentials;
  const hasClient = clientId !== undefined && clientSecret !== undefined;
  const byPassword = endpoint.grant === 'password' ? user : undefined;
  if (!hasClient && refreshToken === undefined && byPassword === undefined) return undefined;
  // Basic comes first: every server with client secrets must support it (RFC 6749, 2.3.1). Some accept secrets only in the body.
  let secretIn: 'header' | 'body' = 'header';

  const ask = async (scopes: readonly string[]): Promise<Answer | string | undefined> => {
    const grant: Readonly<Record<string, string>> =
      refreshToken !== undefined
        ? { grant_type: 'refresh_token', refresh_token: refreshToken }
        : byPassword !== undefined
          ? { grant_type: 'password', username: byPassword.name, password: byPassword.password }
          : { grant_type: 'client_credentials' };
    const form = new URLSearchParams(grant);
    if (scopes.length > 0) form.set('scope', scopes.join(' '));
    const inBody = !hasClient || secretIn === 'body';
    if (inBody && clientId !== undefined) form.set('client_id', clientId);
    if (inBody && clientSecret !== undefined) form.set('client_secret', clientSecret);
    const outcome = await connection.send({
      method: 'POST',
      base: endpoint.base,
      path: endpoint.path,
      headers: [
        ...(inBody ? [] : [['authorization', `Basic ${basicOfClient(clientId, clientSecret)}`] as const]),
        ['content-type', 'application/x-www-form-urlencoded'],
        ['accept', 'application/json'],
      ],
      body: Buffer.from(form.toString()),
    });
    if (outcome === undefined) return undefined;
    if (outcome.kind === 'none') return outcome.message;
    const isUnknown = !isSuccess(outcome) && textAt(parseJson(outcome.body.toString()), 'error') === 'invalid_client';
    if (isUnknown && hasClient && secretIn === 'header') {
      secretIn = 'body';
      const again = await ask(scopes);
      if (typeof again === 'object' && isSuccess(again)) return again;
      secretIn = 'header';
    }
    return outcome;
  };

  // Refreshes are sequential: a server may rotate the refresh token each time and revoke the old one (RFC 6749, 6).
  let last: Promise<unknown> = Promise.resolve();
  return (scopes) => {
    const mint = async (): Promise<FreshToken | string | undefined> => {
      const where = `${address} ${scopes.length === 0 ? 'without a scope' : `with scope ${scopes.join(' ')}`}`;
      const answer = await ask(scopes);
      if (answer === undefined) return undefined;
      if (typeof answer === 'string') return `${where}: ${answer}`;
      const body = parseJson(answer.body.toString());
      if (!isSuccess(answer)) return `${where}: ${answer.status} ${errorOf(body)}`;
      if (refreshToken !== undefined) refreshToken = textAt(body, 'refresh_token') ?? refreshToken;
      return readToken(body, clock()) ?? `${where}: no access_token in the answer`;
    };
    const next = refreshToken === undefined ? mint() : last.then(mint);
    last = next;
    return next;
  };
}

/** Reads the answer of a token endpoint (RFC 6749, 5.1). The token counts as expired early, so that no request carries an expired one. */
function readToken(body: unknown, now: number): FreshToken | undefined {
  const text = textAt(body, 'access_token');
  if (text === undefined) return undefined;
  const seconds = Number(memberOf(body, 'expires_in') ?? Number.POSITIVE_INFINITY);
  const life = seconds > 0 ? seconds * 1000 : Number.POSITIVE_INFINITY;
  const granted = textAt(body, 'scope')?.split(' ').filter(Boolean);
  return { text, granted: granted ?? readScopes(text), freshUntil: now + life - Math.min(30_000, life / 10) };
}

/** Time limit of a command. */
const commandMs = 60_000;

export function mintByCommand(command: string, clock: () => number): Mint {
  return (scopes) =>
    new Promise((resolve) => {
      const env = { ...process.env, LOCKSTEP_SCOPE: scopes.join(' ') };
      const asked = scopes.length === 0 ? '' : ` with scope ${scopes.join(' ')}`;
      execFile('sh', ['-c', insertScope(command)], { env, timeout: commandMs }, (failure, out, error) => {
        const text = out.trim();
        const why = error.trim().split('\n')[0] || failure?.message.split('\n')[0];
        if (failure !== null) return resolve(`--token-command${asked}: exit ${failure.code}: ${why}`);
        const answer = parseJson(text);
        if (isObject(answer))
          return resolve(readToken(answer, clock()) ?? `--token-command${asked}: no access_token in its output`);
        if (text === '' || /\s/.test(text))
          return resolve(`--token-command${asked}: its output is ${text === '' ? 'empty' : 'more than one word'}`);
        resolve({ text, granted: readScopes(text), freshUntil: Number.POSITIVE_INFINITY });
      });
    });
}

/**
 * Replaces `{scope}` by a shell variable, quoted for its context. Scopes come from the contract: the shell never parses their
 * characters as a command.
 */
export function insertScope(command: string): string {
  let quote = '';
  return command.replaceAll(/\\.|'|"|\{scope\}/gs, (part) => {
    if (part === '{scope}')
      return { '': '"$LOCKSTEP_SCOPE"', '"': `\${LOCKSTEP_SCOPE}`, "'": `'"$LOCKSTEP_SCOPE"'` }[quote] ?? part;
    if (part.startsWith('\\') && quote === "'" && part.endsWith("'")) quote = '';
    else if (part === quote) quote = '';
    else if (part.length === 1 && quote === '') quote = part;
    return part;
  });
}

/** The scopes that a JWT names: `scope` (RFC 9068, 2.2.3), or `scp`, a list or text. Undefined for any other token. */
export function readScopes(token: string): readonly string[] | undefined {
  const [, claims, signature] = token.split('.');
  const payload = signature === undefined ? undefined : parseJson(Buffer.from(claims ?? '', 'base64url').toString());
  const scopes = memberOf(payload, 'scope') ?? memberOf(payload, 'scp');
  if (Array.isArray(scopes)) return scopes.map(String);
  return typeof scopes === 'string' ? scopes.split(' ').filter(Boolean) : undefined;
}

function errorOf(body: unknown): string {
  return [textAt(body, 'error'), textAt(body, 'error_description')].filter(Boolean).join(': ');
}
