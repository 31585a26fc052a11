import type { Contract, Operation, SecurityScheme } from '../contract/contract.ts';
import { basicOf, type Credentials } from './credentials.ts';
import type { Tokens } from './tokens.ts';

/** What is added to a request so that it is let in. */
export interface Authorization {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly cookies: readonly (readonly [name: string, value: string])[];
  /** Scopes of the token in it; undefined where it has none. */
  readonly scopes: readonly string[] | undefined;
}

const none: Authorization = { headers: [], query: [], cookies: [], scopes: undefined };

interface Tools {
  readonly contract: Contract;
  readonly credentials: Credentials;
  readonly tokens: Tokens;
}

/**
 * Fulfils the first alternative of an operation's security for which there are credentials.
 *
 * @returns undefined when none can be fulfilled and the operation is not open
 */
export async function authorize(
  tools: Tools,
  { security }: Operation,
  extraScopes: readonly string[],
): Promise<Authorization | undefined> {
  if (security.length === 0) return none;
  const closed = security.filter((alternative) => Object.keys(alternative).length > 0);
  for (const alternative of closed) {
    const parts: Authorization[] = [];
    for (const [name, scopes] of Object.entries(alternative)) {
      const scheme = tools.contract.schemes[name];
      const part =
        scheme === undefined ? undefined : await fulfil(tools, scheme, [...new Set([...scopes, ...extraScopes])]);
      if (part !== undefined) parts.push(part);
    }
    const joined = parts.length === Object.keys(alternative).length ? parts.reduce(join) : undefined;
    if (joined !== undefined && isSendable(joined)) return joined;
  }
  return closed.length < security.length ? none : undefined;
}

async function fulfil(
  tools: Tools,
  scheme: SecurityScheme,
  scopes: readonly string[],
): Promise<Authorization | undefined> {
  const { credentials, tokens } = tools;
  const { clientId, clientSecret } = credentials;
  if (scheme.type === 'http' && scheme.scheme === 'basic') {
    if (clientId === undefined || clientSecret === undefined) return undefined;
    return { ...none, headers: [['authorization', `Basic ${basicOf(clientId, clientSecret)}`]] };
  }
  if (scheme.type === 'mutualTLS') return undefined;
  const token = await tokens.tokenFor(scheme.type === 'oauth2' || scheme.type === 'openIdConnect' ? scopes : []);
  if (token === undefined) return undefined;
  if (scheme.key !== undefined) {
    const pair = [[scheme.key.name, token]] as const;
    const part = scheme.key.in === 'query' ? 'query' : scheme.key.in === 'cookie' ? 'cookies' : 'headers';
    return { ...none, [part]: pair };
  }
  const name = scheme.type === 'http' && scheme.scheme !== 'bearer' ? (scheme.scheme ?? 'Bearer') : 'Bearer';
  return { ...none, headers: [['authorization', `${name} ${token}`]], scopes };
}

function join(a: Authorization, b: Authorization): Authorization {
  return {
    headers: [...a.headers, ...b.headers.filter((header) => !a.headers.some((known) => isSame(known, header)))],
    query: [...a.query, ...b.query],
    cookies: [...a.cookies, ...b.cookies],
    scopes: a.scopes === undefined ? b.scopes : [...a.scopes, ...(b.scopes ?? [])],
  };
}

/** Two OAuth schemes that are both asked for are fulfilled by one token in one header. */
function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a[0]?.toLowerCase() === b[0]?.toLowerCase() && a[1] === b[1];
}

/** RFC 9110, 11.6.2: a request carries one `Authorization`, so not Basic and a token at once. */
function isSendable({ headers }: Authorization): boolean {
  const names = headers.map(([name]) => name.toLowerCase());
  return new Set(names).size === names.length;
}
