import { createServer, type Server } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type Handler, serve } from '../seeded/serve.ts';
import { createConnection } from './connection.ts';
import type { OutgoingRequest } from './exchange.ts';

const plain: OutgoingRequest = { method: 'GET', base: '', path: '/', headers: [], body: undefined };

test('an aborted request stops at once, also during the connection', async () => {
  // Accepts connections, but never starts TLS.
  const silent = createServer(() => undefined);
  const port = await listen(silent);
  const stop = new AbortController();
  const connection = createConnection({ timeoutMs: 60_000, signal: stop.signal });
  const accepted = new Promise((resolve) => silent.once('connection', resolve));
  const sent = connection.send({ ...plain, base: `https://127.0.0.1:${port}` });
  await accepted;
  stop.abort();
  expect(await sent).toBeUndefined();
  // Nothing keeps the process alive.
  await new Promise((resolve) => silent.close(resolve));
  await connection.close();
});

test.each([
  { name: 'a line break in a header', request: { headers: [['x-note', 'a\nb']] } },
  { name: 'an invalid header name', request: { headers: [['x note', 'a']] } },
  { name: 'a length that differs from the body', request: { headers: [['content-length', '9']], method: 'PUT' } },
] satisfies { name: string; request: Partial<OutgoingRequest> }[])(
  '$name is not sent, and is no evidence about the server',
  async ({ request }) => {
    const answered: Handler = () => ({ status: 200 });
    const served = await serve(answered);
    const connection = createConnection({ timeoutMs: 1_000, signal: new AbortController().signal });
    const outcome = await connection.send({ ...plain, base: served.origin, body: Buffer.from('a'), ...request });
    await connection.close();
    await served.close();
    expect([outcome, served.requests]).toMatchObject([{ kind: 'none', reason: 'unsent' }, []]);
  },
);

test('a server without TLS is reported as such', async () => {
  const served = await serve(() => ({ status: 200 }));
  const connection = createConnection({ timeoutMs: 1_000, signal: new AbortController().signal });
  const outcome = await connection.send({ ...plain, base: served.origin.replace('http:', 'https:') });
  await connection.close();
  await served.close();
  expect(outcome).toMatchObject({
    kind: 'none',
    reason: 'refused',
    message: 'the server does not use TLS: try http://',
  });
});

test('a header beyond ASCII is sent in UTF-8', async () => {
  const came: unknown[] = [];
  const served = await serve(({ headers }) => {
    came.push(Buffer.from(String(headers['x-note']), 'latin1').toString());
    return { status: 200 };
  });
  const connection = createConnection({ timeoutMs: 1_000, signal: new AbortController().signal });
  await connection.send({ ...plain, base: served.origin, headers: [['x-note', 'größe 日']] });
  await connection.close();
  await served.close();
  expect(came).toEqual(['größe 日']);
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('an endless answer is aborted', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
  test.each([
    { name: 'content that comes byte by byte', first: `${head}\r\n{`, piece: ' ', reason: 'unfinished' },
    {
      name: 'a trailer',
      first: `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-A: `,
      piece: 'a',
      reason: 'unfinished',
    },
    { name: 'a header', first: `${head}X-A: `, piece: 'a', reason: 'timeout' },
    { name: 'hints before the answer', first: '', piece: 'HTTP/1.1 103 Early Hints\r\n\r\n', reason: 'timeout' },
  ])('$name: $reason', async ({ first, piece, reason }) => {
    const server = createServer((socket) => {
      socket
        .on('error', () => undefined)
        .once('data', () => {
          socket.write(first);
          const drip = setInterval(() => socket.write(piece), 20);
          socket.once('close', () => clearInterval(drip));
        });
    });
    const port = await listen(server);
    const connection = createConnection({ timeoutMs: 100, signal: new AbortController().signal });
    const outcome = await connection.send({ ...plain, base: `http://127.0.0.1:${port}` });
    await connection.close();
    server.close();
    expect(outcome).toMatchObject({ kind: 'none', reason });
  });
});
