import { once } from 'node:events';
import { request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { defaultLimits, listen } from '@lockstep/runtime/listen';
import { afterEach, describe, expect, test } from 'vitest';
import { sendRaw } from './fixtures/send-raw.ts';
import { type RunningApp, startApp } from './fixtures/start-app.ts';

const limits = { headersMs: 400, requestMs: 700, checkMs: 50, drainMs: 600 };
/** Longer than the timeout of a test, so that a test that waits for this limit fails. */
const forever = 600_000;
const put =
  'PUT /v1/devices/a HTTP/1.1\r\nHost: api\r\nAuthorization: Bearer all\r\nContent-Type: application/json\r\n';

let app: RunningApp | undefined;
let release: () => void = () => undefined;
/** Settles once the held operation has begun. */
let begun: Promise<void>;
afterEach(async () => {
  release();
  await app?.close();
});

/** An application with one held operation, which answers when the test releases it. */
async function start(own: Partial<typeof limits> = {}): Promise<RunningApp> {
  let begin: () => void = () => undefined;
  begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  app = await startApp({
    limits: { ...limits, ...own },
    handlers: {
      updateDevice: async () => {
        begin();
        await held;
        return { status: 200, body: { message: 'device updated' } };
      },
    },
  });
  return app;
}

function open(origin: string, text: string): { socket: Socket; received: () => string; closed: Promise<void> } {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
  });
  socket.on('error', () => undefined);
  socket.write(text);
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  return { socket, received: () => received, closed };
}

async function measure(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

describe('a caller that takes its time', () => {
  const slow = [
    { name: 'with everything', bytes: '', atLeastMs: limits.headersMs },
    { name: 'with its headers', bytes: 'GET /v1/devices HTTP/1.1\r\nHost: api\r\n', atLeastMs: limits.headersMs },
    { name: 'with its body', bytes: `${put}Content-Length: 100\r\n\r\n{`, atLeastMs: limits.requestMs },
    {
      name: 'with its chunks',
      bytes: `${put}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
      atLeastMs: limits.requestMs,
    },
  ];
  for (const { name, bytes, atLeastMs } of slow) {
    test(`is cut off: ${name}`, async () => {
      const { origin } = await start(atLeastMs === limits.headersMs ? { requestMs: forever } : {});
      const ms = await measure(async () => expect((await sendRaw(origin, { bytes })).status).toBe(408));
      expect(ms).toBeGreaterThan(atLeastMs - 100);
    });
  }

  test('and goes away leaves one line in the log', async () => {
    const { origin, logged } = await start({ requestMs: forever });
    const asking = `${put}X-Request-Id: gone\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n{`;
    const { socket, received, closed } = open(origin, asking);
    await expect.poll(received, { timeout: 15_000 }).toContain('100 Continue'); // so it has begun to read
    socket.destroy();
    await closed;
    await expect.poll(() => logged.length, { timeout: 15_000 }).toBe(1);
    expect(logged[0]).toMatchObject({
      level: 30,
      requestId: 'gone',
      route: 'updateDevice',
      status: null,
      aborted: true,
    });
  });

  test('has the times that the docs name', () => {
    expect(defaultLimits).toMatchObject({
      headersMs: 10_000,
      requestMs: 30_000,
      silentMs: 60_000,
      headerBytes: 16_384,
      connections: 1000,
      drainMs: 10_000,
    });
  });
});

describe('an answer that leaves before its request was read', () => {
  const chunk = `2710\r\n${'x'.repeat(10_000)}\r\n`;
  const partly = [
    { name: 'chunks beyond the limit', bytes: `${put}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(12)}` },
    { name: 'a length beyond the limit', bytes: `${put}Content-Length: 900000\r\n\r\n{` },
    {
      name: 'a body that its token does not let in',
      bytes: `${put.replace('Bearer all', 'Bearer x')}Content-Length: 900000\r\n\r\n{`,
    },
    { name: 'a body where there is no route', bytes: 'POST /no HTTP/1.1\r\nHost: api\r\nContent-Length: 9\r\n\r\n{' },
  ];

  test.each(partly)('closes its connection, although the caller sends no end and stays: $name', async ({ bytes }) => {
    const { origin } = await start({ requestMs: forever });
    const { closed, received } = open(origin, bytes);
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 4/);
  });

  test('is the last of its connection: what comes behind is not run', async () => {
    let calls = 0;
    app = await startApp({
      handlers: {
        updateDevice: () => {
          calls += 1;
          return { status: 200, body: { message: 'device updated' } };
        },
      },
    });
    const behind = `${put}Content-Length: 2\r\n\r\n{}`;
    const first = `${put}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(12)}`;
    const { socket, received, closed } = open(app.origin, first);
    await expect.poll(received, { timeout: 15_000 }).toContain('too_large');
    socket.write(`0\r\n\r\n${behind}`);
    await closed;
    expect(received().match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(calls).toBe(0);
  });

  test('reaches a caller that is still sending', async () => {
    const { origin } = await start();
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const headers = { authorization: 'Bearer all', 'content-type': 'application/json' };
    const sending = request(`${origin}/v1/devices/a`, { method: 'PUT', headers }, (answer) =>
      resolve(answer.resume().statusCode),
    ).on('error', reject);
    const megabyte = Buffer.alloc(1_000_000, 'x');
    for (let count = 0; count < 20; count += 1) sending.write(megabyte);
    expect(await promise).toBe(413);
    sending.destroy();
  });
});

describe('a caller that does not read', () => {
  /** More bytes than the buffers of both sides hold. */
  const large = Buffer.alloc(64_000_000);

  test('is cut off, and what it was owed is let go', async () => {
    const left = Promise.withResolvers<boolean>();
    const { port, close } = await listen(
      (_, response) => {
        response.once('close', () => left.resolve(response.writableFinished)).end(large);
      },
      { port: 0, host: '127.0.0.1', limits: { silentMs: 200 } },
    );
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.pause().write('GET / HTTP/1.1\r\nHost: api\r\n\r\n');
    expect(await left.promise).toBe(false);
    socket.destroy();
    await close();
  });

  test('is not one that takes longer, but goes on', { tags: ['full'] }, async () => {
    const silentMs = 1500;
    const { port, close } = await listen((_, response) => void response.end(large), {
      port: 0,
      host: '127.0.0.1',
      limits: { silentMs },
    });
    const startedAt = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    let bytes = 0;
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.length;
      // However large the chunks are: more than twice as long as a caller may be silent, and never silent for long.
      await setTimeout((3 * silentMs * chunk.length) / large.length);
    }
    expect(bytes).toBe(large.length);
    expect(performance.now() - startedAt).toBeGreaterThan(silentMs * 2); // by when a silent one is gone
    await close();
  });
});

describe('connections beyond the limit', () => {
  const bytes = 'GET / HTTP/1.1\r\nHost: api\r\nConnection: close\r\n\r\n';

  test('are closed as they open while all others have a request, are logged together, and are accepted again when one has closed', async () => {
    const told: number[] = [];
    const held: ServerResponse[] = [];
    const { port, close } = await listen(
      ({ url }, response) => void (url === '/held' ? held.push(response) : response.end('ok')),
      {
        port: 0,
        host: '127.0.0.1',
        limits: { connections: 2, checkMs: 50 },
        onDropped: (connections) => told.push(connections),
      },
    );
    const origin = `http://127.0.0.1:${port}`;
    const hold = () => open(origin, 'GET /held HTTP/1.1\r\nHost: api\r\n\r\n');
    const [first, second] = [hold(), hold()];
    await expect.poll(() => held.length).toBe(2);
    await expect(sendRaw(origin, { bytes })).rejects.toThrow();
    await expect.poll(() => told, { timeout: 15_000 }).toEqual([1]);
    first.socket.destroy();
    const isTaken = () =>
      sendRaw(origin, { bytes }).then(
        ({ status }) => status,
        () => undefined,
      );
    await expect.poll(isTaken, { timeout: 15_000 }).toBe(200);
    const third = hold();
    await expect.poll(() => held.length).toBe(3);
    await expect(sendRaw(origin, { bytes })).rejects.toThrow();
    expect(told).toEqual([1]); // more within the minute are logged after it, or at the end
    for (const { socket } of [second, third]) socket.destroy();
    await close();
    expect(told).toEqual([1, expect.any(Number)]);
  });

  test.each([
    { name: 'nothing', sent: '' },
    { name: 'half its headers', sent: 'GET / HTTP/1.1\r\nHost: api\r\n' },
    { name: 'half its body', sent: 'POST / HTTP/1.1\r\nHost: api\r\nContent-Length: 9\r\n\r\n{' },
    { name: 'a request, and waits', sent: 'GET / HTTP/1.1\r\nHost: api\r\n\r\n' },
  ])('take the place of one that has sent $name', async ({ sent }) => {
    const { port, close } = await listen(
      (request, response) => void request.resume().once('end', () => response.end('ok')),
      { port: 0, host: '127.0.0.1', limits: { connections: 20 } },
    );
    const origin = `http://127.0.0.1:${port}`;
    const idle = Array.from({ length: 30 }, () => open(origin, sent));
    await Promise.all(idle.map(({ socket }) => once(socket, 'connect')));
    expect((await sendRaw(origin, { bytes })).status).toBe(200);
    for (const { socket } of idle) socket.destroy();
    await close();
  });
});

describe('closing', () => {
  test('lets what is under way finish, and closes its connection', async () => {
    const { origin, close } = await start({ drainMs: forever });
    const { received, closed } = open(origin, `${put}Content-Length: 2\r\n\r\n{}`);
    await begun;
    const closing = close();
    await expect(fetch(`${origin}/healthz`)).rejects.toThrow();
    release();
    await Promise.all([closing, closed]);
    expect(received()).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*Connection: close\r\n/);
  });

  test('does not wait for a connection that is kept alive', async () => {
    const { origin, close } = await start({ drainMs: forever });
    await (await fetch(`${origin}/healthz`)).text();
    await expect(close()).resolves.toEqual({ cut: 0 });
  });

  test('cuts off unfinished requests in time, and reports how many', async () => {
    const { origin, close } = await start();
    const { closed } = open(origin, `${put}Content-Length: 2\r\n\r\n{}`);
    await begun;
    const ms = await measure(async () => expect(await Promise.all([close(), closed])).toEqual([{ cut: 1 }, undefined]));
    expect(ms).toBeGreaterThan(limits.drainMs - 50);
    expect(ms).toBeLessThan(defaultLimits.drainMs); // which is ten seconds off: whose limit it was, not how fast
  });

  test('names the port that is in use', async () => {
    const { origin } = await start();
    const again = listen(() => undefined, { port: Number(new URL(origin).port), host: '127.0.0.1' });
    await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('retiring', () => {
  const bytes = 'GET / HTTP/1.1\r\nHost: api\r\n\r\n';
  const begin = (limits = {}) =>
    listen((_, response) => void response.end('ok'), { port: 0, host: '127.0.0.1', limits });

  test('accepts no more connections, and answers the next request on an idle one before it closes', async () => {
    const { port, retire } = await begin();
    const idle = open(`http://127.0.0.1:${port}`, bytes);
    await expect.poll(idle.received).toContain('Connection: keep-alive');
    const retiring = retire();
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
    expect(idle.socket.readyState).toBe('open');
    idle.socket.write(bytes);
    await idle.closed;
    expect(idle.received()).toMatch(/HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*Connection: close\r\n(?:.+\r\n)*\r\nok$/);
    await expect(retiring).resolves.toEqual({ cut: 0 });
  });

  test('answers the first request of a connection that had sent none', async () => {
    const { port, retire } = await begin();
    const fresh = open(`http://127.0.0.1:${port}`, '');
    // The listener has accepted it too: connections are accepted in order.
    expect(
      (await sendRaw(`http://127.0.0.1:${port}`, { bytes: bytes.replace('api', 'api\r\nConnection: close') })).status,
    ).toBe(200);
    const retiring = retire();
    fresh.socket.write(bytes);
    await Promise.all([retiring, fresh.closed]);
    expect(fresh.received()).toContain('HTTP/1.1 200 OK');
  });

  test('closes idle connections when all processes stop', async () => {
    const { port, retire, close } = await begin();
    const idle = open(`http://127.0.0.1:${port}`, bytes);
    await expect.poll(idle.received).toContain('ok');
    const retiring = retire();
    expect(await Promise.all([close(), retiring, idle.closed])).toEqual([{ cut: 0 }, { cut: 0 }, undefined]);
  });

  test('cuts connections in time, and reports how many', async () => {
    const { port, retire } = await begin({ retireMs: 50 });
    const { received, closed } = open(`http://127.0.0.1:${port}`, bytes);
    await expect.poll(received).toContain('ok');
    expect(await Promise.all([retire(), closed])).toEqual([{ cut: 1 }, undefined]);
  });
});

// Without this check, Node would listen on every interface if the variable in `--host "$HOST"` is not set.
test('an empty address is refused as one of another machine', async () => {
  const listening = listen(() => undefined, { port: 0, host: '' });
  await expect(listening).rejects.toMatchObject({ syscall: 'listen', code: 'EADDRNOTAVAIL' });
});

test('a caller that sends requests without waiting for answers gets the first sixteen', async () => {
  let calls = 0;
  const { port, close } = await listen(
    (_, response) => {
      calls += 1;
      response.end();
    },
    { port: 0, host: '127.0.0.1' },
  );
  const { received, closed } = open(`http://127.0.0.1:${port}`, 'GET / HTTP/1.1\r\nHost: api\r\n\r\n'.repeat(1000));
  await closed;
  expect([calls, received().match(/HTTP\/1\.1 200/g)?.length, received().match(/Connection: close/g)?.length]).toEqual([
    16, 16, 1,
  ]);
  await close();
});
