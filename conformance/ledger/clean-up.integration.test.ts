// A run deletes what it created: at its end, at the end of its budget, and after an interruption.
import { afterEach, expect, test } from 'vitest';
import type { RunContext } from '../checks/check.ts';
import type { Contract } from '../contract/contract.ts';
import { isObject, parseJson } from '../contract/document.ts';
import type { Draft, Exchange } from '../execute/exchange.ts';
import type { Scenario } from '../execute/scenario.ts';
import type { RunOptions, RunResult } from '../run/run.ts';
import { runConformance } from '../run/run-conformance.ts';
import { testOptions } from '../seeded/apis.ts';
import { contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { type Handler, type Served, serve } from '../seeded/serve.ts';
import { cleanUp, groupLeft, nameLeft } from './clean-up.ts';
import { openLedger } from './ledger.ts';
import { createShops, shopsContract } from './shops.ts';

let served: Served | undefined;

afterEach(() => served?.close());

async function run(
  contract: Contract,
  handle: Handler,
  change: Partial<RunOptions> = {},
  signal?: AbortSignal,
): Promise<RunResult> {
  served = await serve(handle);
  const options = { ...testOptions('library', served.origin), baseUrl: served.origin, ...change };
  return await runConformance(contract, options, {}, signal);
}

test.each([1, 2, 3])('a run leaves a server as it was, with seed %d', async (seed) => {
  const { handle, dump } = createShops();
  const before = dump();
  const result = await run(shopsContract, handle, { seed });
  expect(result.coverage.reached).toBe(10);
  expect([dump(), result.leftBehind, result.ledger]).toEqual([before, [], undefined]);
});

test.each([1, 2, 3, 4, 5, 6, 8, 10])('a budget of %d requests leaves a server as it was', async (requests) => {
  const { handle, dump } = createShops();
  const before = dump();
  const result = await run(shopsContract, handle, { budget: { requests, milliseconds: undefined } });
  expect([dump(), result.leftBehind]).toEqual([before, []]);
});

test.each([3, 5, 7])('an interruption at request %d leaves a server as it was', async (number) => {
  const { handle, dump } = createShops();
  const before = dump();
  const stop = new AbortController();
  let count = 0;
  const result = await run(
    shopsContract,
    (request) => {
      count += 1;
      if (count === number) stop.abort();
      return handle(request);
    },
    {},
    stop.signal,
  );
  expect(result.verdict).toBe('interrupted');
  expect([dump(), result.leftBehind]).toEqual([before, []]);
});

test('an object whose id no answer names is deleted only where a GET shows it', async () => {
  const { handle, dump } = createShops({ slug: '1', name: 'One' });
  const before = dump();
  const only = ['addShop'];
  const result = await run(
    shopsContract,
    async (request) => {
      const answer = await handle(request);
      return request.method === 'POST' ? { ...answer, body: { code: '1' } } : answer;
    },
    { selection: { only, exclude: [] } },
  );
  expect(served?.requests).toEqual([
    'POST /shops',
    // The code in the answer is the slug of another shop.
    'GET /shops/1',
    'GET /shops/nameconform1',
    'DELETE /shops/nameconform1',
  ]);
  expect([dump(), result.leftBehind]).toEqual([before, []]);
});

test('an object of the second account is deleted by that account', async () => {
  const { handle, dump } = createShops();
  const before = dump();
  const deleters: unknown[] = [];
  const secured = { ...shopsContract, schemes: bearer, operations: shopsContract.operations.map(secure) };
  const second = { token: 'second-token', clientId: undefined, clientSecret: undefined };
  const addShop = secured.operations.find(({ id }) => id === 'addShop');
  if (addShop === undefined) throw new Error('no addShop');
  served = await serve((request) => {
    if (request.method === 'DELETE') deleters.push(request.headers.authorization);
    return handle(request);
  });
  const options = { ...testOptions('library', served.origin), baseUrl: served.origin, second };
  let isSent = false;
  const scenario: Scenario<RunContext> = {
    id: 'auth addShop',
    ...{ operation: addShop, phase: 'auth', domain: { path: '/shops', kind: 'writes' }, mostRequests: 1 },
    rank: () => (isSent ? undefined : [0]),
    run: async (session) => {
      isSent = true;
      const content = addShop.body?.contents[0];
      if (content === undefined) throw new Error('no content');
      const body = { content, value: { name: 'Ours' } };
      const exchanges = await session.send({
        operation: addShop,
        parameters: [],
        body,
        label: '',
        identity: 'second',
      });
      return { exchanges, reasons: [] };
    },
  };
  const result = await runConformance(secured, options, {}, undefined, () => [{ scenario, probes: [] }]);
  expect([dump(), result.leftBehind, deleters]).toEqual([before, [], ['Bearer second-token']]);
});

const board = { type: 'object', properties: { id: { type: 'integer' }, title: { type: 'string' } } };
const card = {
  type: 'object',
  required: ['boardId'],
  properties: { ...board.properties, boardId: board.properties.id },
};
const content = (schema: object) => ({ required: true, content: { 'application/json': { schema } } });
const answers = { responses: { 200: { description: 'Done' }, '4XX': { description: 'No' } } };
const collection = (name: string, schema: object) => ({
  [`/${name}s`]: {
    post: { operationId: `add ${name}`, requestBody: content(schema), ...answers },
    get: { operationId: `list ${name}s`, ...answers },
  },
  [`/${name}s/{id}`]: {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
    delete: { operationId: `remove ${name}`, ...answers },
  },
});
const boardsContract = contractOf({ ...collection('board', board), ...collection('card', card) });

/** A create replaces the object whose id it repeats. A board with cards cannot be deleted. */
function createBoards() {
  const all: Record<string, Map<number, Record<string, unknown>>> = {
    boards: new Map([[1, { id: 1, title: 'Ours' }]]),
    cards: new Map([[1, { id: 1, title: 'First', boardId: 1 }]]),
  };
  let last = 1;
  const handle: Handler = ({ method, path, body }) => {
    const [, name = '', id = ''] = path.split('/');
    const objects = all[name];
    if (objects === undefined) return { status: 404, body: {} };
    if (method === 'GET') return { status: 200, body: [...objects.values()] };
    if (method === 'DELETE') {
      const isUsed = name === 'boards' && all.cards?.values().some(({ boardId }) => String(boardId) === id);
      if (isUsed) return { status: 500, body: { error: 'the board has cards' } };
      return { status: objects.delete(Number(id)) ? 200 : 404, body: {} };
    }
    const sent = parseJson(body);
    if (!isObject(sent) || (name === 'cards' && !all.boards?.has(Number(sent.boardId))))
      return { status: 400, body: {} };
    last += 1;
    const object = { ...sent, id: Math.trunc(Number(sent.id ?? last)) };
    if (Number.isNaN(object.id)) return { status: 400, body: {} };
    objects.set(object.id, object);
    return { status: 200, body: object };
  };
  return { handle, dump: () => Object.values(all).map((objects) => [...objects.values()]) };
}

test.each([1, 2, 3])('creates that may replace objects leave a server as it was, with seed %d', async (seed) => {
  const { handle, dump } = createBoards();
  const before = dump();
  const phases = ['baseline', 'negative', 'boundary', 'text', 'random'] as const;
  const budget = { requests: 300, milliseconds: undefined };
  const result = await run(boardsContract, handle, { seed, phases, budget });
  expect([dump(), result.leftBehind]).toEqual([before, []]);
  expect(served?.requests.filter((line) => line === 'DELETE /boards/1')).toEqual([]);
});

test('an object that two creates returned is deleted once, after all that was created below it', async () => {
  const requests: string[] = [];
  const ledger = openLedger(undefined, { ledger: 1, title: '', baseUrl: '', seed: 1 });
  for (const [index, [key, id]] of (
    [
      ['/boards', 7],
      ['/cards', 8],
      ['/boards', 7],
      ['/boards', 9],
    ] as const
  ).entries()) {
    const write = { write: index + 1, kind: 'create', operation: '', method: 'post', key, values: [] } as const;
    ledger.append({ ...write, account: 'own', sent: {} });
    ledger.append({ outcome: index + 1, status: 200, created: [{ key: `${key}/{}`, parents: [], ids: [['id', id]] }] });
  }
  const send = async ({ operation, parameters }: Draft): Promise<readonly Exchange[]> => {
    const line = `${operation.id} ${parameters[0]?.value}`;
    const isUsed = line === 'remove board 9' || (line === 'remove board 7' && !requests.includes('remove card 8'));
    requests.push(line);
    return [exchangeOf(boardsContract, { operation: operation.id, status: isUsed ? 500 : 200 })];
  };
  const given = { contract: boardsContract, ledger, session: { send }, tag: '', refuse: () => undefined };
  const { undone, left } = await cleanUp({ ...given, signal: new AbortController().signal });
  expect(requests).toEqual(['remove board 9', 'remove card 8', 'remove board 7']);
  expect([undone, left.map(({ object }) => object), ledger.entries().length]).toEqual([2, ['/boards/9'], 1]);
});

const bearer: Contract['schemes'] = {
  Bearer: { name: 'Bearer', pointer: '#', type: 'http', scheme: 'bearer', key: undefined, tokenUrl: undefined },
};

function secure(operation: Contract['operations'][number]): Contract['operations'][number] {
  return { ...operation, security: [{ Bearer: [] }] };
}

const refused: readonly {
  readonly name: string;
  readonly change: Partial<RunOptions>;
  readonly answer?: (line: string) => number | undefined;
  readonly left: readonly string[];
}[] = [
  {
    name: 'its DELETE is excluded',
    change: { selection: { only: [], exclude: ['removeShop'] } },
    left: ['addShop: created, and its DELETE was not sent: it is excluded (/shops/nameconform1)'],
  },
  {
    name: 'the server rejects its DELETE',
    change: { selection: { only: ['addShop'], exclude: [] } },
    answer: (line) => (line.startsWith('DELETE') ? 403 : undefined),
    left: ['addShop: created, and its DELETE was answered 403 (/shops/nameconform1)'],
  },
  {
    name: 'its create was answered 500, and the server does not list it',
    change: { selection: { only: ['addShop'], exclude: [] } },
    answer: (line) => (line === 'POST /shops' ? 500 : line === 'GET /shops' ? 403 : undefined),
    left: ['addShop: possibly created, and listShops was answered 403 (POST /shops and 2 more)'],
  },
];

test.each(refused)('an object is reported as left behind if $name', async ({ change, answer, left }) => {
  const { handle } = createShops();
  const result = await run(
    shopsContract,
    async (request) => {
      const done = await handle(request);
      const status = answer?.(`${request.method} ${request.path}`);
      return status === undefined ? done : { status, body: {} };
    },
    change,
  );
  expect(nameLeft(result.leftBehind).map(({ text }) => text)).toEqual(left);
  const warned = result.warnings.filter(({ message }) => message.startsWith('Left behind'));
  expect(warned.map(({ message }) => message)).toEqual(left.map((text) => `Left behind: ${text}.`));
});

test('with --writes all, a changed object of others gets its values back, and a deleted one is reported', async () => {
  const { handle, dump } = createShops();
  const [[mill]] = dump() as [[unknown]];
  const permissions = { effects: [], readOnly: false, writes: 'all' } as const;
  const only = ['listShops', 'readShop', 'renameShop', 'listItems', 'removeItem'];
  const result = await run(shopsContract, handle, { permissions, selection: { only, exclude: [] } });
  expect(served?.requests.filter((line) => line.startsWith('PATCH'))).toHaveLength(2);
  const [[now]] = dump() as [[unknown]];
  expect(mill).toEqual([{ number: 1, slug: 'mill', name: 'Mill' }, [['1', { size: 3 }]]]);
  expect(now).toEqual([{ number: 1, slug: 'mill', name: 'Mill' }, []]);
  expect(nameLeft(result.leftBehind).map(({ text }) => text)).toEqual([
    'removeItem: deleted (DELETE /shops/mill/items/1)',
  ]);
});

/** Pages by their slug, which follows the title: a change of the title moves the page. */
function createPages() {
  const title = { type: 'string', minLength: 1, maxLength: 60 };
  const page = { type: 'object', required: ['title'], properties: { title, note: { type: 'string' } } };
  const shown = { ...page, properties: { ...page.properties, slug: { type: 'string' } } };
  const json = (status: number, schema: object) => ({
    responses: {
      [status]: { description: '', content: { 'application/json': { schema } } },
      '4XX': { description: '' },
    },
  });
  const contract = contractOf({
    '/pages': {
      get: { operationId: 'list', ...json(200, { type: 'array', items: shown }) },
      post: { operationId: 'add', requestBody: content(page), ...json(201, shown) },
    },
    '/pages/{slug}': {
      parameters: [{ name: 'slug', in: 'path', required: true, schema: { type: 'string' } }],
      get: { operationId: 'read', ...json(200, shown) },
      put: { operationId: 'change', requestBody: content(page), ...json(200, shown) },
      delete: { operationId: 'remove', responses: { 204: { description: '' }, '4XX': { description: '' } } },
    },
  });
  const pages = new Map<string, object>([['start', { title: 'Start', note: 'kept for years' }]]);
  const handle: Handler = ({ method, path, body }) => {
    const slug = path.split('/')[2];
    const show = ([own, one]: [string, object]) => ({ slug: own, ...one });
    const sent = method === 'PUT' || method === 'POST' ? parseJson(body) : { title: 'any' };
    if (!isObject(sent) || typeof sent.title !== 'string') return { status: 400, body: {} };
    if (slug === undefined && method === 'GET') return { status: 200, body: [...pages].map(show) };
    const old = pages.get(slug ?? '');
    if (slug !== undefined && old === undefined) return { status: 404, body: {} };
    if (method === 'GET' && old !== undefined) return { status: 200, body: show([slug ?? '', old]) };
    if (slug !== undefined) pages.delete(slug);
    if (method === 'DELETE') return { status: 204 };
    const moved = sent.title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    pages.set(moved, sent);
    return { status: method === 'POST' ? 201 : 200, body: show([moved, sent]) };
  };
  return { contract, handle, dump: () => [...pages] };
}

test('an object that gets another id by a change of the run is deleted', async () => {
  const { contract, handle, dump } = createPages();
  const before = dump();
  const phases = ['baseline', 'story'] as const;
  const { leftBehind } = await run(contract, handle, { phases, selection: { only: [], exclude: [] } });
  expect(served?.requests.filter((line) => /^PUT \/pages\/(?!start)/.test(line)).length).toBeGreaterThan(0);
  expect([dump(), leftBehind]).toEqual([before, []]);
});

test('with --writes all, an object of others gets back what a PUT left out', async () => {
  const { contract, handle, dump } = createPages();
  const before = dump();
  const permissions = { effects: [], readOnly: false, writes: 'all' } as const;
  // The title stays: the page has its address by it.
  const titled = (body: string) => JSON.stringify({ ...Object(parseJson(body)), title: 'Start' });
  const keep: Handler = (request) => handle({ ...request, body: request.method === 'PUT' ? titled(request.body) : '' });
  const only = ['list', 'read', 'change'];
  await run(contract, keep, { permissions, phases: ['baseline', 'boundary'], selection: { only, exclude: [] } });
  expect(served?.requests.filter((line) => line.startsWith('PUT')).length).toBeGreaterThan(1);
  expect(dump()).toEqual(before);
});

test('objects left for one reason are one group with a count, and an object that two writes name counts once', () => {
  const write = { operation: 'add', request: 'POST /shops', why: 'created', isOpen: true };
  const objects = Array.from({ length: 70 }, (_, index) => ({ ...write, object: `/shops/${index % 60}` }));
  const unnamed = { ...write, object: undefined };
  const [group, ...others] = groupLeft([...objects, unnamed, unnamed]);
  expect(others).toEqual([]);
  expect([group?.count, group?.examples.length, group?.examples[0]]).toEqual([62, 20, '/shops/0']);
  expect(nameLeft(group === undefined ? [] : [group])[0]?.text).toMatch(/^add: created .* and 54 more\)$/);
});
