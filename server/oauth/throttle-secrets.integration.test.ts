import { request } from 'node:http';
import { operations } from '@lockstep/contract/operations';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { processes } from '../store/fixtures/test-database.ts';
import { contractFaults } from './fixtures/contract-faults.ts';
import { type RunningAuth, type StartOptions, startAuth } from './fixtures/start-auth.ts';
import { type Answer, basic, post } from './fixtures/talk.ts';
import { throttle } from './middleware/throttle-secrets.ts';

// The OAuth server reads the system clock, so only the date is faked; timers and sockets are real.

const start = Date.UTC(2026, 11, 1, 12);
const grant = { grant_type: 'client_credentials', token: 'x' };

let running: RunningAuth;
afterEach(async () => {
  vi.useRealTimers();
  await running.close();
});

async function begin(options: StartOptions = {}): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  running = await startAuth(options);
}

const wrong = (clientId = 'test-own') => basic({ clientId, secret: 'wrong' });
const ask = (headers: object, path = '/oauth2/token') => post(running, path, grant, headers);

async function exhaust(headers: object = wrong()): Promise<void> {
  for (let attempt = 0; attempt < throttle.failures; attempt += 1) await ask(headers);
}

const isThrottled = ({ status, body }: Pick<Answer, 'status' | 'body'>) =>
  status === 401 && /^too many failed attempts/.test(String(body?.error_description));

describe('wrong client secrets', () => {
  test('two hundred in a minute: the first are judged, the others wait, and every answer is in the contract', async () => {
    await begin();
    const answers: Answer[] = [];
    for (let attempt = 0; attempt < 200; attempt += 1) {
      vi.setSystemTime(start + attempt * 250);
      answers.push(await ask(wrong()));
    }
    const judged = answers.findIndex(isThrottled);
    expect(judged).toBe(throttle.failures);
    expect(answers.slice(judged).every(isThrottled)).toBe(true);
    for (const answer of answers) {
      expect([answer.status, answer.body?.error]).toEqual([401, 'invalid_client']);
      expect(contractFaults(operations.exchangeToken.pointer, answer)).toEqual([]);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm="/);
    }
    expect(answers.at(-1)?.headers.get('retry-after')).toBe('11');
    expect(answers.at(-1)?.body?.error_description).toBe('too many failed attempts, try again in 11 seconds');
  });

  test('the right one waits too, exactly as long as the answer states', async () => {
    await begin();
    await exhaust();
    vi.setSystemTime(start + 1234);
    const refused = await ask(basic(running.own));
    expect(isThrottled(refused)).toBe(true);
    const seconds = Number(refused.headers.get('retry-after'));
    vi.setSystemTime(start + 1234 + (seconds - 1) * 1000);
    expect(isThrottled(await ask(basic(running.own)))).toBe(true);
    vi.setSystemTime(start + 1234 + seconds * 1000);
    expect((await ask(basic(running.own))).status).toBe(200);
  });

  test('are counted at both endpoints and in every spelling of the id', async () => {
    await begin();
    const spelt = { clientId: 'test%2Down', secret: 'wrong' };
    for (let attempt = 0; attempt < throttle.failures; attempt += 1)
      await ask(attempt % 2 === 0 ? wrong() : basic(spelt), attempt % 3 === 0 ? '/oauth2/revoke' : '/oauth2/token');
    for (const path of ['/oauth2/token', '/oauth2/revoke']) {
      const answer = await ask(basic(running.own), path);
      expect(isThrottled(answer)).toBe(true);
      const { pointer } = path === '/oauth2/token' ? operations.exchangeToken : operations.revokeToken;
      expect(contractFaults(pointer, answer)).toEqual([]);
    }
  });

  test('do not reveal which clients exist', async () => {
    await begin();
    for (const clientId of ['nobody', 'test-own', "x'--"]) {
      await exhaust(wrong(clientId));
      const { status, body } = await ask(wrong(clientId));
      expect([status, body]).toEqual([
        401,
        { error: 'invalid_client', error_description: 'too many failed attempts, try again in 60 seconds' },
      ]);
    }
  });

  test('leave other clients and other addresses alone', async () => {
    await begin();
    await exhaust();
    expect((await ask(basic(running.narrow))).status).toBe(200);
    expect(isThrottled(await from('127.0.0.1', basic(running.own)))).toBe(true);
    expect((await from('127.0.0.2', basic(running.own))).status).toBe(200);
  });

  test('valid requests and other faults are not counted', async () => {
    await begin();
    const good = Array.from({ length: 3 * throttle.failures }, () => ask(basic(running.own)));
    expect((await Promise.all(good)).map(({ status }) => status)).toEqual(good.map(() => 200));
    for (let attempt = 0; attempt <= throttle.failures; attempt += 1) {
      await post(running, '/oauth2/token', { grant_type: 'no' }, basic(running.own));
      await post(running, '/oauth2/token', { ...grant, client_id: 'test-own' });
      await ask({ Authorization: 'Basic !!!' });
    }
    expect((await ask(basic(running.own))).status).toBe(200);
  });

  test('behind a TLS proxy count by the address that the proxy has seen', async () => {
    await begin({ publicOrigin: 'https://api.example' });
    const through = (forwarded: string, headers: object) =>
      from('127.0.0.1', { ...headers, Host: 'api.example', 'X-Forwarded-For': forwarded });
    for (let attempt = 0; attempt < throttle.failures; attempt += 1)
      await through(`198.51.100.${attempt}, 203.0.113.7`, wrong());
    expect(isThrottled(await through('198.51.100.99, 203.0.113.7', basic(running.own)))).toBe(true);
    expect((await through('203.0.113.7, 203.0.113.8', basic(running.own))).status).toBe(200);
  });

  test('without a proxy, no header gives another address', async () => {
    await begin();
    for (let attempt = 0; attempt < throttle.failures; attempt += 1)
      await ask({ ...wrong(), 'X-Forwarded-For': `198.51.100.${attempt}` });
    expect(isThrottled(await ask({ ...basic(running.own), 'X-Forwarded-For': '198.51.100.99' }))).toBe(true);
  });

  test('are logged once a window, by request, client and address, without the secret', async () => {
    await begin();
    await exhaust();
    for (let attempt = 0; attempt < 5; attempt += 1) await ask(wrong());
    const entries = running.log.filter(({ text }) => text === 'client authentication throttled');
    expect(entries).toMatchObject([
      { level: 'warn', fields: { clientId: 'test-own', requestId: expect.any(String), address: expect.any(String) } },
    ]);
    expect(JSON.stringify(running.log)).not.toContain(btoa('test-own:wrong'));
  });

  // Each process logs for itself.
  test.skipIf(processes > 1)('are logged once a minute, though failures leave the window one by one', async () => {
    await begin();
    const logged: number[] = [];
    for (let second = 0; second < 180; second += 1) {
      vi.setSystemTime(start + second * 1000);
      await ask(wrong());
      const before = logged.length;
      const entries = running.log.filter(({ text }) => text === 'client authentication throttled');
      if (entries.length > before) logged.push(second);
    }
    expect(logged).toEqual([19, 79, 139]);
  });
});

/** Sends from a local address: every 127.x.y.z is this machine's. */
function from(localAddress: string, headers: object): Promise<Pick<Answer, 'status' | 'body'>> {
  const { promise, resolve, reject } = Promise.withResolvers<Pick<Answer, 'status' | 'body'>>();
  const body = new URLSearchParams(grant).toString();
  const options = {
    method: 'POST',
    host: '127.0.0.1',
    port: running.port,
    path: '/auth/oauth2/token',
    localAddress,
    headers: { Host: `localhost:${running.port}`, 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  };
  const sent = request(options, async (response) => {
    const chunks = await response.toArray();
    resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) });
  });
  sent.on('error', reject).end(body);
  return promise;
}
