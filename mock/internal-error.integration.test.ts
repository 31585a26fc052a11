import { museumContract, museumOperations } from '@lockstep/runtime/fixtures/museum';
import { bearer } from '@lockstep/runtime/security/scheme';
import type { RunningListener } from '@lockstep/runtime/start-listening';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { startContractMock } from './start-contract-mock.ts';

// If these fail, a bug of the mock exposes internals to a caller, or is not logged.

const inside = 'cannot read pin 4711 of /srv/mock/grants.ts:12:3';

let mock: RunningListener;
let logged: { level: number; msg: string; requestId: string; err?: { message: string } }[];

afterEach(() => mock.close());

/** A mock whose check of credentials throws for one bearer token. */
async function start(thrown: unknown): Promise<void> {
  logged = [];
  mock = await startContractMock({
    contract: museumContract,
    operations: museumOperations,
    logger: pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) }),
    port: 0,
    host: '127.0.0.1',
    serve: async () => ({
      security: {
        curator: bearer((token) => {
          if (token === 'breaks') throw thrown;
          return { kind: 'good', principal: {} };
        }),
      },
    }),
  });
}

const get = (path: string, token: string): Promise<Response> =>
  fetch(`${mock.origin}/museum/v2${path}`, { headers: { authorization: `Bearer ${token}` } });

const failures: readonly { name: string; thrown: unknown }[] = [
  { name: 'an error', thrown: new Error(inside) },
  { name: 'an error with a cause', thrown: new Error('outside', { cause: new Error(inside) }) },
  { name: 'what is no error', thrown: inside },
];

describe.each(failures)('a bug of the mock that throws $name', ({ thrown }) => {
  test('is answered with 500 as the contract declares it, and with nothing of the inside', async () => {
    await start(thrown);
    const answer = await get('/exhibits', 'breaks');
    const requestId = answer.headers.get('x-request-id');
    expect(requestId).toMatch(/^[\w-]{8,}$/);
    expect(answer.headers.get('x-museum-edition')).not.toBeNull();
    const text = await answer.text();
    expect([answer.status, JSON.parse(text)]).toEqual([
      500,
      { plaint: 'Internal error', kind: 'internal', trace: requestId },
    ]);
    expect([...answer.headers].join() + text).not.toMatch(/4711|grants|outside/);
  });

  test('is answered with problem details where the contract declares no 500', async () => {
    await start(thrown);
    const answer = await get('/exhibits/featured', 'breaks');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([500, 'application/problem+json']);
    expect(await answer.json()).toEqual({
      type: 'about:blank',
      title: 'Internal Server Error',
      status: 500,
      detail: 'Internal error',
      requestId: answer.headers.get('x-request-id'),
    });
  });

  test('is logged once, whole and with the id of the answer, and the next request is answered', async () => {
    await start(thrown);
    const requestId = (await get('/exhibits', 'breaks')).headers.get('x-request-id');
    const lines = (): typeof logged => logged.filter(({ level }) => level >= 50);
    await expect.poll(() => logged.filter(({ msg }) => msg === 'answered')).toHaveLength(1);
    expect(lines()).toMatchObject([{ msg: 'internal error', requestId }]);
    expect(JSON.stringify(lines())).toContain(inside);
    expect((await get('/exhibits', 'works')).status).toBe(200);
    expect(lines()).toHaveLength(1);
  });
});
