import { connect } from 'node:net';
import { listen } from '@lockstep/runtime/listen';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sendRaw } from '../http/fixtures/send-raw.ts';
import { type RunningAuth, startAuth } from './fixtures/start-auth.ts';

// If these fail, callers without credentials can fill the log with errors and stacks, and hide real ones among them.

let running: RunningAuth;
beforeEach(async () => {
  running = await startAuth();
});
afterEach(() => running.close());

const half = (endpoint: string) =>
  [
    `POST /auth/oauth2/${endpoint} HTTP/1.1`,
    `Host: localhost:${running.port}`,
    'Content-Type: application/x-www-form-urlencoded',
    'Content-Length: 100',
    '',
    'grant_type=',
  ].join('\r\n');

describe.each(['token', 'revoke'])('a caller of %s that sends half a body', (endpoint) => {
  test('and closes the connection causes a log line without a stack', async () => {
    const socket = connect(running.port, '127.0.0.1');
    socket.write(half(endpoint), () => socket.end());
    await expect.poll(() => running.log.length, { timeout: 15_000 }).toBeGreaterThan(0);
    socket.destroy();
    expect(running.log).toEqual([
      { level: 'info', fields: { requestId: expect.any(String), code: expect.any(String) }, text: expect.any(String) },
    ]);
  });

  test('and waits is cut off with 408, and causes no more', async () => {
    const limits = { headersMs: 300, requestMs: 300, checkMs: 50 };
    const { port, close } = await listen(running.auth.callback, { port: 0, host: '127.0.0.1', limits });
    expect((await sendRaw(`http://127.0.0.1:${port}`, { bytes: half(endpoint) })).status).toBe(408);
    await close();
    await expect.poll(() => running.log.length, { timeout: 15_000 }).toBeGreaterThan(0);
    expect(running.log.map(({ level, fields }) => [level, 'err' in fields])).toEqual([['info', false]]);
  });
});

test('a caller that waits for the rejection is still logged as rejected', async () => {
  const bytes = half('token').replace('Content-Length: 100', 'Content-Length: 11');
  expect((await sendRaw(running.origin, { bytes })).status).toBe(400);
  expect(running.log).toMatchObject([{ level: 'warn', text: 'token request rejected' }]);
});
