import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Browser, openBrowser } from './fixtures/browser.ts';
import { createRotating } from './fixtures/create-rotating.ts';
import { issueCode } from './fixtures/issue-code.ts';
import { type LogEntry, owner, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { basic, loginQuery, loginTokens, post, send } from './fixtures/talk.ts';
import { exchangeCode, refresh, revoke } from './fixtures/token-requests.ts';
import { guessLimits } from './limit-guesses.ts';
import { loginLimit } from './middleware/throttle-logins.ts';

const start = Date.UTC(2026, 11, 1, 12);

let running: RunningAuth | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await running?.close();
});

const { email, password } = owner;

interface Event {
  readonly name: string;
  /** Runs all requests; the last one has the id `the-last-one` or comes from a browser. */
  readonly act: (auth: RunningAuth) => Promise<unknown>;
  readonly want: { readonly level: LogEntry['level']; readonly text: string; readonly fields: object };
}

async function openLogin({ origin }: RunningAuth): Promise<{ browser: Browser; address: string }> {
  const browser = openBrowser(origin);
  const { address } = await browser.get(`/auth/login?${loginQuery()}`);
  return { browser, address };
}

async function openApps({ origin }: RunningAuth): Promise<{ browser: Browser; token: string }> {
  const browser = openBrowser(origin);
  const [, token = ''] = /name="token" value="([^"]+)"/.exec((await browser.get('/auth/apps')).text) ?? [];
  await browser.post('/auth/apps/login', { token, email, password });
  return { browser, token };
}

const last = { headers: { 'X-Request-Id': 'the-last-one' } };
const requestId = expect.stringMatching(/^(?:the-last-one|req-[0-9a-f]{16})$/);
const clientId = 'test-partner';
const ownerId = owner.id;

const events: readonly Event[] = [
  {
    name: 'a login',
    act: async (auth) => {
      const { browser, address } = await openLogin(auth);
      await browser.post(`${address}/login`, { email, password });
    },
    want: { level: 'info', text: 'owner logged in', fields: { requestId, clientId, ownerId } },
  },
  {
    name: 'a wrong password',
    act: async (auth) => {
      const { browser, address } = await openLogin(auth);
      await browser.post(`${address}/login`, { email, password: 'wrong' });
    },
    want: {
      level: 'warn',
      text: 'owner login failed',
      fields: { requestId, clientId, ownerId, reason: 'wrong password' },
    },
  },
  {
    name: 'an unknown e-mail',
    act: async (auth) => {
      const { browser, address } = await openLogin(auth);
      await browser.post(`${address}/login`, { email: 'nobody@harbour.example', password });
    },
    want: {
      level: 'warn',
      text: 'owner login failed',
      fields: { requestId, clientId, ownerId: undefined, reason: 'unknown e-mail' },
    },
  },
  {
    name: 'a disabled owner',
    act: async (auth) => {
      const { browser, address } = await openLogin(auth);
      const entry = { at: Date.now(), accountId: owner.accountId, clientId: ownerId, deviceId: null, requestId: null };
      await auth.store.owners.setDisabled(ownerId, Date.now(), { ...entry, action: 'disable_owner' });
      await browser.post(`${address}/login`, { email, password });
    },
    want: { level: 'warn', text: 'owner login failed', fields: { requestId, clientId, ownerId, reason: 'disabled' } },
  },
  {
    name: 'guesses that are too many',
    act: async (auth) => {
      const { browser, address } = await openLogin(auth);
      for (let attempt = 0; attempt <= guessLimits.together.failures; attempt += 1)
        await browser.post(`${address}/login`, { email, password: 'wrong' });
    },
    want: {
      level: 'warn',
      text: 'owner login throttled',
      fields: { requestId, address: expect.any(String), waitSeconds: expect.any(Number) },
    },
  },
  {
    name: 'login requests that are too many',
    act: async (auth) => {
      for (let count = 0; count <= loginLimit.requests; count += 1) await send(auth, '/login', last);
    },
    want: { level: 'warn', text: 'login requests throttled', fields: { requestId, address: expect.any(String) } },
  },
  {
    name: 'secrets that are too many',
    act: async (auth) => {
      for (let count = 0; count < 21; count += 1)
        await revoke(auth, 'x', { client: { clientId, secret: 'wrong' }, ...last });
    },
    want: {
      level: 'warn',
      text: 'client authentication throttled',
      fields: { requestId, clientId, address: expect.any(String) },
    },
  },
  {
    name: 'a wrong secret',
    act: (auth) => refresh(auth, 'x', { client: { clientId, secret: 'wrong' }, ...last }),
    want: {
      level: 'warn',
      text: 'token request rejected',
      fields: { requestId: 'the-last-one', clientId, error: 'invalid_client' },
    },
  },
  {
    name: 'a token',
    act: async (auth) => exchangeCode(auth, await issueCode(auth.auth.provider, auth.resource), last),
    want: {
      level: 'info',
      text: 'token issued',
      fields: { requestId: 'the-last-one', clientId, grantType: 'authorization_code' },
    },
  },
  {
    name: 'a rejected token request',
    act: (auth) => refresh(auth, 'x', last),
    want: {
      level: 'warn',
      text: 'token request rejected',
      fields: { requestId: 'the-last-one', clientId, grantType: 'refresh_token', error: 'invalid_grant' },
    },
  },
  {
    name: 'a revocation by the client',
    act: async (auth) => revoke(auth, (await loginTokens(auth)).refresh_token, last),
    want: {
      level: 'info',
      text: 'grant revoked',
      fields: { requestId: 'the-last-one', clientId, grantId: expect.any(String) },
    },
  },
  {
    name: 'the replay of a code',
    act: async (auth) => {
      const code = await issueCode(auth.auth.provider, auth.resource);
      await exchangeCode(auth, code);
      await exchangeCode(auth, code, last);
    },
    want: {
      level: 'info',
      text: 'grant revoked',
      fields: { requestId: 'the-last-one', clientId, grantId: expect.any(String) },
    },
  },
  {
    name: 'the replay of an expired code',
    act: async (auth) => {
      const code = await issueCode(auth.auth.provider, auth.resource);
      await exchangeCode(auth, code);
      vi.setSystemTime(start + 3_600_000);
      await exchangeCode(auth, code, last);
    },
    want: {
      level: 'info',
      text: 'grant revoked',
      fields: { requestId: 'the-last-one', clientId, grantId: expect.any(String) },
    },
  },
  {
    name: 'the replay of a refresh token',
    act: async (auth) => {
      const client = await createRotating(auth);
      const code = await issueCode(auth.auth.provider, auth.resource, { clientId: client.clientId });
      const { body } = await exchangeCode(auth, code, { client });
      await refresh(auth, body?.refresh_token, { client });
      await refresh(auth, body?.refresh_token, { client, ...last });
    },
    want: {
      level: 'info',
      text: 'grant revoked',
      fields: { requestId: 'the-last-one', clientId: 'test-rotating', grantId: expect.any(String) },
    },
  },
  {
    name: 'a disconnection by the owner',
    act: async (auth) => {
      await loginTokens(auth);
      const { browser, token } = await openApps(auth);
      await browser.post('/auth/apps/disconnect', { token, client: clientId });
    },
    want: { level: 'info', text: 'owner disconnected a client', fields: { requestId, clientId, ownerId } },
  },
  {
    name: 'logging out everywhere',
    act: async (auth) => {
      await loginTokens(auth);
      const { browser, token } = await openApps(auth);
      await browser.post('/auth/apps/log-out-everywhere', { token });
    },
    want: { level: 'info', text: 'owner logged out everywhere', fields: { requestId, ownerId, grants: 1 } },
  },
];

describe('the log', () => {
  test.each(events)('has one line of $name, with the id of the request', async ({ act, want }) => {
    vi.useFakeTimers({ toFake: ['Date'], now: start });
    running = await startAuth();
    await act(running);
    const lines = running.log.filter(({ level, text }) => text === want.text && level === want.level);
    const isMany = want.text === 'owner login failed' || want.text === 'token issued';
    if (!isMany) expect(lines).toHaveLength(1);
    expect(lines.at(-1)).toEqual({ ...want, fields: expect.objectContaining(want.fields) });
  });
});

describe('text from callers', () => {
  const forged = 'x\r\n{"level":30,"msg":"owner logged in"}';
  const marker = 'owner logged in';

  test('forges no line: only a valid request id and an existing client are logged', async () => {
    running = await startAuth();
    const { browser, address } = await openLogin(running);
    const agent = { 'User-Agent': `agent ${marker}`, 'X-Forwarded-For': marker, Referer: `https://x/${marker}` };
    await browser.post(`${address}/login`, { email: forged, password: forged }, agent);
    await browser.post(`${address}/login`, { email: forged, password: forged }, { ...agent, Accept: marker });
    const parameters = ['client_id', 'state', 'scope', 'nonce', 'login_hint', 'ui_locales', 'prompt', 'redirect_uri'];
    for (const name of [...parameters, 'response_type', 'response_mode', 'resource', 'code_challenge', 'id_token_hint'])
      await send(running, `/login?${loginQuery({ [name]: forged })}`, { headers: agent });
    for (const name of ['grant_type', 'code', 'redirect_uri', 'client_id', 'scope', 'code_verifier', 'resource'])
      await exchangeCode(running, 'x', { fields: { [name]: forged }, headers: agent });
    await refresh(running, forged, { fields: { scope: forged }, headers: agent });
    await revoke(running, forged, { fields: { token_type_hint: forged } });
    for (let attempt = 0; attempt < 21; attempt += 1)
      await post(running, '/oauth2/token', {}, basic({ clientId: encodeURIComponent(forged), secret: forged }));
    await browser.post('/auth/apps/login', { token: forged, email: forged, password: forged });
    await send(running, `/${encodeURIComponent(forged)}`);
    const id = { headers: { 'X-Request-Id': `mine ${marker}` } };
    await revoke(running, 'x', { client: { clientId, secret: 'wrong' }, ...id });
    expect(running.log.length).toBeGreaterThan(10);
    const said = running.log.filter(({ text }) => text !== marker).map((entry) => JSON.stringify(entry));
    expect(said.filter((line) => line.includes(marker) || line.includes('\\r') || line.includes('\\n'))).toEqual([]);
  });

  test.each(['a b', '"}{"', 'x'.repeat(65)])('as the id of a request, %j, is not used', async (sent) => {
    running = await startAuth();
    const answer = await refresh(running, 'x', { headers: { 'X-Request-Id': sent } });
    expect(answer.headers.get('x-request-id')).toMatch(/^req-[0-9a-f]{16}$/);
    expect(JSON.stringify(running.log)).not.toContain(JSON.stringify(sent).slice(1, -1));
  });
});
