import { describe, expect, test } from 'vitest';
import type { OutgoingRequest } from './exchange.ts';
import { createSession, type Login, type LoginToken, type User } from './log-in.ts';

const login: Login = {
  endpoint: '/login',
  method: 'POST',
  headers: [['content-type', 'application/json']],
  body: '{"name":"ada"}',
  expectCookies: false,
  token: undefined,
};
const token: LoginToken = {
  extractFrom: 'body',
  extractSelector: '/data/0/token',
  sendIn: 'header',
  sendName: 'Authorization',
  sendTemplate: 'JWT {token}',
};

interface Reply {
  readonly status?: number;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: unknown;
}

function at(user: Partial<User>, reply: (request: OutgoingRequest) => Reply, mayCreate = true) {
  const sent: string[] = [];
  const kept: string[] = [];
  const session = createSession({
    user: { name: 'ada', headers: [], creation: undefined, login: undefined, ...user },
    baseUrl: 'http://a/v2',
    keepSecret: (text) => kept.push(text),
    mayCreate,
    connection: {
      send: async (request) => {
        sent.push(`${request.method} ${request.base}${request.path} ${request.body ?? ''}`.trim());
        const { status = 200, headers = [], body } = reply(request);
        const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
        return { kind: 'answer', status, headers, body: Buffer.from(text), durationMs: 1 };
      },
    },
  });
  return { session, sent, kept };
}

describe('the credentials in the answer', () => {
  test.each<{ name: string; change: Partial<Login>; reply: Reply; want: object | undefined; problem?: string }>([
    {
      name: 'a member of its body',
      change: { token },
      reply: { body: { data: [{ token: 'T' }] } },
      want: { headers: [['Authorization', 'JWT T']], query: [], cookies: [] },
    },
    {
      name: 'all of a body that is no JSON',
      change: { token: { ...token, extractSelector: '' } },
      reply: { body: 'a.b.c\n' },
      want: { headers: [['Authorization', 'JWT a.b.c']], query: [], cookies: [] },
    },
    {
      name: 'a header, for a query',
      change: { token: { ...token, extractFrom: 'header', extractSelector: 'X-T', sendIn: 'query', sendName: 'k' } },
      reply: { headers: [['x-t', 'T']] },
      want: { headers: [], query: [['k', 'JWT T']], cookies: [] },
    },
    {
      name: 'cookies, except deleted ones',
      change: { expectCookies: true },
      reply: {
        headers: [
          ['set-cookie', 'sid=1=2; Path=/; HttpOnly'],
          ['set-cookie', 'old=x; Max-Age=0'],
        ],
      },
      want: { headers: [], query: [], cookies: [['sid', '1=2']] },
    },
    {
      name: 'nothing if the member is missing',
      change: { token },
      reply: { body: { data: [] } },
      want: undefined,
      problem: 'user ada: POST /login: the body of the answer has no token at /data/0/token',
    },
    {
      name: 'nothing from a rejection',
      change: { token },
      reply: { status: 401 },
      want: undefined,
      problem: 'user ada: POST /login: the answer is 401',
    },
    {
      name: 'nothing without a cookie',
      change: { expectCookies: true },
      reply: {},
      want: undefined,
      problem: 'user ada: POST /login: the answer sets no cookie',
    },
  ])('$name', async ({ change, reply, want, problem }) => {
    const { session } = at({ login: { ...login, ...change } }, () => reply);
    expect(await session.badge()).toEqual(want);
    expect(session.problems()).toEqual(problem === undefined ? [] : [problem]);
  });
});

test('logs in once, and once more after the session has expired', async () => {
  let count = 0;
  const { session, sent, kept } = at({ login: { ...login, token: { ...token, extractSelector: '/t' } } }, () => ({
    body: { t: `token-${++count}` },
  }));
  const [first] = await Promise.all([session.badge(), session.badge()]);
  expect(sent).toHaveLength(1);
  if (first === undefined) throw new Error('no badge');
  expect([session.renew(first), session.renew(first)]).toEqual([true, true]);
  const second = await session.badge();
  expect(second?.headers).toEqual([['Authorization', 'JWT token-2']]);
  expect(second && session.renew(second)).toBe(false);
  expect(kept).toEqual(['token-1', 'token-2']);
});

test('a path is tried below the base URL, then at its host', async () => {
  const { session, sent } = at({ login: { ...login, expectCookies: true } }, ({ base }) =>
    base.endsWith('/v2') ? { status: 404 } : { headers: [['set-cookie', 'a=b']] },
  );
  expect((await session.badge())?.cookies).toEqual([['a', 'b']]);
  expect(sent).toEqual(['POST http://a/v2/login {"name":"ada"}', 'POST http://a/login {"name":"ada"}']);
});

describe('a user that is created first', () => {
  const creation = { endpoint: 'http://b/users', method: 'POST', headers: [], body: 'new' };
  const cookies = { login: { ...login, expectCookies: true }, creation };
  test('may exist already', async () => {
    const { session, sent } = at(cookies, ({ path }) =>
      path === '/users' ? { status: 409 } : { headers: [['set-cookie', 'a=b']] },
    );
    expect(await session.badge()).toBeDefined();
    expect(sent[0]).toBe('POST http://b/users new');
    expect(session.problems()).toEqual([]);
  });
  test('is reported if the log-in fails', async () => {
    const { session } = at(cookies, ({ path }) => ({ status: path === '/users' ? 400 : 401 }));
    await session.badge();
    expect(session.problems()).toEqual([
      'user ada: POST /login: the answer is 401; POST http://b/users created no user: the answer is 400',
    ]);
  });
  test('is not created under --read-only', async () => {
    const { session, sent } = at(cookies, () => ({ status: 401 }), false);
    await session.badge();
    expect(sent).toEqual(['POST http://a/v2/login {"name":"ada"}']);
    expect(session.problems()).toEqual([
      'user ada: POST /login: the answer is 401; because of --read-only, no user was created',
    ]);
  });
});
