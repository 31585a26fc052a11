import { type OperationTable, operations as table } from '@lockstep/contract/operations';
import { afterEach, describe, expect, test } from 'vitest';
import { StoreUnavailable } from '../store/store.ts';
import { type Browser, openBrowser } from './fixtures/browser.ts';
import { contractFaults } from './fixtures/contract-faults.ts';
import { issueCode } from './fixtures/issue-code.ts';
import { createMortalStore } from './fixtures/mortal-store.ts';
import { owner, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { basic, loginQuery } from './fixtures/talk.ts';
import { exchangeCode } from './fixtures/token-requests.ts';

// The store fails at the first call of a request, then at the second, and so on. If these fail, an answer contains the path of
// the database, or a browser shows a useless text.

let running: RunningAuth | undefined;
afterEach(() => running?.close());

interface Prepared {
  readonly method?: 'GET' | 'POST';
  /** Below the issuer. */
  readonly path: string;
  readonly fields?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The browser whose cookies are sent. */
  readonly browser?: Browser;
}

interface Case {
  readonly name: string;
  readonly prepare: (auth: RunningAuth) => Promise<Prepared>;
  /** Whether the request never calls the store. */
  readonly isStoreless?: true;
}

const { email, password } = owner;

/** A browser at the page of a login that is under way: its first page, or the consent. */
async function atPage({ origin }: RunningAuth, isConsent: boolean): Promise<{ browser: Browser; path: string }> {
  const browser = openBrowser(origin);
  const first = await browser.get(`/auth/login?${loginQuery({ prompt: 'login consent' })}`);
  const { address } = isConsent ? await browser.post(`${first.address}/login`, { email, password }) : first;
  return { browser, path: new URL(address).pathname.replace('/auth', '') };
}

async function atApps({ origin }: RunningAuth, isLoggedIn: boolean): Promise<{ browser: Browser; token: string }> {
  const browser = openBrowser(origin);
  const [, token = ''] = /name="token" value="([^"]+)"/.exec((await browser.get('/auth/apps')).text) ?? [];
  if (isLoggedIn) await browser.post('/auth/apps/login', { token, email, password });
  return { browser, token };
}

const onPage =
  (isConsent: boolean, step: string, fields: Prepared['fields'] = {}): Case['prepare'] =>
  async (auth) => {
    const { browser, path } = await atPage(auth, isConsent);
    return { method: step === '' ? 'GET' : 'POST', path: `${path}${step}`, browser, ...(step !== '' && { fields }) };
  };

const onApps =
  (isLoggedIn: boolean, step: string, fields: Prepared['fields'] = {}): Case['prepare'] =>
  async (auth) => {
    const { browser, token } = await atApps(auth, isLoggedIn);
    return {
      method: step === '' ? 'GET' : 'POST',
      path: `/apps${step}`,
      browser,
      ...(step !== '' && { fields: { token, ...fields } }),
    };
  };

/** The redirect after the form of a page. */
const onResume =
  (isConsent: boolean, step: string, fields: Prepared['fields'] = {}): Case['prepare'] =>
  async (auth) => {
    const { browser, path } = await atPage(auth, isConsent);
    const { headers } = await ask(auth, { method: 'POST', path: `${path}${step}`, fields, browser });
    return { path: new URL(headers.get('location') ?? '').pathname.replace('/auth', ''), browser };
  };

const onToken =
  (make: (auth: RunningAuth) => Promise<Prepared['fields']>): Case['prepare'] =>
  async (auth) => ({ method: 'POST', path: '/oauth2/token', fields: await make(auth), headers: basic(auth.partner) });

const cases: readonly Case[] = [
  { name: 'a login request', prepare: async () => ({ path: `/login?${loginQuery()}` }) },
  { name: 'the login page', prepare: onPage(false, '') },
  { name: 'its form', prepare: onPage(false, '/login', { email, password }) },
  { name: 'its form with a wrong password', prepare: onPage(false, '/login', { email, password: 'wrong' }) },
  { name: 'the way on from a login', prepare: onResume(false, '/login', { email, password }) },
  { name: 'the consent page', prepare: onPage(true, '') },
  { name: 'a consent', prepare: onPage(true, '/confirm') },
  { name: 'a denial', prepare: onPage(true, '/abort') },
  { name: 'somebody else', prepare: onPage(true, '/other') },
  { name: 'the way on from a consent', prepare: onResume(true, '/confirm') },
  { name: 'the page of apps, logged out', isStoreless: true, prepare: onApps(false, '') },
  { name: 'the page of apps', prepare: onApps(true, '') },
  { name: 'its login', prepare: onApps(false, '/login', { email, password }) },
  { name: 'a disconnection', prepare: onApps(true, '/disconnect', { client: 'test-partner' }) },
  { name: 'logging out', prepare: onApps(true, '/log-out') },
  { name: 'logging out everywhere', prepare: onApps(true, '/log-out-everywhere') },
  {
    name: 'an exchange',
    prepare: onToken(async ({ auth, resource }) => ({
      grant_type: 'authorization_code',
      code: await issueCode(auth.provider, resource),
      redirect_uri: 'https://partner.example/callback',
    })),
  },
  {
    name: 'a refresh',
    prepare: onToken(async (auth) => ({ grant_type: 'refresh_token', refresh_token: await makeToken(auth) })),
  },
  {
    name: "an own account's token",
    prepare: async (auth) => ({
      method: 'POST',
      path: '/oauth2/token',
      fields: { grant_type: 'client_credentials' },
      headers: basic(auth.own),
    }),
  },
  {
    name: 'a revocation',
    prepare: async (auth) => ({
      method: 'POST',
      path: '/oauth2/revoke',
      fields: { token: await makeToken(auth) },
      headers: basic(auth.partner),
    }),
  },
  { name: 'discovery', isStoreless: true, prepare: async () => ({ path: '/.well-known/openid-configuration' }) },
  { name: 'the keys', isStoreless: true, prepare: async () => ({ path: '/.well-known/jwks.json' }) },
];

async function makeToken(auth: RunningAuth): Promise<string> {
  const { body } = await exchangeCode(auth, await issueCode(auth.auth.provider, auth.resource));
  return String(body?.refresh_token);
}

const secret = 'SQLITE_CORRUPT: select payload from oidc_artifact at /var/lib/lockstep/data.sqlite';

const faults = [
  { fault: 'is broken', error: () => new Error(secret), status: 500 },
  { fault: 'is busy', error: () => new StoreUnavailable(secret), status: 503 },
] as const;

/** One of each kind: pages, their forms, redirects, clients. The same code answers a fault in all of them. */
const oneOfEach = ['a login request', 'its form', 'the way on from a consent', 'logging out everywhere', 'a refresh'];

describe.each(faults)('if the store $fault', ({ error, status }) => {
  const [here, inFull] = [true, false].map((isHere) =>
    cases.filter(({ name }) => (status === 503 || oneOfEach.includes(name)) === isHere),
  );
  test.each(here ?? [])('at any of its calls, $name reports that and no more', failAtAnyCall);
  test.each(inFull ?? [])('at any of its calls, $name reports that and no more', { tags: ['full'] }, failAtAnyCall);

  async function failAtAnyCall({ prepare, isStoreless }: Case): Promise<void> {
    const { faultyStore, stopAfter, hasFailed, fix } = createMortalStore(error);
    const auth = await startAuth({ faultyStore });
    running = auth;
    let calls = 0;
    for (let isThrough = false; !isThrough; calls += 1) {
      fix();
      const prepared = await prepare(auth);
      const accept = calls % 2 === 0 ? 'text/html,*/*;q=0.8' : 'application/json';
      const logged = auth.log.length;
      stopAfter(calls);
      const answer = await ask(auth, { ...prepared, headers: { ...prepared.headers, Accept: accept } });
      isThrough = !hasFailed();
      expectHeaders(answer);
      expect(answer.said).not.toMatch(/SQLITE|oidc_artifact|\/var\/|data\.sqlite|\bat .*[jt]s:|node_modules|oops!/);
      if (isThrough) {
        expect(answer.status).toBeLessThan(500);
        continue;
      }
      expectFault(answer, { status, isHtml: accept.startsWith('text/html') && !prepared.path.startsWith('/oauth2') });
      expect(findContractFaults(prepared, answer)).toEqual([]);
      const lines = auth.log.slice(logged).filter(({ level }) => level !== 'info');
      const requestId = answer.headers.get('x-request-id');
      for (const { fields } of lines) expect(fields).toMatchObject({ requestId });
      const levels = lines.map(({ level }) => level);
      // The cause is for the log alone.
      const causes = lines.map(({ fields }) => (fields as { err?: Error }).err?.message);
      if (status === 500) expect([levels.includes('error'), causes.includes(secret)]).toEqual([true, true]);
      else expect(levels.length).toBeGreaterThan(0);
    }
    if (isStoreless) expect(calls).toBe(1);
    else expect(calls).toBeGreaterThan(1);
  }
});

const operations: OperationTable = table;

/** Differences from the contract, if the request is one of its operations; the pages behind the login are not. */
function findContractFaults({ method = 'GET', path }: Prepared, { text, ...answer }: Asked): readonly string[] {
  const operation = Object.values(operations).find(
    (one) => one.method === method.toLowerCase() && one.path === path.split('?')[0],
  );
  if (operation === undefined) return [];
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  return contractFaults(operation.pointer, { ...answer, text, body: isJson ? JSON.parse(text) : undefined });
}

type Asked = Awaited<ReturnType<typeof ask>>;

function expectHeaders({ headers }: Asked): void {
  expect(Object.fromEntries(headers)).toMatchObject({
    'x-request-id': expect.stringMatching(/^req-[0-9a-f]{16}$/),
    'content-security-policy': expect.stringMatching(/^default-src 'none'.*frame-ancestors 'none'/),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'strict-transport-security': expect.stringContaining('max-age='),
  });
  expect(headers.has('x-powered-by')).toBe(false);
}

function expectFault({ status, headers, text }: Asked, want: { status: number; isHtml: boolean }): void {
  const location = headers.get('location');
  if (location !== null) {
    // OAuth reports the error at the client's callback; a busy store is reported to the browser, since a callback can't wait.
    expect([status, want.status]).toEqual([303, 500]);
    expect(new URL(location).searchParams.get('error')).toBe('server_error');
    return;
  }
  expect([status, headers.get('cache-control')]).toEqual([want.status, 'no-store']);
  expect(headers.get('retry-after')).toBe(want.status === 503 ? '1' : null);
  if (want.isHtml) expect(text).toMatch(/^<!doctype html>.*<h1>.+<\/h1>/s);
  else expect(JSON.parse(text)).toEqual({ error: 'server_error', error_description: expect.any(String) });
}

async function ask({ origin }: RunningAuth, { method = 'GET', path, fields, headers, browser }: Prepared) {
  const address = `${origin}/auth${path}`;
  const cookie = [...(browser?.cookiesFor(address) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  const answer = await fetch(address, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(cookie && { Cookie: cookie }) },
    ...(fields && { body: new URLSearchParams(fields) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, said: `${[...answer.headers].join('\n')}\n${text}` };
}
