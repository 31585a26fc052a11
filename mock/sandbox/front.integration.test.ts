import { request as sendHttp } from 'node:http';
import { connect } from 'node:net';
import { type Operation, operations } from '@lockstep/contract/operations';
import { openBrowser } from '@lockstep/server/oauth/fixtures/browser';
import { createTestKeys } from '@lockstep/server/oauth/fixtures/keys';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type NewFault, type RunningSandbox, startMock } from '../index.ts';
import { startSandbox } from './start-sandbox.ts';

let mock: RunningSandbox;
let token: string;
beforeAll(async () => {
  mock = await startMock();
  token = await mock.token();
});
afterAll(() => mock.close());
afterEach(() => mock.control.reset());

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer as the caller sees it, or its absence. */
interface Seen {
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Whether the body had its whole length. */
  readonly isWhole: boolean;
}

function call({ method = 'GET', path, headers, body }: Sent): Promise<Seen> {
  const { promise, resolve } = Promise.withResolvers<Seen>();
  const request = sendHttp(
    `${mock.origin}${path}`,
    { method, headers: { authorization: `Bearer ${token}`, ...headers }, agent: false },
    (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', () => undefined);
      answer.on('close', () => {
        const { statusCode = null, headers: received, complete } = answer;
        resolve({ status: statusCode, headers: received, text: Buffer.concat(chunks).toString(), isWhole: complete });
      });
    },
  );
  request.on('error', () => resolve({ status: null, headers: {}, text: '', isWhole: false }));
  request.end(body);
  return promise;
}

const json = { 'content-type': 'application/json' };
const setLevel = (level: number): Sent => ({
  method: 'PUT',
  path: '/v1/devices/LK2A00000001',
  headers: json,
  body: JSON.stringify({ batteryLevel: String(level) }),
});
const readLevel = async (): Promise<unknown> =>
  JSON.parse((await call({ path: '/v1/devices/LK2A00000001' })).text).batteryLevel;
const tokenRequest = (): Sent => {
  const [client] = mock.clients;
  return {
    method: 'POST',
    path: '/auth/oauth2/token',
    headers: {
      authorization: `Basic ${btoa(`${client?.clientId}:${client?.secret}`)}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  };
};
const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** A write of the API and one of the OAuth server, which send their answers differently. */
const targets = [
  { operationId: 'updateDevice', send: (): Sent => setLevel(7), done: async () => (await readLevel()) === 7 },
  { operationId: 'exchangeToken', send: tokenRequest, done: undefined },
] as const;

describe.each(targets)('a fault of $operationId', ({ operationId, send, done }) => {
  const meet = async (fault: Partial<NewFault>): Promise<Seen> => {
    await mock.control.addFault({ operationId, ...fault });
    return call(send());
  };

  test('answers a documented status, and does nothing', async () => {
    const seen = await meet({ status: 503 });
    expect([seen.status, seen.isWhole, isJson(seen.text)]).toEqual([503, true, true]);
    expect(seen.headers['x-request-id']).toBeDefined();
    if (done !== undefined) expect([await done(), seen.headers['retry-after']]).toEqual([false, '1']);
  });

  test('answers what a gateway would, without a body', async () => {
    const seen = await meet({ status: 502 });
    expect([seen.status, seen.text, seen.isWhole]).toEqual([502, '', true]);
  });

  test('keeps it waiting, and then all is as usual', async () => {
    const began = performance.now();
    const seen = await meet({ delayMs: 120 });
    expect(seen.status).toBe(200);
    // The timer of Node may be a millisecond early.
    expect(performance.now() - began).toBeGreaterThan(110);
    if (done !== undefined) expect(await done()).toBe(true);
  });

  test('closes the connection before anything is done', async () => {
    expect((await meet({ drop: 'before' })).status).toBeNull();
    if (done !== undefined) expect(await done()).toBe(false);
  });

  test('closes the connection after all is done', async () => {
    expect((await meet({ drop: 'after' })).status).toBeNull();
    if (done !== undefined) expect(await done()).toBe(true);
  });

  test('cuts the body half-way', async () => {
    const seen = await meet({ body: 'truncated' });
    expect([seen.status, seen.isWhole]).toEqual([200, false]);
    const length = Number(seen.headers['content-length']);
    expect(seen.text.length).toBeGreaterThan(0);
    expect(seen.text.length).toBeLessThan(length);
    if (done !== undefined) expect(await done()).toBe(true);
  });

  test('leaves out the end of the JSON', async () => {
    const seen = await meet({ body: 'malformed' });
    expect([seen.status, seen.isWhole, isJson(seen.text)]).toEqual([200, true, false]);
  });

  test('breaks the body of a status', async () => {
    const seen = await meet({ status: 503, body: 'malformed', delayMs: 1 });
    expect([seen.status, seen.isWhole, isJson(seen.text)]).toEqual([503, true, false]);
  });

  test('meets as many requests as it was given, then no more', async () => {
    await mock.control.addFault({ operationId, status: 503, times: 2 });
    const statuses = [await call(send()), await call(send()), await call(send())].map(({ status }) => status);
    expect(statuses).toEqual([503, 503, 200]);
    expect(await mock.control.listFaults()).toEqual([]);
  });

  test('is noted, with what it met', async () => {
    const { id } = await mock.control.addFault({ operationId, drop: 'after' });
    await call(send());
    const [entry] = await mock.control.listRequests({ limit: 1 });
    expect(entry).toMatchObject({ operationId, verdict: 'fault', faultId: id, status: null });
  });
});

describe('a request that came in one go with the one before it', () => {
  const targetsOf = (fault: Partial<NewFault>) => targets.map(({ operationId }) => ({ operationId, ...fault }));
  const faults = [{ drop: 'before' }, { drop: 'after' }, { body: 'truncated' }] as const;

  test.each(faults.flatMap(targetsOf))(
    'meets $operationId $drop $body, once the answer before has left',
    async (fault) => {
      await mock.control.addFault(fault);
      // All are read before the first is answered.
      await mock.control.addFault({ operationId: 'getDevice', delayMs: 200 });
      const { send } = targets.find(({ operationId }) => operationId === fault.operationId) ?? targets[0];
      const received = await sendRaw([{ path: '/v1/devices/LK2A00000001' }, send(), { path: '/v1/devices' }]);
      const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
      expect(statuses).toEqual('body' in fault ? ['200', '200'] : ['200']);
      expect(received).toContain('"LK2A00000001"');
      const [entry] = await mock.control.listRequests({ operationId: fault.operationId, limit: 1 });
      expect(entry).toMatchObject({ verdict: 'fault', status: 'body' in fault ? 200 : null });
    },
  );

  /** The bytes received until the other side closes the connection. */
  function sendRaw(requests: readonly Sent[]): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const { host, port } = new URL(mock.origin);
    const text = requests.map(({ method = 'GET', path, headers, body = '' }) => {
      const all = { host, authorization: `Bearer ${token}`, 'content-length': body.length, ...headers };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
      return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
    });
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    // Sooner than the server closes an idle connection.
    socket.setTimeout(2000, () => {
      reject(new Error('the connection stays open'));
      socket.destroy();
    });
    socket.write(text.join(''));
    return promise;
  }
});

test.each(['truncated', 'malformed'] as const)(
  'an answer without a body stays as it is where it is to be %s',
  async (body) => {
    const whole = await call({ method: 'HEAD', path: '/v1/devices/LK2A00000001' });
    await mock.control.addFault({ operationId: 'getDevice', body, times: 2 });
    const seen = await call({ method: 'HEAD', path: '/v1/devices/LK2A00000001' });
    expect([seen.status, seen.headers['content-length']]).toEqual([200, whole.headers['content-length']]);
  },
);

test('a fault by the name of an example gives that one', async () => {
  await mock.control.addFault({ operationId: 'createBridgeProxiedJob', example: 'not_linked' });
  const seen = await call({ method: 'POST', path: '/v1/devices/any/jobs/bridges/any', headers: json, body: '{}' });
  expect([seen.status, JSON.parse(seen.text).code]).toEqual([400, 'not_linked']);
});

test('a fault of any operation meets whatever comes first, and nothing that is no operation', async () => {
  await mock.control.addFault({ operationId: '*', status: 500 });
  expect((await call({ path: '/v1/nowhere' })).status).toBe(404);
  expect((await call({ path: '/healthz' })).status).toBe(200);
  expect((await call({ path: '/v1/devices', method: 'OPTIONS' })).status).toBe(204);
  expect((await call({ path: '/v1/devices' })).status).toBe(500);
  expect((await call({ path: '/v1/devices' })).status).toBe(200);
});

test('every operation can be made to fail', async () => {
  const all = Object.values<Operation>(operations);
  for (const { operationId, method, basePath, path } of all) {
    await mock.control.addFault({ operationId, status: 599 });
    const target = basePath + path.replaceAll(/\{\w+\}/g, 'x');
    const { status } = await call({ method: method.toUpperCase(), path: target });
    expect({ operationId, status }).toEqual({ operationId, status: 599 });
  }
});

test('a caller that leaves while it is kept waiting leaves nothing behind', async () => {
  await mock.control.addFault({ operationId: 'updateDevice', delayMs: 50_000 });
  const { method, path, headers, body } = setLevel(3);
  const left = fetch(mock.origin + path, {
    method: method ?? '',
    headers: { authorization: `Bearer ${token}`, ...headers },
    body: body ?? '',
    signal: AbortSignal.timeout(100),
  });
  await expect(left).rejects.toThrow();
  const last = async () => (await mock.control.listRequests({ limit: 1 }))[0];
  await expect.poll(last).toMatchObject({ operationId: 'updateDevice', verdict: 'aborted', status: null });
  expect(await readLevel()).toBe(87);
});

test('a request that came behind another, and whose caller left while it was kept waiting, is noted', async () => {
  await mock.control.addFault({ operationId: 'getDevices', times: 2, delayMs: 30_000 });
  const socket = connect(Number(new URL(mock.origin).port), '127.0.0.1');
  const line = `GET /v1/devices HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  socket.write(line + line);
  await expect.poll(() => mock.control.listFaults()).toEqual([]);
  socket.destroy();
  const noted = async () => (await mock.control.listRequests()).map(({ verdict, status }) => ({ verdict, status }));
  await expect.poll(noted).toEqual(Array.from({ length: 2 }, () => ({ verdict: 'aborted', status: null })));
});

test('a request whose caller left while it was kept waiting uses no quota', async () => {
  await mock.control.useScenario('quota');
  const readLeft = async () => /;r=(\d+);/.exec(String((await call({ path: '/v1/devices' })).headers.ratelimit))?.[1];
  const left = Number(await readLeft());
  await mock.control.addFault({ operationId: 'getDevices', delayMs: 30_000 });
  const headers = { authorization: `Bearer ${token}` };
  const leaving = fetch(`${mock.baseUrl}/devices`, { headers, signal: AbortSignal.timeout(50) });
  await expect(leaving).rejects.toThrow();
  await expect
    .poll(async () => (await mock.control.listRequests({ limit: 1 }))[0])
    .toMatchObject({ verdict: 'aborted' });
  expect(Number(await readLeft())).toBe(left - 1);
});

test('a sandbox that closes while requests are kept waiting runs none of them, and logs nothing', async () => {
  const logged: string[] = [];
  const printed = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
  onTestFinished(() => void vi.restoreAllMocks());
  const logger = pino({ level: 'warn' }, { write: (line) => void logged.push(line) });
  const closing = await startSandbox({ keys: await createTestKeys(), port: 0, host: '127.0.0.1', logger });
  const { clientId, secret } = closing.clients[0] ?? {};
  const requestToken = () =>
    fetch(`${closing.origin}/auth/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
  const { access_token } = (await (await requestToken()).json()) as { access_token: string };
  closing.sandbox.faults.add({ operationId: '*', times: 2, delayMs: 30_000 });
  const waiting = Promise.allSettled([
    fetch(`${closing.origin}/v1/devices`, { headers: { authorization: `Bearer ${access_token}` } }),
    requestToken(),
  ]);
  await expect.poll(() => closing.sandbox.faults.list()).toEqual([]);
  // No answer is cut because it takes longer than pending answers may.
  expect(await closing.close()).toEqual({ cut: 0 });
  expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  // A pending job would run within this time.
  await new Promise((resolve) => void setTimeout(resolve, 50));
  expect([logged, ...printed.map(({ mock }) => mock.calls)]).toEqual([[], [], []]);
});

describe('the journal', () => {
  const last = async () => (await mock.control.listRequests({ limit: 1 }))[0];

  test('names the caller of an accepted request', async () => {
    const { headers } = await call({ path: '/v1/devices?limit=3&type=Lock' });
    expect(await last()).toMatchObject({
      requestId: headers['x-request-id'],
      method: 'GET',
      path: '/v1/devices',
      query: [
        { name: 'limit', value: '3' },
        { name: 'type', value: 'Lock' },
      ],
      operationId: 'getDevices',
      clientId: 'demo-own',
      accountId: 'account-harbour-stays',
      status: 200,
      verdict: 'accepted',
    });
  });

  test('distinguishes a requested documented answer from a real one', async () => {
    await call({ path: '/v1/devices', headers: { prefer: 'code=503' } });
    expect(await last()).toMatchObject({ verdict: 'documented', status: 503, code: 'unavailable' });
    await call({ path: '/v1/devices', headers: { prefer: 'code=777' } });
    expect(await last()).toMatchObject({ verdict: 'refused', status: 400 });
  });

  test('has the fault of a rejected request, and its location', async () => {
    await call({ path: '/v1/devices?limit=900' });
    expect(await last()).toMatchObject({
      verdict: 'refused',
      status: 400,
      code: 'invalid_request',
      details: [{ in: 'query', at: 'limit', nearest: ['1', '300'] }],
    });
  });

  test('has the message of the OAuth server, and no secret of the request', async () => {
    const sent = { ...tokenRequest(), headers: { authorization: `Basic ${btoa('demo-own:a-wrong-secret')}` } };
    await call({
      ...sent,
      path: '/auth/oauth2/token?client_secret=another-secret&code=a-code',
      headers: { ...tokenRequest().headers, ...sent.headers },
    });
    const entry = await last();
    expect(entry).toMatchObject({
      operationId: 'exchangeToken',
      verdict: 'refused',
      status: 401,
      code: 'invalid_client',
    });
    for (const secret of ['a-wrong-secret', 'another-secret', 'a-code', token])
      expect(JSON.stringify(entry)).not.toContain(secret);
  });

  test('distinguishes a wrong password from an unknown path', async () => {
    const browser = openBrowser(mock.origin);
    const partner = mock.clients.find(({ kind }) => kind === 'partner');
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: partner?.clientId ?? '',
      redirect_uri: partner?.redirectUris[0] ?? '',
      scope: 'openid',
      state: 'state',
    });
    const { address } = await browser.get(`/auth/login?${query}`);
    const [{ email = '' } = {}] = mock.owners;
    await browser.post(`${address}/login`, { email, password: 'wrong' });
    const message = 'the page showed the error to the owner';
    expect(await last()).toMatchObject({ method: 'GET', verdict: 'refused', status: 400, says: message });
    // A form without the browser's cookies, and a form of a page that does not exist.
    await openBrowser(mock.origin).post(`${address}/login`, { email, password: 'wrong' });
    expect(await last()).toMatchObject({ method: 'POST', verdict: 'refused', status: 400, says: message });
    await call({ path: '/auth/apps', method: 'POST' });
    expect(await last()).toMatchObject({ verdict: 'unrouted', status: 405, code: 'method_not_allowed' });
    await browser.get('/auth/nowhere');
    expect(await last()).toMatchObject({ verdict: 'unrouted', status: 404 });
  });

  test('holds what is no operation, but neither the control nor what watches the process', async () => {
    await call({ path: '/v1/nowhere' });
    await call({ path: '/healthz' });
    await call({ path: '/' });
    expect(await mock.control.listRequests()).toMatchObject([
      { path: '/v1/nowhere', operationId: null, verdict: 'unrouted', status: 404 },
    ]);
  });

  test('never has a pin', async () => {
    const body = JSON.stringify({ accessName: 'Courier', startDate: 'soon' });
    await call({ method: 'POST', path: '/v1/devices/LK2A00000001/algopin/onetime', headers: json, body });
    const made = await call({
      method: 'POST',
      path: '/v1/devices/LK2A00000001/algopin/onetime',
      headers: json,
      body: JSON.stringify({ accessName: 'Courier' }),
    });
    const kept = JSON.stringify(await mock.control.listRequests());
    expect(kept).not.toContain(JSON.parse(made.text).pin);
    expect(kept).toContain('startDate');
  });
});

describe('pages of other origins', () => {
  const origin = 'https://app.example';

  test('may call the API, and read its answers and errors', async () => {
    for (const path of ['/v1/devices', '/v1/devices/none', '/auth/.well-known/jwks.json']) {
      const { headers } = await call({ path, headers: { origin } });
      expect({ path, allowed: headers['access-control-allow-origin'] }).toEqual({ path, allowed: '*' });
    }
    const preflight = await call({
      method: 'OPTIONS',
      path: '/v1/devices/LK2A00000001',
      headers: { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-methods']).toContain('PUT');
    expect(String(preflight.headers['access-control-allow-headers']).toLowerCase()).toContain('authorization');
  });

  test('may not ask for tokens, log in or drive the sandbox', async () => {
    for (const path of [
      '/auth/oauth2/token',
      '/auth/login',
      '/_sandbox/state',
      '/_sandbox/',
      '/healthz',
      '/readyz',
      '/',
    ]) {
      const { headers } = await call({ path, headers: { origin } });
      expect({ path, allowed: headers['access-control-allow-origin'] }).toEqual({ path, allowed: undefined });
    }
  });
});

test.each(['localhost', '127.0.0.1'])('a page of its own gets a token, called as %s', async (name) => {
  const host = `${name}:${new URL(mock.origin).port}`;
  const sent = tokenRequest();
  const ask = (origin: string) =>
    call({ ...sent, headers: { ...sent.headers, host, origin, 'sec-fetch-site': 'same-origin' } });
  expect(JSON.parse((await ask(`http://${host}`)).text)).toMatchObject({ access_token: expect.any(String) });
  expect((await ask('http://localhost:3000')).status).toBe(400);
});

describe('outside the contract', () => {
  test('a browser gets a page, and a program the addresses', async () => {
    const page = await call({ path: '/', headers: { accept: 'text/html,application/xhtml+xml' } });
    expect(page.text).toContain('/_sandbox/');
    for (const { secret } of mock.clients) expect(page.text).not.toContain(secret);
    const addresses = JSON.parse((await call({ path: '/' })).text);
    expect(addresses).toEqual({
      api: '/v1',
      auth: '/auth',
      health: '/healthz',
      ready: '/readyz',
      sandbox: '/_sandbox',
    });
    for (const path of Object.values<string>(addresses).slice(2)) expect((await call({ path })).status).toBe(200);
  });

  test('nothing is written', async () => {
    for (const path of ['/', '/healthz', '/readyz']) {
      const { status, headers } = await call({ method: 'POST', path });
      expect([path, status, headers.allow]).toEqual([path, 405, 'GET, HEAD']);
    }
  });
});
