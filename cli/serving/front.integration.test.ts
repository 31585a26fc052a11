import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFront } from './front.ts';

// If these fail, an unusual text of a contract stops the process that serves it.

const logged: object[] = [];
const front = createFront((_, response) => response.writeHead(404).end(), {
  operations: {},
  page: () => {
    throw new URIError('URI malformed');
  },
  isOpen: false,
  logger: { error: (fields: object) => void logged.push(fields) },
});
const server = createServer(front);
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => void server.close());

test('a start page that cannot be created is a 500 and a line in the log, and all else is answered', async () => {
  const { port } = server.address() as AddressInfo;
  const page = await fetch(`http://127.0.0.1:${port}/`);
  expect([page.status, await page.text()]).toEqual([500, 'The start page cannot be created: see the log.\n']);
  expect(logged).toEqual([{ err: expect.any(URIError) }]);
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
});

test.each([
  ['/w/one/healthz', true, 200],
  ['/w/one/healthz?x', true, 200],
  ['/w/one/healthz', false, 404],
  ['/w/healthz', true, 404],
  ['/w/one/two/healthz', true, 404],
])('%s with worlds: %s is answered %d', async (path, hasWorlds, status) => {
  const listener = createFront((_, response) => response.writeHead(404).end(), {
    ...{ operations: {}, page: () => '', isOpen: false, hasWorlds, logger: { error: () => undefined } },
  });
  const own = createServer(listener);
  await once(own.listen(0, '127.0.0.1'), 'listening');
  const { port } = own.address() as AddressInfo;
  expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(status);
  own.close();
});
