import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireSameAnswer } from './same-answer.ts';

// If these fail, a peer that does less than ours is called faster.

const page = '{"payload":[{"deviceId":"LK1"}],"nextCursor":"abcd"}';
const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', 'X-Request-Id': '1' };
const guard = { 'X-Frame-Options': 'SAMEORIGIN' };

type Sent = { readonly body: string; readonly headers: Readonly<Record<string, string>>; readonly status?: number };
const answers: Readonly<Record<string, Sent>> = {
  '/ours': { body: page, headers: { ...headers, ...guard } },
  '/same': {
    body: page.replace('abcd', 'wxyz'),
    headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8' },
  },
  '/short': { body: page.replace('abcd', 'abc'), headers },
  '/other': { body: page.replace('LK1', 'LK2'), headers },
  '/lacking': { body: page, headers: { 'Content-Type': 'application/json', 'X-Request-Id': '1' } },
  '/nameless': { body: page, headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' } },
  '/refusing': { body: page, headers, status: 401 },
};
const server = createServer(({ url = '' }, response) => {
  const { body, headers, status = 200 } = answers[url] ?? { body: '', headers: {}, status: 404 };
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
});
let base: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

function compare(path: string, hasOurDuties = false): Promise<void> {
  return requireSameAnswer(`${base}${path}`, { url: `${base}/ours`, token: 'token', hasOurDuties });
}

test('a peer that differs in the characters of a cursor alone is the same', async () => {
  await expect(compare('/same')).resolves.toBeUndefined();
});

test.each([
  ['/short', /answers with other bytes than ours: from character \d+ on/],
  ['/other', /"LK2".* where ours is .*"LK1"/],
  ['/lacking', /answers with cache-control: null, ours with no-store/],
  ['/nameless', /answers without an X-Request-Id/],
  ['/refusing', /answers with 401/],
])('a peer at %s is found out', async (path, message) => {
  await expect(compare(path)).rejects.toThrow(message);
});

test('a peer with our duties has to send our security headers', async () => {
  await expect(compare('/same', true)).rejects.toThrow('x-frame-options: null, ours with SAMEORIGIN');
});
