import { isObject, textAt } from '../contract/json.ts';
import type { Connection } from './connection.ts';
import { basicOf, type Credentials } from './credentials.ts';
import { isSuccess } from './exchange.ts';

/** Hands out access tokens: the one that the user gave, or one for each set of scopes from the token endpoint. */
export interface Tokens {
  /** @returns undefined where none can be had; `problems` says why */
  readonly tokenFor: (scopes: readonly string[]) => Promise<string | undefined>;
  /** Forgets a token that is no longer taken, once for each set; false when that has been done before. */
  readonly renew: (scopes: readonly string[]) => boolean;
  readonly problems: () => readonly string[];
}

interface Given {
  readonly credentials: Credentials;
  readonly endpoint: { readonly base: string; readonly path: string } | undefined;
  readonly connection: Connection;
  /** Told each token as it comes, so that no output shows it. */
  readonly keepSecret: (text: string, variable: string) => void;
}

interface Token {
  readonly text: string;
  /** Scopes that the server said it granted; undefined: as asked (RFC 6749, 5.1). */
  readonly granted: readonly string[] | undefined;
}

export function createTokens({ credentials, endpoint, connection, keepSecret }: Given): Tokens {
  const problems = new Set<string>();
  const cache = new Map<string, Promise<Token | undefined>>();
  const renewed = new Set<string>();
  const { token, clientId, clientSecret } = credentials;

  const fetchToken = async (scopes: readonly string[]): Promise<Token | undefined> => {
    if (endpoint === undefined || clientId === undefined || clientSecret === undefined) return undefined;
    const form = new URLSearchParams({ grant_type: 'client_credentials' });
    if (scopes.length > 0) form.set('scope', scopes.join(' '));
    const outcome = await connection.send({
      method: 'POST',
      ...endpoint,
      headers: [
        ['authorization', `Basic ${basicOf(clientId, clientSecret)}`],
        ['content-type', 'application/x-www-form-urlencoded'],
        ['accept', 'application/json'],
      ],
      body: Buffer.from(form.toString()),
    });
    const asked = scopes.length === 0 ? 'without a scope' : `with scope ${scopes.join(' ')}`;
    if (outcome === undefined) return undefined;
    if (outcome.kind === 'none' || !isSuccess(outcome)) {
      const why = outcome.kind === 'answer' ? `${outcome.status} ${errorOf(outcome.body)}` : outcome.says;
      problems.add(`POST ${endpoint.base}${endpoint.path} ${asked}: ${why}`);
      return undefined;
    }
    const body = parse(outcome.body);
    const text = textAt(body, 'access_token');
    if (text === undefined)
      problems.add(`POST ${endpoint.base}${endpoint.path} ${asked}: no access_token in the answer`);
    else keepSecret(text, 'TOKEN');
    return text === undefined ? undefined : { text, granted: textAt(body, 'scope')?.split(' ') };
  };

  const cached = (scopes: readonly string[]): Promise<Token | undefined> => {
    const key = scopes.join(' ');
    const known = cache.get(key) ?? fetchToken(scopes);
    cache.set(key, known);
    return known;
  };

  return {
    problems: () => [...problems],
    renew: (scopes) => {
      const key = [...scopes].sort().join(' ');
      if (token !== undefined || endpoint === undefined || renewed.has(key)) return false;
      renewed.add(key);
      cache.delete('');
      cache.delete(key);
      return true;
    },
    tokenFor: async (scopes) => {
      if (token !== undefined) return token;
      const wanted = [...scopes].sort();
      // Without a scope many servers grant all that the client has: one token then serves every operation.
      const general = await cached([]);
      const isEnough = general !== undefined && wanted.every((scope) => general.granted?.includes(scope) ?? true);
      if (isEnough || wanted.length === 0) return general?.text;
      return (await cached(wanted))?.text ?? general?.text;
    },
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function errorOf(body: Buffer): string {
  const value = parse(body);
  return isObject(value) ? [textAt(value, 'error'), textAt(value, 'error_description')].filter(Boolean).join(': ') : '';
}
