import { describe, expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import type { Answer, OutgoingRequest } from '../execute/exchange.ts';
import { watchCredentials } from './credentials.ts';

const { operations } = readContract(
  'a.json',
  JSON.stringify({ openapi: '3.1.0', info: {}, paths: { '/a': { get: {}, post: {} } } }),
);
const [read, write] = operations;
const first = '0a5df0b683aa45fabb40c4876a18c9fd';
const second = 'c8d839b873bc465a89206f23d66280ea';

function answer(status: number, body: unknown = {}): Answer {
  return { kind: 'answer', status, headers: [], body: Buffer.from(JSON.stringify(body)), durationMs: 1 };
}

function requestWith(token: string): OutgoingRequest {
  return {
    method: 'GET',
    base: 'http://a',
    path: `/a?t=${token}`,
    headers: [['authorization', `Token ${token}`]],
    body: undefined,
  };
}

/** A server that accepts this token. */
function watched(accepted: string) {
  const [said, kept, sent]: [string[], string[], string[]] = [[], [], []];
  const watch = watchCredentials(
    {
      send: async (_, { headers }) => {
        const shown = headers[0]?.[1] ?? '';
        sent.push(shown);
        return answer(shown === `Token ${accepted}` ? 200 : 401);
      },
      keepSecret: (text) => kept.push(text),
    },
    (message) => said.push(message),
  );
  const see = (operation: typeof read, status: number, body?: unknown): void => {
    if (operation !== undefined) watch.observe(operation, requestWith(first), [first], answer(status, body));
  };
  return { watch, see, said, kept, sent };
}

describe('after a 401', () => {
  test('a secret in the answer of an accepted write replaces the expired one', async () => {
    const { watch, see, said, kept } = watched(second);
    see(read, 200);
    see(write, 201, { user: { id: 1 }, token: second });
    expect(await watch.check([first], watch.current(requestWith(first)))).toBe('renewed');
    expect(watch.current(requestWith(first))).toEqual(requestWith(second));
    expect([said, kept]).toEqual([[], [second]]);
  });

  test('other requests with the expired secret are sent again too, and a replacement is tried while nothing else is in flight', async () => {
    const { watch, see } = watched(second);
    const early = [watch.current(requestWith(first)), watch.current(requestWith(first))] as const;
    see(read, 200);
    see(write, 201, { token: second.replace('c', 'd') });
    see(write, 201, { token: second });
    const checks = early.map((request) => watch.check([first], request));
    const meanwhile = watch.current(requestWith(first));
    expect(await Promise.all(checks)).toEqual(['renewed', 'renewed']);
    expect([meanwhile, await watch.check([first], watch.current(requestWith(first)))]).toEqual([
      requestWith(first),
      'kept',
    ]);
  });

  test('credentials that are accepted elsewhere are kept, and not checked again before another write', async () => {
    const { watch, see, sent } = watched(first);
    see(read, 200);
    see(write, 201);
    expect([
      await watch.check([first], watch.current(requestWith(first))),
      await watch.check([first], watch.current(requestWith(first))),
    ]).toEqual(['kept', 'kept']);
    expect(sent).toHaveLength(1);
  });

  test('credentials that were accepted again are checked again', async () => {
    const { watch, see, sent } = watched(first);
    see(read, 200);
    await watch.check([first], watch.current(requestWith(first)));
    see(read, 200);
    await watch.check([first], watch.current(requestWith(first)));
    expect(sent).toHaveLength(2);
  });

  test('a request without credentials causes no check', async () => {
    const { watch, see } = watched(second);
    see(read, 200);
    see(write, 201, { token: second });
    expect(await watch.check([], requestWith(first))).toBe('kept');
  });

  test('credentials that were never accepted are not reported as lost', async () => {
    const { watch, see, said } = watched(second);
    see(write, 201);
    expect(await watch.check([first], watch.current(requestWith(first)))).toBe('kept');
    expect(said).toEqual([]);
  });

  test('a loss is reported once, with the write before it', async () => {
    const { watch, see, said } = watched('another');
    see(read, 200);
    see(write, 204, { token: 'short' });
    expect([
      await watch.check([first], watch.current(requestWith(first))),
      await watch.check([first], watch.current(requestWith(first))),
    ]).toEqual(['lost', 'lost']);
    expect(said).toEqual([
      `The deployment no longer accepts the credentials of the run after ${write?.id} was accepted.`,
    ]);
  });
});
