import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startCountingProxy } from './counting-proxy.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function startBehindProxy() {
  const server = createServer((request, response) => {
    if (request.url === '/lost') request.socket.destroy();
    else request.pipe(response.writeHead(request.url === '/no' ? 404 : 200, { 'X-Twice': ['a', 'b'] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const target = new URL(`http://127.0.0.1:${port}`);
  const proxy = await startCountingProxy(target, (method, url) => (url === '/other' ? undefined : `${method} ${url}`));
  closing.push(proxy.close, () => server.close());
  return proxy;
}

test('passes on what comes and counts it by operation and status', async () => {
  const proxy = await startBehindProxy();
  const answer = await fetch(`${proxy.origin}/yes`, { method: 'POST', body: 'héllo' });
  expect([await answer.text(), answer.headers.get('x-twice')]).toEqual(['héllo', 'a, b']);
  expect((await fetch(`${proxy.origin}/no`)).status).toBe(404);
  expect((await fetch(`${proxy.origin}/no`)).status).toBe(404);
  await fetch(`${proxy.origin}/other`);
  const { requests, elsewhere, operations } = proxy.counted();
  expect({ requests, elsewhere }).toEqual({ requests: 4, elsewhere: 1 });
  expect(operations['POST /yes']?.statuses).toEqual({ 200: 1 });
  expect(operations['GET /no']?.statuses).toEqual({ 404: 2 });
  expect(operations['POST /yes']?.examples[200]?.sentBody).toBe('héllo');
});

test('a lost answer is lost for the tool too', async () => {
  const proxy = await startBehindProxy();
  await expect(fetch(`${proxy.origin}/lost`)).rejects.toThrow();
  expect(proxy.counted().operations['GET /lost']?.statuses).toEqual({ 0: 1 });
});

test('refuses connections while the server is away', async () => {
  const proxy = await startBehindProxy();
  await proxy.suspend();
  await expect(fetch(`${proxy.origin}/yes`)).rejects.toThrow();
  await proxy.resume();
  expect((await fetch(`${proxy.origin}/yes`)).status).toBe(200);
  expect(proxy.counted().requests).toBe(1);
});
