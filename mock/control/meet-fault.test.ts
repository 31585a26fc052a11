import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { breakBody, observeError } from './meet-fault.ts';

/** An answer, and the part of it that is sent. */
function createAnswer() {
  const request = new IncomingMessage(new Socket());
  request.method = 'GET';
  const response = new ServerResponse(request);
  const left: Buffer[] = [];
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _, done) => {
      left.push(chunk);
      done();
    },
  });
  response.assignSocket(socket as Socket);
  return { response, readBody: () => Buffer.concat(left).toString().split('\r\n\r\n')[1] };
}

const changes = {
  observed: (response: ServerResponse) => observeError(response, () => undefined),
  'broken, too short for it': (response: ServerResponse) => breakBody(response, 'truncated'),
};

test.each(Object.entries(changes))('an answer that is %s leaves as the handler wrote it', async (_, change) => {
  const ways: readonly [string, (response: ServerResponse, done: () => void) => unknown][] = [
    ['x', (response, done) => response.end('78', 'hex', done)],
    ['y', (response, done) => response.end('y', done)],
    ['z', (response, done) => response.end(new Uint8Array([0x7a]), done)],
    ['', (response, done) => response.end(done)],
  ];
  for (const [body, end] of ways) {
    const { response, readBody } = createAnswer();
    const done = vi.fn();
    change(response);
    end(response, done);
    await vi.waitFor(() => expect(done).toHaveBeenCalledTimes(1));
    expect(readBody()).toBe(body);
  }
});
