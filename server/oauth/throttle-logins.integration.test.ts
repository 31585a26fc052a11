import { Agent, request } from 'node:http';
import { operations } from '@lockstep/contract/operations';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { processes } from '../store/fixtures/test-database.ts';
import { contractFaults } from './fixtures/contract-faults.ts';
import { type RunningAuth, type StartOptions, startAuth } from './fixtures/start-auth.ts';
import { type Answer, basic, loginQuery, openAt, post, send } from './fixtures/talk.ts';
import { enterApps } from './fixtures/walk.ts';
import { loginLimit } from './middleware/throttle-logins.ts';

// Each login request writes a row for half an hour before its sender is known. If these fail, one address fills the database.
// The OAuth server reads the system clock, so only the date is faked; timers and sockets are real.

const start = Date.UTC(2026, 11, 1, 12);
const path = `/auth/login?${loginQuery()}`;

let running: RunningAuth;
afterEach(async () => {
  vi.useRealTimers();
  await running.close();
});

async function begin(options: StartOptions = {}): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  running = await startAuth(options);
}

const ask = (headers: Record<string, string> = {}): Promise<Answer> =>
  send(running, `/login?${loginQuery()}`, { headers });

async function exhaust(headers: Record<string, string> = {}): Promise<void> {
  for (let count = 0; count < loginLimit.requests; count += 1) expect((await ask(headers)).status).toBe(303);
}

describe('login requests of one address', () => {
  test('are accepted exactly up to the limit, over any number of connections', async () => {
    await begin();
    const [connections, requestsEach] = [20, 20];
    const sockets = new Set<unknown>();
    const runs = Array.from({ length: connections }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const burst = Array.from({ length: requestsEach }, () => askOver(agent, sockets));
      const statuses = await Promise.all(burst);
      agent.destroy();
      return statuses;
    });
    const statuses = (await Promise.all(runs)).flat();
    expect(sockets.size).toBe(connections);
    expect(statuses.filter((status) => status === 303)).toHaveLength(loginLimit.requests);
    expect(statuses.filter((status) => status === 429)).toHaveLength(connections * requestsEach - loginLimit.requests);
  });

  test('wait exactly as long as the answer states, and the stated time decreases', async () => {
    await begin();
    await exhaust();
    const told: number[] = [];
    for (const later of [1234, 20_000, 45_678]) {
      vi.setSystemTime(start + later);
      const refused = await ask();
      expect([refused.status, refused.body?.error]).toEqual([429, 'temporarily_unavailable']);
      const seconds = Number(refused.headers.get('retry-after'));
      expect(later + seconds * 1000).toBeGreaterThanOrEqual(60_000);
      told.push(seconds);
    }
    expect(told).toEqual([59, 40, 15]);
    vi.setSystemTime(start + 45_678 + 14_000);
    expect((await ask()).status).toBe(429);
    vi.setSystemTime(start + 45_678 + 15_000);
    expect((await ask()).status).toBe(303);
  });

  test('are rejected as the contract states, and by a page in a browser, with all headers', async () => {
    await begin();
    await exhaust();
    const refused = await ask();
    expect(contractFaults(operations.login.pointer, refused)).toEqual([]);
    const page = await ask({ Accept: 'text/html', 'Accept-Language': 'de' });
    expect(page.status).toBe(429);
    expect(page.text).toMatch(/<html lang="de">.*<h1>.+<\/h1>/s);
    for (const { headers } of [refused, page])
      expect(Object.fromEntries(headers)).toMatchObject({
        'retry-after': '60',
        'cache-control': 'no-store',
        'x-request-id': expect.stringMatching(/^req-/),
        'content-security-policy': expect.stringMatching(/^default-src 'none'/),
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'strict-transport-security': expect.stringContaining('max-age='),
      });
  });

  test('count with any content and method, except rejected ones', async () => {
    await begin();
    for (let count = 0; count < loginLimit.requests; count += 1) {
      const sent = [`/login?${loginQuery()}`, '/login', `/login?${loginQuery({ prompt: 'none' })}`][count % 3] ?? '';
      expect((await send(running, sent, { method: count % 2 === 0 ? 'GET' : 'HEAD' })).status).toBeLessThan(429);
    }
    for (let count = 0; count < loginLimit.requests; count += 1) expect((await ask()).status).toBe(429);
    vi.setSystemTime(start + 60_000);
    expect((await ask()).status).toBe(303);
  });

  test('leave the rest alone: pages under way, tokens, apps, discovery', async () => {
    await begin();
    const location = (await ask()).headers.get('location') ?? '';
    for (let count = 1; count < loginLimit.requests; count += 1) await ask();
    expect((await ask()).status).toBe(429);
    const token = await post(running, '/oauth2/token', { grant_type: 'client_credentials' }, basic(running.own));
    expect(token.status).toBe(200);
    for (const other of ['/apps', '/.well-known/openid-configuration', location.replace('/auth', '')])
      expect((await send(running, other)).status).not.toBe(429);
  });

  test('leave other addresses alone, and without a proxy no header gives another address', async () => {
    await begin();
    await exhaust();
    expect(await askOver(new Agent(), new Set(), '127.0.0.2')).toBe(303);
    expect((await ask({ 'X-Forwarded-For': '198.51.100.7' })).status).toBe(429);
  });

  test('leave a known browser alone, and count it by itself', async () => {
    await begin();
    const known = openAt(running);
    await enterApps(known);
    const Cookie = [...known.cookiesFor('/auth/login')].map(([name, value]) => `${name}=${value}`).join('; ');
    await exhaust();
    expect((await ask()).status).toBe(429);
    await exhaust({ Cookie });
    expect((await ask({ Cookie })).status).toBe(429);
    // Another mark has another count; without its signature it is ignored.
    vi.setSystemTime(start + 60_000);
    await exhaust();
    expect((await ask({ Cookie: Cookie.replace(/_known=./, '_known=-') })).status).toBe(429);
    expect((await ask({ Cookie })).status).toBe(303);
  });

  test('behind a TLS proxy are counted by the address that it has seen', async () => {
    await begin({ publicOrigin: 'https://api.example' });
    const through = (forwarded: string) => ({ 'X-Forwarded-Host': 'api.example', 'X-Forwarded-For': forwarded });
    for (let count = 0; count < loginLimit.requests; count += 1)
      expect((await ask(through(`198.51.100.${count}, 203.0.113.7`))).status).toBe(303);
    expect((await ask(through('198.51.100.250, 203.0.113.7'))).status).toBe(429);
    expect((await ask(through('203.0.113.7, 203.0.113.8'))).status).toBe(303);
    // An IPv6 network counts as one, for any of its addresses.
    for (let count = 0; count < loginLimit.requests; count += 1)
      expect((await ask(through(`2001:db8:1:2::${count.toString(16)}`))).status).toBe(303);
    expect((await ask(through('2001:db8:1:2:ffff:ffff:ffff:ffff'))).status).toBe(429);
    expect((await ask(through('2001:db8:1:3::1'))).status).toBe(303);
  });

  // Each process logs for itself.
  test.skipIf(processes > 1)('are logged once a minute, by request and address', async () => {
    await begin();
    await exhaust();
    for (const later of [0, 1000, 59_000, 59_999]) {
      vi.setSystemTime(start + later);
      await ask();
    }
    vi.setSystemTime(start + 60_000);
    await exhaust();
    await ask();
    const lines = running.log.filter(({ text }) => text === 'login requests throttled');
    const fields = { requestId: expect.stringMatching(/^req-/), address: expect.any(String) };
    expect(lines).toEqual([
      { level: 'warn', text: 'login requests throttled', fields },
      { level: 'warn', text: 'login requests throttled', fields },
    ]);
  });
});

function askOver(agent: Agent, sockets: Set<unknown>, localAddress = '127.0.0.1'): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const headers = { Host: `localhost:${running.port}` };
  const asked = request({ host: '127.0.0.1', port: running.port, path, agent, localAddress, headers }, (answer) => {
    answer.resume();
    answer.on('end', () => resolve(answer.statusCode));
  });
  asked.on('socket', (socket) => sockets.add(socket)).on('error', reject);
  asked.end();
  return promise;
}
