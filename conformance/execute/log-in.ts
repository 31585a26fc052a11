import { parseJson, readPointer } from '../contract/document.ts';
import type { Connection } from './connection.ts';
import { type Answer, headerOf, isSuccess, type NoAnswer } from './exchange.ts';

type Pair = readonly [name: string, value: string];

/** A validated and normalised user of a file in the format of Web Fuzzing Commons. */
export interface User {
  readonly name: string;
  readonly headers: readonly Pair[];
  /** Request that creates the user first; a 4xx may mean that an earlier run created it. */
  readonly creation: LoginRequest | undefined;
  readonly login: Login | undefined;
}

export interface LoginRequest {
  /** A path at the host of the API, or an address. */
  readonly endpoint: string;
  readonly method: string;
  readonly headers: readonly Pair[];
  readonly body: string | undefined;
  /** The secret in the body, if the file names one. */
  readonly password?: string | undefined;
}

export interface Login extends LoginRequest {
  readonly expectCookies: boolean;
  readonly token: LoginToken | undefined;
}

export interface LoginToken {
  readonly extractFrom: 'body' | 'header';
  /** A JSON pointer, or the name of a header. */
  readonly extractSelector: string;
  readonly sendIn: 'header' | 'query';
  readonly sendName: string;
  /** `{token}` is replaced by the token. */
  readonly sendTemplate: string;
}

/** The parts that authorize a user's requests. */
export interface Badge {
  readonly headers: readonly Pair[];
  readonly query: readonly Pair[];
  readonly cookies: readonly Pair[];
}

export type Session = ReturnType<typeof createSession>;

interface Given {
  readonly user: User;
  readonly baseUrl: string;
  readonly connection: Pick<Connection, 'send'>;
  readonly keepSecret: (text: string) => void;
  /** False under `--read-only`: no user is created. */
  readonly mayCreate: boolean;
}

export function createSession({ user, baseUrl, connection, keepSecret, mayCreate }: Given) {
  const problems = new Set<string>();
  const { login, creation } = user;
  let current: Promise<Badge | undefined> | undefined;
  let [isCreated, isRenewed] = [false, false];
  let replaced: Badge | undefined;

  const logIn = async (): Promise<Badge | undefined> => {
    let note = '';
    if (creation !== undefined && !isCreated) {
      isCreated = true;
      const outcome = mayCreate ? await send(creation, baseUrl, connection) : undefined;
      if (!mayCreate) note = '; because of --read-only, no user was created';
      else if (outcome !== undefined && !isSuccess(outcome))
        note = `; ${creation.method} ${creation.endpoint} created no user: ${describe(outcome)}`;
    }
    if (login === undefined) return { headers: user.headers, query: [], cookies: [] };
    const outcome = await send(login, baseUrl, connection);
    if (outcome === undefined) return undefined;
    const fail = (why: string): undefined => {
      problems.add(`user ${user.name}: ${login.method} ${login.endpoint}: ${why}${note}`);
      return undefined;
    };
    if (outcome.kind === 'none' || !isSuccess(outcome)) return fail(describe(outcome));
    const cookies = login.expectCookies ? readCookies(outcome) : [];
    for (const [, value] of cookies) keepSecret(value);
    if (login.expectCookies && cookies.length === 0 && login.token === undefined)
      return fail('the answer sets no cookie');
    if (login.token === undefined) return { headers: user.headers, query: [], cookies };
    const { extractFrom, extractSelector, sendIn, sendName, sendTemplate } = login.token;
    const token =
      extractFrom === 'header' ? headerOf(outcome, extractSelector) : readMember(outcome.body, extractSelector);
    if (token === undefined) return fail(`the ${extractFrom} of the answer has no token at ${extractSelector}`);
    keepSecret(token);
    const pair: Pair = [sendName, sendTemplate.replaceAll('{token}', () => token)];
    const headers = sendIn === 'header' ? [...user.headers, pair] : user.headers;
    return { headers, query: sendIn === 'query' ? [pair] : [], cookies };
  };

  return {
    problems: (): readonly string[] => [...problems],
    /** Logs in on the first call. @returns undefined if that failed; `problems` gives the reason */
    badge: (): Promise<Badge | undefined> => {
      current ??= logIn();
      return current;
    },
    /** Makes the next `badge` log in again, once. @returns false if there is no login, or if it was repeated before */
    renew: (badge: Badge): boolean => {
      if (badge === replaced) return true;
      if (login === undefined || isRenewed) return false;
      [isRenewed, replaced, current] = [true, badge, undefined];
      return true;
    },
  };
}

/** A path may be relative to the base URL or to the root of its host; the second is tried if the first is not found. */
async function send(
  { endpoint, method, headers, body }: LoginRequest,
  baseUrl: string,
  connection: Pick<Connection, 'send'>,
): Promise<Answer | NoAnswer | undefined> {
  const to = (base: string, path: string): Promise<Answer | NoAnswer | undefined> =>
    connection.send({
      method,
      base,
      path,
      headers: [['accept', 'application/json, */*;q=0.1'], ...headers],
      body: body === undefined ? undefined : Buffer.from(body),
    });
  const address = /^https?:/i.test(endpoint) ? URL.parse(endpoint) : null;
  if (address !== null) return to(address.origin, `${address.pathname}${address.search}`);
  const path = endpoint.startsWith('/') ? endpoint : `/${endpoint}`;
  const { origin } = new URL(baseUrl);
  const first = await to(baseUrl, path);
  const isMissing = first?.kind === 'answer' && (first.status === 404 || first.status === 405);
  return isMissing && origin !== baseUrl ? to(origin, path) : first;
}

function describe(outcome: Answer | NoAnswer): string {
  return outcome.kind === 'none' ? outcome.message : `the answer is ${outcome.status}`;
}

/** Name and value of each `Set-Cookie` (RFC 6265, 5.2) that does not delete a cookie. */
function readCookies({ headers }: Answer): readonly Pair[] {
  return headers
    .filter(([name]) => name === 'set-cookie')
    .flatMap(([, line]): Pair[] => {
      const [pair = '', ...attributes] = line.split(';');
      const at = pair.indexOf('=');
      const isGone = attributes.some((attribute) => /^\s*max-age\s*=\s*(0|-\d+)\s*$/i.test(attribute));
      return at < 1 || isGone ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()]];
    });
}

/** The value at a pointer; the whole text if the pointer is empty and the body is not JSON. */
function readMember(body: Buffer, pointer: string): string | undefined {
  const text = body.toString();
  const parsed = parseJson(text);
  const value = parsed === undefined && pointer === '' ? text : readPointer(parsed, pointer);
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : undefined;
}
