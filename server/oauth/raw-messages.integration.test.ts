import { type Listening, listen } from '@lockstep/runtime/listen';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RawAnswer, sendRaw } from '../http/fixtures/send-raw.ts';
import { type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { basic } from './fixtures/talk.ts';

// Bytes that a proxy and a server may read differently (RFC 9112, 6.3): the body of one is the next request of the other.

let running: RunningAuth;
let listening: Listening;
let logged: number;
beforeAll(async () => {
  running = await startAuth();
  listening = await listen(running.auth.callback, { port: 0, host: '127.0.0.1' });
});
beforeEach(() => {
  logged = running.log.length;
});
afterAll(async () => {
  await listening.close();
  await running.close();
});

/** A body for every path of the server that accepts one. */
const bodies = [
  { path: '/oauth2/token', body: 'grant_type=client_credentials' },
  { path: '/oauth2/revoke', body: 'token=x' },
  { path: '/interaction/x/login', body: 'email=a&password=b' },
  { path: '/apps/login', body: 'email=a&password=b&token=c' },
] as const;

const paths = [
  ...bodies.map(({ path }) => ({ method: 'POST', path })),
  { method: 'GET', path: '/login' },
  { method: 'GET', path: '/interaction/x' },
  { method: 'GET', path: '/apps' },
  { method: 'GET', path: '/.well-known/jwks.json' },
] as const;

function head(method: string, path: string, lines: readonly string[]): string {
  const sent = [`Host: localhost:${running.port}`, ...lines];
  if (method === 'POST') {
    const { Authorization } = basic(running.own);
    sent.push('Content-Type: application/x-www-form-urlencoded', `Authorization: ${Authorization}`);
  }
  return [`${method} /auth${path} HTTP/1.1`, ...sent, '', ''].join('\r\n');
}

const send = (bytes: string): Promise<RawAnswer> => sendRaw(`http://127.0.0.1:${listening.port}`, { bytes });
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

function expectClosed({ status, headers, body }: RawAnswer): void {
  expect([status, headers.connection]).toEqual([400, 'close']);
  expect(body).not.toContain('access_token');
  expect(running.log.slice(logged).filter(({ text }) => text === 'token issued')).toEqual([]);
}

describe.each(bodies)('POST $path', ({ path, body }) => {
  test('with a length and chunks is 400, and closes the connection', async () => {
    const lines = [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked'];
    expectClosed(await send(`${head('POST', path, lines)}${chunk(body)}0\r\n\r\n`));
  });

  test('with chunks and a length is 400 too, and the bytes after it are no request', async () => {
    const lines = ['Transfer-Encoding: chunked', `Content-Length: ${body.length + 5}`];
    const behind = `${head('POST', '/oauth2/token', ['Content-Length: 29'])}grant_type=client_credentials`;
    const answer = await send(`${head('POST', path, lines)}0\r\n\r\n${behind}`);
    expectClosed(answer);
    expect(answer.body).not.toContain('HTTP/1.1');
  });

  test('with two lengths is 400', async () => {
    const lines = [`Content-Length: ${body.length}`, `Content-Length: ${body.length + 1}`];
    expectClosed(await send(head('POST', path, lines) + body));
  });

  test.each(['zz\r\n', '-1\r\n', `${body.length.toString(16)}\r\n${body}X\r\n0\r\n\r\n`, '5;\n\r\nabcde\r\n'])(
    'with the chunk %j is 400, and closes the connection',
    async (broken) => {
      expectClosed(await send(`${head('POST', path, ['Transfer-Encoding: chunked'])}${broken}`));
    },
  );

  test('in valid chunks is accepted', async () => {
    const bytes = `${head('POST', path, ['Transfer-Encoding: chunked'])}${chunk(body.slice(0, 5))}${chunk(body.slice(5))}0\r\n\r\n`;
    const { status, headers } = await send(bytes);
    // The answer is the same as with a length, such as for an unknown login or a form without its cookie.
    const plain = await send(`${head('POST', path, [`Content-Length: ${body.length}`])}${body}`);
    expect([status, headers.location]).toEqual([plain.status, plain.headers.location]);
    expect(headers['x-request-id']).toBeDefined();
  });
});

describe.each(paths)('$method $path', ({ method, path }) => {
  /** A request with that many bytes of target, names and values, as Node counts. */
  const withHeaders = (bytes: number): string => {
    const ends = method === 'POST' ? ['Content-Length: 0'] : [];
    const empty = head(method, path, ['X-Big: ', ...ends]);
    const counted = empty
      .split('\r\n')
      .map((line, index) => (index === 0 ? line.split(' ')[1] : line.replace(/: ?/, '')))
      .join('').length;
    return head(method, path, [`X-Big: ${'x'.repeat(bytes - counted)}`, ...ends]);
  };

  test('with 16 KiB of headers is answered', async () => {
    expect((await send(withHeaders(16_384))).headers['x-request-id']).toBeDefined();
  });

  test.each([16_385, 20_000, 200_000])('with %i bytes of headers is 431, and closes the connection', async (bytes) => {
    const { status, headers } = await send(withHeaders(bytes));
    expect([status, headers.connection]).toEqual([431, 'close']);
  });

  test.each([
    ['no Host', (text: string) => text.replace(/Host: .*\r\n/, '')],
    ['a bare line feed', (text: string) => text.replace('\r\n', '\r\nX-Bad: a\n b\r\n')],
    ['a NUL in a header', (text: string) => text.replace('\r\n', '\r\nX-Bad: a\0b\r\n')],
    ['a space before the colon', (text: string) => text.replace('\r\n', '\r\nContent-Length : 5\r\n')],
  ])('with %s is 400', async (_, spoil) => {
    expect((await send(spoil(head(method, path, method === 'POST' ? ['Content-Length: 0'] : [])))).status).toBe(400);
  });

  test('with two Host lines is 400', async () => {
    const lines = ['Host: evil.example', ...(method === 'POST' ? ['Content-Length: 0'] : [])];
    expect((await send(head(method, path, lines))).status).toBe(400);
  });
});
