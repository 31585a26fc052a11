import { connect } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getToken } from '../mock/fixtures/get-token.ts';
import { startSandbox } from '../mock/sandbox/start-sandbox.ts';
import type { DemoClients } from '../server/demo/seed-demo.ts';
import { startDemoService } from './fixtures/start-demo-service.ts';

// If these fail, a client or proxy that keeps its connection waits for ever behind a body that was too large.

interface Side {
  readonly origin: string;
  readonly clients: DemoClients;
  readonly close: () => Promise<unknown>;
}

let sides: Readonly<Record<'server' | 'mock', Side>>;

beforeAll(async () => {
  const server = await startDemoService();
  const logger = pino({ level: 'silent' });
  sides = { server, mock: await startSandbox({ port: 0, host: '127.0.0.1', logger, keys: server.keys }) };
});
afterAll(() => Promise.all([sides.server.close(), sides.mock.close()]));

const form = 'application/x-www-form-urlencoded';
const requests = [
  { name: 'a setting', method: 'PUT', target: '/v1/devices/LK2A00000001', type: 'application/json', statuses: [413] },
  {
    name: 'a push',
    method: 'POST',
    target: '/v1/devices/LK2A00000001/activity',
    type: 'application/json',
    statuses: [413],
  },
  { name: 'a token request', method: 'POST', target: '/auth/oauth2/token', type: form, statuses: [400] },
  { name: 'a revocation', method: 'POST', target: '/auth/oauth2/revoke', type: form, statuses: [400] },
  { name: 'a login', method: 'POST', target: '/auth/login', type: form, statuses: [405] },
  { name: 'no route', method: 'POST', target: '/v1/nowhere', type: form, statuses: [404] },
  { name: 'an address without a body', method: 'POST', target: '/healthz', type: form, statuses: [404, 405] },
];

describe.each(['server', 'mock'] as const)('%s', (side) => {
  describe.each(requests)('$name that is larger than anybody takes', ({ method, target, type, statuses }) => {
    test.each(['Transfer-Encoding: chunked', 'Content-Length: 640000'])(
      'leaves no request waiting: %s',
      async (framing) => {
        const { origin, clients } = sides[side];
        const isChunked = framing.endsWith('chunked');
        const { clientId, secret } = clients.find((client) => client.clientId === 'demo-own') ?? {
          clientId: '',
          secret: '',
        };
        const credentials = target.startsWith('/auth')
          ? `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`
          : `Bearer ${await getToken(sides[side], 'demo-own')}`;
        const head = [`${method} ${target} HTTP/1.1`, `Host: ${new URL(origin).host}`, `Authorization: ${credentials}`];
        const socket = connect(Number(new URL(origin).port), '127.0.0.1').setEncoding('utf8');
        let received = '';
        let isClosed = false;
        socket.on('data', (text) => {
          received += text;
        });
        socket.on('error', () => undefined); // what is written to a connection that is closed meanwhile
        socket.on('close', () => {
          isClosed = true;
        });
        socket.write(`${[...head, `Content-Type: ${type}`, framing].join('\r\n')}\r\n\r\n`);
        const piece = 'x'.repeat(64_000);
        for (let count = 0; count < 10; count += 1) socket.write(isChunked ? `fa00\r\n${piece}\r\n` : piece);
        await expect.poll(() => received, { timeout: 15_000 }).toContain('\r\n\r\n');
        if (isChunked) socket.write('0\r\n\r\n');
        socket.write(`GET /v1/devices HTTP/1.1\r\nHost: ${new URL(origin).host}\r\n\r\n`);

        const isAnswered = () => isClosed || received.includes('HTTP/1.1 401');
        await expect.poll(isAnswered, { timeout: 15_000 }).toBe(true);
        expect(statuses).toContain(Number(received.slice(9, 12)));
        if (isClosed) expect(received).toContain('\r\nConnection: close\r\n');
        socket.destroy();
      },
    );
  });
});
