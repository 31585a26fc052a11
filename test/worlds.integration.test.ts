// If these fail, a test of a client gets the items, the faults or the time of another test.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createControlledMock } from '@lockstep/mock/control/create-controlled-mock';
import { describeOperations } from '@lockstep/toolkit/emit/operations';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { shop } from './fixtures/shop.ts';

const shown = (schema: object, more: object = {}) => ({
  description: 'Fine',
  content: { 'application/json': { schema } },
  ...more,
});
const book = { $ref: '#/components/schemas/Book' };
const unknown = { description: 'Unknown' };
const inPath = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'integer' } });
const contract = {
  openapi: '3.1.0',
  info: { title: 'Books', version: '1' },
  paths: {
    '/books': {
      get: { operationId: 'listBooks', responses: { 200: shown({ type: 'array', items: book }) } },
      post: {
        operationId: 'createBook',
        requestBody: { content: { 'application/json': { schema: book } } },
        responses: { 201: shown(book, { headers: { Location: { schema: { type: 'string' } } } }) },
      },
    },
    '/books/{bookId}': {
      parameters: [inPath('bookId')],
      get: { operationId: 'readBook', responses: { 200: shown(book), 404: unknown } },
      delete: { operationId: 'deleteBook', responses: { 204: { description: 'Gone' }, 404: unknown } },
    },
    '/books/{bookId}/pages': {
      parameters: [inPath('bookId')],
      get: {
        operationId: 'listPages',
        responses: { 200: shown({ type: 'array', items: { $ref: '#/components/schemas/Page' } }), 404: unknown },
      },
    },
  },
  components: {
    schemas: {
      Book: {
        type: 'object',
        required: ['title'],
        properties: {
          id: { type: 'integer', readOnly: true },
          title: { type: 'string', minLength: 1 },
          createdAt: { type: 'string', format: 'date-time', readOnly: true },
        },
        example: { id: 41, title: 'Emma' },
      },
      Page: { type: 'object', required: ['number'], properties: { number: { type: 'integer' } } },
    },
  },
};

const closers: (() => unknown)[] = [];
afterEach(() => closers.splice(0).map((close) => close()));

async function start(more: { readonly worlds?: number; readonly control?: boolean } = {}, document: object = contract) {
  const server = createServer((request, response) => mock.listener(request, response)).listen(0, '127.0.0.1');
  await new Promise((ready) => server.once('listening', ready));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const mock = createControlledMock({
    contract: document as never,
    operations: describeOperations(document as never),
    origin,
    logger: pino({ level: 'silent' }),
    ...more,
  });
  closers.push(() => server.close());
  return async (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${origin}${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...sent,
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
}

type Ask = Awaited<ReturnType<typeof start>>;
const titles = async (ask: Ask, prefix = ''): Promise<readonly string[]> =>
  (await ask('GET', `${prefix}/books`)).body.map(({ title }: { title: string }) => title);

test('parallel worlds never show the items of another', async () => {
  const ask = await start();
  const names = Array.from({ length: 8 }, (_, index) => `t-${index}`);
  await Promise.all(
    names.map(async (name) => {
      for (const count of [1, 2, 3]) {
        const created = await ask('POST', `/w/${name}/books`, { title: `${name} ${count}` });
        expect(created.status).toBe(201);
        expect(created.headers.get('location')).toBe(`/w/${name}/books/${created.body.id}`);
        const read = await ask('GET', created.headers.get('location') ?? '');
        expect(read.body).toEqual(created.body);
      }
    }),
  );
  for (const name of names)
    expect(await titles(ask, `/w/${name}`)).toEqual(['Emma', `${name} 1`, `${name} 2`, `${name} 3`]);
  expect(await titles(ask)).toEqual(['Emma']);
});

test('a reset restores the examples with the same ids, and leaves other worlds alone', async () => {
  const ask = await start();
  const first = await ask('POST', '/w/a/books', { title: 'Mine' });
  await ask('POST', '/w/b/books', { title: 'Other' });
  await ask('DELETE', '/w/a/books/41');
  expect(await titles(ask, '/w/a')).toEqual(['Mine']);
  expect((await ask('POST', '/w/a/_sandbox/reset', {})).status).toBe(200);
  expect(await titles(ask, '/w/a')).toEqual(['Emma']);
  expect(await titles(ask, '/w/b')).toEqual(['Emma', 'Other']);
  expect((await ask('POST', '/w/a/books', { title: 'Mine' })).body.id).toBe(first.body.id);
});

test('a scenario replaces items, and a reset returns to it', async () => {
  const ask = await start();
  const scenario = {
    '/books': [{ id: 7, title: 'Persuasion' }, { title: 'Sanditon' }],
    '/books/7/pages': [{ number: 3 }],
  };
  expect((await ask('PUT', '/w/a/_sandbox/scenario', scenario)).body).toMatchObject({ world: 'a', items: 3 });
  expect(await titles(ask, '/w/a')).toEqual(['Persuasion', 'Sanditon']);
  expect((await ask('GET', '/w/a/books/41')).status).toBe(404);
  expect((await ask('GET', '/w/a/books/7/pages')).body).toMatchObject([{ number: 3 }]);
  await ask('DELETE', '/w/a/books/7');
  await ask('POST', '/w/a/_sandbox/reset', {});
  expect(await titles(ask, '/w/a')).toEqual(['Persuasion', 'Sanditon']);
  await ask('PUT', '/w/a/_sandbox/scenario', {});
  expect(await titles(ask, '/w/a')).toEqual(['Emma']);
});

test.each([
  { name: 'an item that breaks its schema', scenario: { '/books': [{ id: 2, title: '' }] }, at: '/~1books/0/title' },
  { name: 'an id twice', scenario: { '/books': [2, 2].map((id) => ({ id, title: 'A' })) }, at: '/~1books/1' },
  { name: 'an unknown path', scenario: { '/boks': [] }, at: '/~1boks' },
  { name: 'an unknown owner', scenario: { '/books/999/pages': [{ number: 1 }] }, at: '/~1books~1999~1pages' },
])('a scenario with $name changes nothing, and the place is named', async ({ scenario, at }) => {
  const ask = await start();
  await ask('POST', '/books', { title: 'Mine' });
  const answer = await ask('PUT', '/_sandbox/scenario', scenario);
  expect([answer.status, answer.body.code, answer.body.details[0].at]).toEqual([400, 'scenario_refused', at]);
  expect(await titles(ask)).toEqual(['Emma', 'Mine']);
});

test('links of a world have its prefix, and a scenario finds a collection with and without the path of the server', async () => {
  const ask = await start({}, shop);
  const people = ['Ann', 'Bob'].map((name, index) => ({ name, email: `p${index}@example.com` }));
  for (const path of ['/customers', '/v1/customers']) {
    expect((await ask('PUT', '/w/a/_sandbox/scenario', { [path]: people })).body).toMatchObject({ items: 2 });
    const { body, headers } = await ask('GET', '/w/a/v1/customers?limit=1');
    expect([body.total, body.data[0].name]).toEqual([2, 'Ann']);
    expect(new URL(body.links.next).pathname).toBe('/w/a/v1/customers');
    expect(headers.get('link')).toContain('/w/a/v1/customers?');
    expect((await ask('GET', body.links.next.slice(new URL(body.links.next).origin.length))).body.data[0].name).toBe(
      'Bob',
    );
  }
});

test('faults, clock and journal of a world do not reach another', async () => {
  const ask = await start();
  const fault = { operationId: 'listBooks', times: 1, status: 503 };
  expect((await ask('POST', '/w/a/_sandbox/faults', fault)).status).toBe(201);
  expect((await ask('GET', '/w/b/books')).status).toBe(200);
  expect((await ask('GET', '/books')).status).toBe(200);
  expect((await ask('GET', '/w/a/books')).status).toBe(503);
  expect((await ask('GET', '/w/a/books')).status).toBe(200);

  const moved = { now: '2030-01-01T00:00:00Z', ticking: false };
  expect((await ask('PATCH', '/w/a/_sandbox/clock', moved)).status).toBe(200);
  const inA = await ask('POST', '/w/a/books', { title: 'Late' });
  const inB = await ask('POST', '/w/b/books', { title: 'Now' });
  expect([inA, inB].map(({ body }) => body.createdAt.startsWith('2030-01-01T00:00:00'))).toEqual([true, false]);

  const verdicts = async (prefix: string) =>
    (await ask('GET', `${prefix}/_sandbox/requests`)).body.requests.map(
      (one: { operationId: string; verdict: string }) => `${one.operationId} ${one.verdict}`,
    );
  expect(await verdicts('/w/a')).toEqual(['createBook accepted', 'listBooks accepted', 'listBooks fault']);
  expect(await verdicts('/w/b')).toEqual(['createBook accepted', 'listBooks accepted']);
  await ask('DELETE', '/w/b/_sandbox/requests');
  expect((await verdicts('/w/a')).length).toBe(3);
});

test('the journal has the reason of a rejection that the contract declares without a body', async () => {
  const ask = await start();
  await ask('GET', '/books/99');
  await ask('GET', '/books/x');
  const { requests } = (await ask('GET', '/_sandbox/requests')).body;
  const reason = 'bookId must be an integer';
  expect(requests).toMatchObject([
    { path: '/books/x', says: expect.stringContaining(reason), details: [{ in: 'path', at: 'bookId' }] },
    { path: '/books/99', status: 404, says: 'no book has the id 99' },
  ]);
});

/** A step of a test: a request, below the prefix of its world. */
type Step = readonly [method: string, path: string, body?: object];

const standing = { now: '2026-06-01T12:00:00Z', ticking: false };
const stop: Step = ['PATCH', '/_sandbox/clock', standing];
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom('Emma', 'Persuasion').map((title): Step => ['POST', '/books', { title }]),
  fc.constantFrom<Step>(['GET', '/books'], ['GET', '/books/41'], ['DELETE', '/books/41'], ['GET', '/nowhere']),
  fc.integer({ min: 1, max: 3 }).map((id): Step => ['DELETE', `/books/${id}`]),
  fc.constantFrom('PT1H', '-P1D').map((by): Step => ['PATCH', '/_sandbox/clock', { by }]),
  fc.constant<Step>(['POST', '/_sandbox/faults', { operationId: 'listBooks', status: 503 }]),
  fc.constant<Step>(['DELETE', '/_sandbox/requests']),
  fc.constant<Step>(['GET', '/_sandbox/requests']),
);
/** A scenario starts the clock. */
const fill: readonly Step[] = [['PUT', '/_sandbox/scenario', { '/books': [{ id: 2, title: 'Sanditon' }] }], stop];
const steps: fc.Arbitrary<readonly Step[]> = fc.oneof(
  { weight: 9, arbitrary: step.map((one) => [one]) },
  { weight: 1, arbitrary: fc.constant(fill) },
);

test('the interleaving of two programs answers as the two alone do', { tags: ['full'] }, async () => {
  const ask = await start();
  const headers = { 'x-request-id': 'fixed' };
  /** The answer that a test gets, without the times at which requests arrived. */
  const run = async (name: string, [method, path, body]: Step): Promise<unknown> => {
    const answer = await ask(method, `/w/${name}${path}`, body, headers);
    const shown = path === '/_sandbox/requests' ? answer.body?.requests.map(readEntry) : answer.body;
    // The state has the names of the other worlds, and the time before the clock is stopped.
    const isState = path === '/_sandbox/scenario';
    return [answer.status, answer.headers.get('location'), isState ? [shown.items, shown.faults] : shown];
  };
  const readEntry = ({ operationId, verdict, number }: Readonly<Record<string, unknown>>) => [
    operationId,
    verdict,
    number,
  ];
  const program = fc.array(steps, { minLength: 4, maxLength: 12 }).map((list) => [stop, ...list.flat()]);
  await fc.assert(
    fc.asyncProperty(program, program, fc.infiniteStream(fc.boolean()), async (first, second, turns) => {
      const programs = { first, second };
      const alone = { first: [] as unknown[], second: [] as unknown[] };
      for (const name of ['first', 'second'] as const) {
        for (const one of programs[name]) alone[name].push(await run(name, one));
        await ask('DELETE', `/_sandbox/worlds/${name}`);
      }
      const together = { first: [] as unknown[], second: [] as unknown[] };
      const left = { first: [...first], second: [...second] };
      for (const isFirst of turns) {
        const own = (isFirst && left.first.length > 0) || left.second.length === 0 ? 'first' : 'second';
        const next = left[own].shift();
        if (next === undefined) break;
        together[own].push(await run(own, next));
      }
      for (const name of ['first', 'second']) await ask('DELETE', `/_sandbox/worlds/${name}`);
      expect(together).toEqual(alone);
    }),
    { numRuns: 10 },
  );
});

test('a request that the control rejects creates no world', async () => {
  const ask = await start({ worlds: 1 });
  for (const headers of [{ origin: 'https://evil.example' }, { 'x-forwarded-for': '203.0.113.7' }])
    for (const path of ['/_sandbox', '/_sandbox/state', '/_sandbox/openapi.json'])
      expect((await ask('GET', `/w/b${path}`, undefined, headers)).status).toBe(403);
  expect((await ask('GET', '/_sandbox/state')).body.worlds).toEqual([]);
  expect((await ask('GET', '/w/a/books')).status).toBe(200);
});

test('worlds are bounded, listed and removed', async () => {
  const ask = await start({ worlds: 2 });
  await ask('POST', '/w/a/books', { title: 'Mine' });
  await ask('GET', '/w/b/books');
  expect(await ask('GET', '/w/c/books')).toMatchObject({ status: 507, body: { code: 'too_many_worlds' } });
  expect((await ask('GET', '/_sandbox/state')).body.worlds).toEqual(['a', 'b']);
  expect((await ask('DELETE', '/_sandbox/worlds/a')).status).toBe(204);
  expect((await ask('DELETE', '/_sandbox/worlds/a')).status).toBe(404);
  expect((await ask('GET', '/w/c/books')).status).toBe(200);
  expect(await ask('GET', '/w/a%20b/books')).toMatchObject({ status: 400, body: { code: 'world_name' } });
});

test('the control rejects pages of other origins, has no keypad and no tokens, and can be left out', async () => {
  const ask = await start();
  const page = { origin: 'https://evil.example' };
  for (const path of ['/_sandbox/reset', '/w/a/_sandbox/reset'])
    expect(await ask('POST', path, {}, page)).toMatchObject({ status: 403, body: { code: 'foreign_origin' } });
  expect((await ask('GET', '/_sandbox/state')).body.worlds).toEqual([]);
  for (const path of ['/_sandbox/locks', '/_sandbox/tokens/lifetime', '/_sandbox/keypad'])
    expect((await ask('GET', path)).status).toBe(404);
  expect((await ask('GET', '/_sandbox/openapi.json')).body.paths).toHaveProperty(['/scenario']);
  const without = await start({ control: false, worlds: 0 });
  expect((await without('GET', '/_sandbox/state')).status).toBe(404);
  expect((await without('GET', '/w/a/books')).status).toBe(404);
});
