import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { sendRaw } from './fixtures/send-raw.ts';
import { type RunningApp, startApp } from './fixtures/start-app.ts';
import { defaultLimits } from './listen.ts';

const limits = { headersMs: 400, requestMs: 700, checkMs: 50, drainMs: 600 };
/** Longer than a test may last: what waits for this limit instead of its own never ends. */
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

/** An application whose one written operation answers when it is released. */
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

describe('[50] a caller that takes its time', () => {
  const slow = [
    { name: 'with its headers', bytes: 'GET /v1/devices HTTP/1.1\r\nHost: api\r\n', atLeastMs: limits.headersMs },
    { name: 'with its body', bytes: `${put}Content-Length: 100\r\n\r\n{`, atLeastMs: limits.requestMs },
    {
      name: 'with its chunks',
      bytes: `${put}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
      atLeastMs: limits.requestMs,
    },
  ];
  for (const { name, bytes, atLeastMs } of slow) {
    it(`is cut off: ${name}`, async () => {
      const { origin } = await start(atLeastMs === limits.headersMs ? { requestMs: forever } : {});
      const ms = await measure(async () => expect((await sendRaw(origin, { bytes })).status).toBe(408));
      expect(ms).toBeGreaterThan(atLeastMs - 100);
    });
  }

  it('is answered at once where its body does not matter', async () => {
    const { origin } = await start({ requestMs: forever });
    const bytes = put.replace('Bearer all', 'Bearer x').concat('Content-Length: 100\r\n\r\n{');
    expect((await sendRaw(origin, { bytes })).status).toBe(401);
  });

  it('and goes away leaves one line in the log', async () => {
    const { origin, logged } = await start({ requestMs: forever });
    const asking = `${put}X-Request-Id: gone\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n{`;
    const { socket, received, closed } = open(origin, asking);
    await expect.poll(received, { timeout: 30_000 }).toContain('100 Continue'); // so it has begun to read
    socket.destroy();
    await closed;
    await expect.poll(() => logged.length, { timeout: 30_000 }).toBe(1);
    expect(logged[0]).toMatchObject({
      level: 30,
      requestId: 'gone',
      route: 'updateDevice',
      status: null,
      aborted: true,
    });
  });

  it('has the times that the docs name', () => {
    expect(defaultLimits).toMatchObject({ headersMs: 10_000, requestMs: 30_000, headerBytes: 16_384, drainMs: 10_000 });
  });
});

describe('an expectation that nobody knows', () => {
  it.each([
    { name: 'a read', bytes: 'GET /v1/devices HTTP/1.1\r\nHost: api\r\nExpect: foo\r\n\r\n', status: 401 },
    { name: 'a write', bytes: `${put}Expect: foo\r\nContent-Length: 3\r\n\r\n{x}`, status: 400 },
  ])('is ignored, so that $name is answered as the contract says', async ({ bytes, status }) => {
    const { origin } = await start();
    const answer = await sendRaw(origin, { bytes });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ requestId: answer.headers['x-request-id'] });
  });
});

describe('closing', () => {
  it('lets what is under way finish, and closes its connection', async () => {
    const { origin, close } = await start({ drainMs: forever });
    const { received, closed } = open(origin, `${put}Content-Length: 2\r\n\r\n{}`);
    await begun;
    const closing = close();
    await expect(fetch(`${origin}/healthz`)).rejects.toThrow();
    release();
    await Promise.all([closing, closed]);
    expect(received()).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*Connection: close\r\n/);
  });

  it('does not wait for a connection that is kept alive', async () => {
    const { origin, close } = await start({ drainMs: forever });
    await (await fetch(`${origin}/healthz`)).text();
    await expect(close()).resolves.toBeUndefined();
  });

  it('cuts what has not finished in time', async () => {
    const { origin, close } = await start();
    const { closed } = open(origin, `${put}Content-Length: 2\r\n\r\n{}`);
    await begun;
    const ms = await measure(() => Promise.all([close(), closed]));
    expect(ms).toBeGreaterThan(limits.drainMs - 50);
    expect(ms).toBeLessThan(defaultLimits.drainMs); // which is ten seconds off: whose limit it was, not how fast
  });

  it('says which port is taken', async () => {
    const { origin } = await start();
    const { listen } = await import('./listen.ts');
    const again = listen(() => undefined, { port: Number(new URL(origin).port), host: '127.0.0.1' });
    await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
