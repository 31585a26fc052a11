import { request as send } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { defaultLimits } from '@lockstep/runtime/listen';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { recorded, startFakeControl } from './fixtures/fake-sandbox.ts';
import contract from './generated/contract.gen.json' with { type: 'json' };

type Control = Awaited<ReturnType<typeof startFakeControl>>;

let control: Control;
beforeAll(async () => {
  control = await startFakeControl();
});
beforeEach(() => control.renew());
// Every answer is validated against the contract before it is sent.
afterEach(() => expect(control.complaints).toEqual([]));
afterAll(() => control.close());

interface Sent {
  readonly method?: string;
  /** A list of names and values in turn is sent as it is. */
  readonly headers?: Readonly<Record<string, string>> | readonly string[];
  readonly body?: string;
  readonly to?: Control;
}

/** Byte for byte: `fetch` would choose some headers itself. */
async function call(path: string, { method = 'GET', headers = {}, body, to = control }: Sent = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    headers: Readonly<Record<string, unknown>>;
    text: string;
  }>();
  send({ host: '127.0.0.1', port: to.port, method, path, headers, agent: false }, async (response) =>
    resolve({ status: response.statusCode ?? 0, headers: response.headers, text: await readText(response) }),
  )
    .on('error', reject)
    .end(body);
  return await promise;
}

async function json(path: string, method = 'GET', value?: unknown) {
  const body = value === undefined ? undefined : JSON.stringify(value);
  const headers = { ...(body !== undefined && { 'Content-Type': 'application/json' }) };
  const answer = await call(path, { method, headers, ...(body !== undefined && { body }) });
  return { status: answer.status, body: answer.text === '' ? undefined : JSON.parse(answer.text) };
}

function addFaults(count: number): void {
  for (let added = 0; added < count; added += 1)
    control.sandbox.faults.add({ operationId: 'getDevices', times: 1, drop: 'before' });
}

/** State and clock, as they begin. The clock ticks. */
const begun = {
  world: null,
  worlds: ['test-7'],
  scenario: 'demo',
  clock: { now: expect.stringMatching(/^2026-06-01T12:00:/), ticking: true },
  faults: [],
  tokenLifetimeSeconds: null,
  clients: [{ clientId: 'demo-own', secret: 'not-a-real-secret', account: 'Harbour Stays' }],
  requests: 0,
};

describe('the state', () => {
  test('is read', async () => {
    expect(await json('/_sandbox/state')).toEqual({ status: 200, body: begun });
  });

  test('is reset', async () => {
    await json('/_sandbox/faults', 'POST', { operationId: '*', delayMs: 1 });
    await json('/_sandbox/tokens/lifetime', 'PUT', { seconds: 5 });
    expect(await json('/_sandbox/reset', 'POST', {})).toEqual({ status: 200, body: begun });
    expect(control.done).toEqual(['reset']);
  });

  test.each([
    { choice: { name: 'empty' }, used: 'use {"name":"empty"}', scenario: 'empty' },
    {
      choice: { import: { account: { id: 'a', name: 'A' } } },
      used: 'use {"import":{"account":{"id":"a","name":"A"}}}',
      scenario: null,
    },
    {
      choice: { import: [{ account: { id: 'a', name: 'A' } }, { account: { id: 'b', name: 'B' } }] },
      used: 'use {"import":[{"account":{"id":"a","name":"A"}},{"account":{"id":"b","name":"B"}}]}',
      scenario: null,
    },
  ])('is that of another scenario: $choice', async ({ choice, used, scenario }) => {
    expect(await json('/_sandbox/scenario', 'PUT', choice)).toEqual({ status: 200, body: { ...begun, scenario } });
    expect(control.done).toEqual([used]);
  });

  test('stays where a scenario is refused, each place named', async () => {
    const file = { account: { id: 'a', name: 'bad' } };
    expect(await json('/_sandbox/scenario', 'PUT', { import: file })).toMatchObject({
      status: 400,
      body: {
        error: 'import/account/name is refused',
        code: 'scenario_refused',
        details: [
          { in: 'body', at: '/import/account/name', says: 'import/account/name is refused' },
          { in: 'body', at: '/import/devices/0/links/1', says: 'import/devices/0/links/1 has no such device' },
        ],
      },
    });
  });

  test('has scenarios by name, with what each shows', async () => {
    const { body } = await json('/_sandbox/scenarios');
    expect(body.scenarios).toContainEqual({ name: 'empty', shows: 'An account without a device' });
    expect(body.scenarios).toHaveLength(6);
  });
});

describe('the keypad', () => {
  test('has the locks', async () => {
    const lock = { deviceId: 'LK0A00000001', name: 'Front door', type: 'Lock', timezone: 'Europe/Berlin' };
    expect(await json('/_sandbox/locks')).toEqual({ status: 200, body: { locks: [lock] } });
    expect(await json('/_sandbox/locks?limit=2000')).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  test('sends digits to a lock, and shows its decision', async () => {
    expect(await json('/_sandbox/locks/LK0A00000001/entries', 'POST', { digits: '482915736' })).toMatchObject({
      status: 200,
      body: { opened: false, reason: 'too_early', code: { kind: 'hourly' } },
    });
    expect(control.done).toEqual(['enter 482915736']);
  });

  test.each(['', '12a', '1234567890123', 482915736, undefined])('does not send %j', async (digits) => {
    const answer = await json('/_sandbox/locks/LK0A00000001/entries', 'POST', { digits });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', details: [{ at: '/digits' }] } });
    expect(control.done).toEqual([]);
  });

  test('answers 404 for a device that is no lock', async () => {
    const body = { error: 'There is no lock or keypad BR0A00000001', code: 'lock_not_found' };
    expect(await json('/_sandbox/locks/BR0A00000001/entries', 'POST', { digits: '1' })).toMatchObject({
      status: 404,
      body,
    });
  });
});

describe('the clock', () => {
  test.each([
    { change: { now: '2027-01-01T00:00:00+01:00', ticking: false }, want: '2026-12-31T23:00:00.000Z' },
    { change: { by: 'PT1H' }, want: '2026-06-01T13:00:00.000Z' },
    { change: { by: '-P1D' }, want: '2026-05-31T12:00:00.000Z' },
    { change: { by: 'P1M' }, want: '2026-07-01T12:00:00.000Z' },
    { change: { by: 'PT0.5S', ticking: false }, want: '2026-06-01T12:00:00.500Z' },
  ])('is changed by $change, and jobs have run before the answer', async ({ change, want }) => {
    await json('/_sandbox/clock', 'PATCH', { now: '2026-06-01T12:00:00Z', ticking: false });
    const ticking = false;
    expect(await json('/_sandbox/clock', 'PATCH', change)).toEqual({ status: 200, body: { now: want, ticking } });
    expect(await json('/_sandbox/clock')).toEqual({ status: 200, body: { now: want, ticking } });
    expect(control.done).toEqual(['jobs ran', 'jobs ran']);
  });

  test('goes on, and stops', async () => {
    expect((await json('/_sandbox/clock')).body.ticking).toBe(true);
    expect((await json('/_sandbox/clock', 'PATCH', { ticking: false })).body.ticking).toBe(false);
    expect((await json('/_sandbox/clock', 'PATCH', { ticking: true })).body.ticking).toBe(true);
  });
});

describe('faults', () => {
  test('are added, listed, counted down and removed', async () => {
    const fault = { operationId: 'getDevices', times: 2, delayMs: 10, status: 503 };
    const added = await json('/_sandbox/faults', 'POST', fault);
    expect(added).toEqual({ status: 201, body: { ...fault, id: 'fault-1', left: 2 } });
    control.sandbox.faults.take('getDevices');
    expect((await json('/_sandbox/faults')).body).toEqual({ faults: [{ ...fault, id: 'fault-1', left: 1 }] });
    expect((await json('/_sandbox/state')).body.faults).toHaveLength(1);
    expect(await json('/_sandbox/faults/fault-1', 'DELETE')).toEqual({ status: 204, body: undefined });
    expect(await json('/_sandbox/faults/fault-1', 'DELETE')).toMatchObject({
      status: 404,
      body: { error: 'There is no fault fault-1', code: 'fault_not_found' },
    });
  });

  test('are removed all at once', async () => {
    await json('/_sandbox/faults', 'POST', { operationId: '*', drop: 'before' });
    expect((await json('/_sandbox/faults', 'DELETE')).status).toBe(204);
    expect((await json('/_sandbox/faults')).body).toEqual({ faults: [] });
  });

  test.each([
    { operationId: '*', delayMs: 50_000 },
    { operationId: '*', status: 502 },
    { operationId: '*', status: 429 },
    { operationId: 'getDevices', status: 504 },
    { operationId: 'getDevices', status: 401, example: 'token_expired' },
    { operationId: 'getDevices', example: 'last_page' },
    { operationId: 'createBridgeTargetedJob', drop: 'after', delayMs: 5 },
    { operationId: 'getDevices', body: 'truncated' },
    { operationId: 'exchangeToken', status: 503, body: 'malformed' },
  ])('meet one request where nothing else is said: %j', async (fault) => {
    expect(await json('/_sandbox/faults', 'POST', fault)).toMatchObject({
      status: 201,
      body: { ...fault, times: 1, left: 1 },
    });
  });
});

test('of faults as many are kept as the state can tell of', async () => {
  const { maxItems } = contract.components.schemas.FaultList.properties.faults;
  expect(contract.components.schemas.State.properties.faults.maxItems).toBe(maxItems);
  addFaults(maxItems);
  const one = { operationId: '*', drop: 'before' };
  expect(await json('/_sandbox/faults', 'POST', one)).toMatchObject({ status: 400, body: { code: 'too_many_faults' } });
  for (const path of ['/_sandbox/faults', '/_sandbox/state']) {
    const { status, body } = await json(path);
    expect([path, status, body.faults.length]).toEqual([path, 200, maxItems]);
  }
  control.sandbox.faults.take('getDevices');
  expect((await json('/_sandbox/faults', 'POST', one)).status).toBe(201);
});

describe('tokens', () => {
  test.each(['access', 'all'])('are expired: %s', async (what) => {
    expect(await json('/_sandbox/tokens/expire', 'POST', { what })).toEqual({ status: 200, body: begun });
    expect(control.done).toEqual([`expire ${what}`]);
  });

  test.each([1, 86_400, null])('live for %s seconds', async (seconds) => {
    const { status, body } = await json('/_sandbox/tokens/lifetime', 'PUT', { seconds });
    expect([status, body.tokenLifetimeSeconds]).toEqual([200, seconds]);
  });
});

describe('the journal', () => {
  const detail = { in: 'query', at: 'limit', says: 'limit must be at most 300, but is 900', nearest: ['300'] } as const;
  beforeEach(() => {
    const { journal } = control.sandbox;
    journal.record(recorded);
    journal.record({
      ...recorded,
      status: 400,
      verdict: 'refused',
      code: 'invalid_request',
      says: detail.says,
      details: [detail],
    });
    journal.record({ ...recorded, operationId: null, path: '/x', queryText: 'a=b', status: 404, verdict: 'unrouted' });
    journal.record({ ...recorded, operationId: 'login', status: null, verdict: 'fault', faultId: 'fault-1' });
  });

  test('lists requests, newest first, with what was wrong', async () => {
    const { status, body } = await json('/_sandbox/requests');
    const { queryText: _, ...rest } = recorded;
    expect(status).toBe(200);
    expect(body.requests.map(({ number }: { number: number }) => number)).toEqual([4, 3, 2, 1]);
    expect(body.requests[3]).toEqual({ ...rest, number: 1, query: [{ name: 'limit', value: '5' }] });
    expect(body.requests[2]).toMatchObject({ verdict: 'refused', code: 'invalid_request', details: [detail] });
    expect(body.requests[0]).toMatchObject({ status: null, faultId: 'fault-1' });
  });

  test.each([
    { query: 'operationId=login', want: [4] },
    { query: 'status=400', want: [2] },
    { query: 'verdict=unrouted', want: [3] },
    { query: 'limit=2', want: [4, 3] },
    { query: 'operationId=getDevices&verdict=accepted&status=200&limit=5', want: [1] },
  ])('is filtered by $query', async ({ query, want }) => {
    const { body } = await json(`/_sandbox/requests?${query}`);
    expect(body.requests.map(({ number }: { number: number }) => number)).toEqual(want);
  });

  test('is emptied', async () => {
    expect((await json('/_sandbox/requests', 'DELETE')).status).toBe(204);
    expect((await json('/_sandbox/requests')).body).toEqual({ requests: [] });
  });
});

describe('wrong input is refused with its place and what would do', () => {
  test.each<{ call: string; value?: unknown; code?: string; at: string; says: string; nearest?: readonly string[] }>([
    { call: 'POST /reset', value: { all: true }, at: '/all', says: 'all is not known, nothing is taken here' },
    { call: 'PUT /scenario', value: { name: 'demos' }, at: '/name', says: 'demos', nearest: ['demo'] },
    { call: 'PUT /scenario', value: { nam: 'demo' }, at: '/nam', says: 'did you mean name?', nearest: ['name'] },
    { call: 'PUT /scenario', value: {}, at: '', says: 'name' },
    { call: 'PUT /scenario', value: { name: 'demo', import: { account: { id: 'a', name: 'A' } } }, at: '', says: '' },
    {
      call: 'PUT /scenario',
      value: { import: { account: { id: 'a', name: 'A' }, device: [] } },
      at: '/import/device',
      says: 'did you mean devices?',
      nearest: ['devices'],
    },
    {
      call: 'PUT /scenario',
      value: { import: [{ account: { id: 'a b', name: 'A' } }] },
      at: '/import/0/account/id',
      says: 'id',
    },
    { call: 'PATCH /clock', value: {}, at: '', says: '' },
    { call: 'PATCH /clock', value: { now: '2026-06-01' }, at: '/now', says: 'now' },
    { call: 'PATCH /clock', value: { now: '0001-01-01T00:00:00Z' }, at: '/now', says: 'from 1971 to 9990' },
    { call: 'PATCH /clock', value: { now: '1970-12-31T23:59:59Z' }, at: '/now', says: 'from 1971 to 9990' },
    { call: 'PATCH /clock', value: { now: '9991-01-01T00:00:00Z' }, at: '/now', says: 'from 1971 to 9990' },
    { call: 'PATCH /clock', value: { by: 'P7965Y' }, at: '/by', says: 'from 1971 to 9990' },
    { call: 'PATCH /clock', value: { by: '3s' }, at: '/by', says: 'such as PT3S or -P1D, not "3s"' },
    { call: 'PATCH /clock', value: { by: 'P9999Y' }, at: '/by', says: 'leads beyond what the clock has' },
    { call: 'PATCH /clock', value: { by: '-P999999999Y' }, at: '/by', says: 'leads beyond what the clock has' },
    { call: 'PATCH /clock', value: { by: 'PT1S', now: '2026-06-01T12:00:00Z' }, at: '/by', says: 'send one of them' },
    { call: 'PATCH /clock', value: { tick: true }, at: '/tick', says: 'did you mean ticking?', nearest: ['ticking'] },
    {
      call: 'POST /faults',
      value: { operationId: 'getDevice5', status: 503 },
      code: 'unknown_operation',
      at: '/operationId',
      says: 'getDevice5',
      nearest: ['getDevice', 'getDevices'],
    },
    { call: 'POST /faults', value: { status: 503 }, at: '/operationId', says: 'operationId' },
    { call: 'POST /faults', value: { operationId: '*' }, at: '', says: 'the fault does nothing' },
    { call: 'POST /faults', value: { operationId: '*', times: 0, delayMs: 1 }, at: '/times', says: 'times' },
    {
      call: 'POST /faults',
      value: { operationId: '*', delayMs: 50_001 },
      at: '/delayMs',
      says: 'delayMs must be from 1 to 50000',
    },
    {
      call: 'POST /faults',
      value: { operationId: 'getDevices', status: 418 },
      at: '/status',
      says: 'getDevices never answers 418',
    },
    { call: 'POST /faults', value: { operationId: '*', drop: 'before', status: 503 }, at: '/status', says: 'drop' },
    { call: 'POST /faults', value: { operationId: '*', drop: 'after', body: 'malformed' }, at: '/body', says: 'drop' },
    { call: 'POST /faults', value: { operationId: '*', drop: 'befor' }, at: '/drop', says: '', nearest: ['before'] },
    { call: 'POST /faults', value: { operationId: '*', example: 'unavailable' }, at: '/example', says: 'name it' },
    {
      call: 'POST /faults',
      value: { operationId: 'getDevices', status: 401, example: 'token_expire' },
      at: '/example',
      says: 'did you mean token_expired',
      nearest: ['token_expired'],
    },
    {
      call: 'POST /faults',
      value: { operationId: 'getDevices', status: 503, example: 'token_expired' },
      at: '/example',
      says: 'getDevices 503',
    },
    { call: 'POST /tokens/expire', value: { what: 'acess' }, at: '/what', says: '', nearest: ['access'] },
    { call: 'PUT /tokens/lifetime', value: { seconds: 86_401 }, at: '/seconds', says: 'seconds' },
    { call: 'PUT /tokens/lifetime', value: { seconds: 0 }, at: '/seconds', says: 'seconds' },
    { call: 'PUT /tokens/lifetime', value: {}, at: '/seconds', says: 'seconds' },
    {
      call: 'GET /requests?operationId=getdevices',
      code: 'unknown_operation',
      at: 'operationId',
      says: 'did you mean getDevices',
    },
    { call: 'GET /requests?verdict=refuse', at: 'verdict', says: '', nearest: ['refused'] },
    { call: 'GET /requests?limit=1001', at: 'limit', says: 'limit' },
    { call: 'GET /requests?stat=400', at: 'stat', says: 'did you mean status?', nearest: ['status'] },
  ])('$call $value', async ({ call: line, value, code = 'invalid_request', at, says, nearest }) => {
    const [method, path] = line.split(' ');
    const { status, body } = await json(`/_sandbox${path}`, method, value);
    expect([status, body.code]).toEqual([400, code]);
    expect(body.details[0].at).toBe(at);
    expect(body.details[0].says).toContain(says);
    if (nearest !== undefined) expect(body.details[0].nearest).toEqual(expect.arrayContaining([...nearest]));
    expect(control.done).toEqual([]);
    expect(control.sandbox.readState()).toMatchObject({ faults: [], tokenLifetimeSeconds: null });
  });

  test.each([
    { call: 'GET /_sandbox/states', status: 404, code: 'route_not_found' },
    { call: 'POST /_sandbox/state', status: 405, code: 'method_not_allowed' },
    { call: 'POST /_sandbox/openapi.json', status: 405, code: 'method_not_allowed' },
  ])('$call: $status', async ({ call: line, status, code }) => {
    const [method = '', path = ''] = line.split(' ');
    expect(await json(path, method)).toMatchObject({ status, body: { code, error: expect.any(String) } });
  });
});

describe('refusals are worded as the contract shows them', () => {
  const examples: Readonly<Record<string, { value: { requestId: string } }>> = contract.components.examples;
  const host = { Host: 'other.example' };
  const origin = { Origin: 'https://other.example' };
  interface Given {
    readonly line: string;
    readonly value?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
    readonly before?: () => void;
  }
  const table: Readonly<Record<string, Given | string>> = {
    UnknownMember: { line: 'POST /reset', value: { all: true } },
    UnknownScenario: { line: 'PUT /scenario', value: { name: 'demos' } },
    ScenarioRefused: { line: 'PUT /scenario', value: { import: { account: { id: 'a', name: 'unlinked' } } } },
    UnknownDuration: { line: 'PATCH /clock', value: { by: '3s' } },
    UndeclaredStatus: { line: 'POST /faults', value: { operationId: 'getDevices', status: 418 } },
    UnknownOperation: { line: 'POST /faults', value: { operationId: 'getDevice5', status: 503 } },
    TooManyFaults: {
      line: 'POST /faults',
      value: { operationId: '*', drop: 'before' },
      before: () => addFaults(1000),
    },
    UnknownOperationFilter: { line: 'GET /requests?operationId=getDevice5' },
    UnknownExpiry: { line: 'POST /tokens/expire', value: { what: 'acess' } },
    LongLifetime: { line: 'PUT /tokens/lifetime', value: { seconds: 100_000 } },
    UnknownVerdict: { line: 'GET /requests?verdict=refuse' },
    InvalidHost: 'a message that no client library sends; the runtime has tests of it',
    NotLoopback: 'no other machine is at hand',
    ForeignOrigin: { line: 'GET /state', headers: origin },
    ForeignHost: { line: 'GET /state', headers: host },
    RouteNotFound: { line: 'GET /states' },
    LimitTooLarge: { line: 'GET /locks?limit=2000' },
    NoDigits: { line: 'POST /locks/LK0A00000001/entries', value: { digits: 'open' } },
    LockNotFound: { line: 'POST /locks/LK0A00000009/entries', value: { digits: '1' } },
    FaultNotFound: { line: 'DELETE /faults/fault-9' },
    MethodNotAllowed: { line: 'GET /reset' },
    TooLarge: { line: 'POST /reset', value: { all: 'x'.repeat(65_536) } },
    UnsupportedMediaType: { line: 'POST /reset', value: {}, headers: { 'Content-Type': 'text/plain' } },
    Internal: 'a bug, and the runtime has tests of those',
  };

  test('each of them stands in the table', () => {
    expect(Object.keys(table).sort()).toEqual(Object.keys(examples).sort());
  });

  test.each(Object.keys(table).filter((name) => typeof table[name] === 'object'))('%s', async (name) => {
    const given = table[name];
    if (typeof given !== 'object') throw new Error(`${name} has no request`);
    const { line, value, headers, before } = given;
    before?.();
    const [method = '', path = ''] = line.split(' ');
    const answer = await call(`/_sandbox${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(value !== undefined && { body: JSON.stringify(value) }),
    });
    expect({ ...JSON.parse(answer.text), requestId: '' }).toEqual({ ...examples[name]?.value, requestId: '' });
  });
});

describe('no web page drives the sandbox', () => {
  const simple = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'];
  const changes = [
    { line: 'POST /_sandbox/reset', body: '{}' },
    { line: 'PUT /_sandbox/scenario', body: '{"name":"empty"}' },
    { line: 'PATCH /_sandbox/clock', body: '{"by":"PT1H"}' },
    { line: 'POST /_sandbox/faults', body: '{"operationId":"*","delayMs":1}' },
    { line: 'POST /_sandbox/tokens/expire', body: '{"what":"all"}' },
    { line: 'PUT /_sandbox/tokens/lifetime', body: '{"seconds":1}' },
  ];
  const unchanged = () => {
    expect(control.done).toEqual([]);
    expect(control.sandbox.readState()).toMatchObject({ faults: [], tokenLifetimeSeconds: null });
    expect(control.sandbox.clock.now()).toBeLessThan(Date.parse('2026-06-01T12:30:00Z'));
  };

  // A page may send these without a preflight (Fetch, 2.2.2: a CORS-safelisted Content-Type).
  test.each(changes.flatMap((change) => simple.map((type) => ({ ...change, type }))))(
    '$line as $type',
    async ({ line, body, type }) => {
      const [method = '', path = ''] = line.split(' ');
      const answer = await call(path, { method, body, headers: { 'Content-Type': type } });
      expect([answer.status, JSON.parse(answer.text).code]).toEqual([415, 'unsupported_media_type']);
      unchanged();
    },
  );

  test.each(changes)('$line without a type, or without a body', async ({ line, body }) => {
    const [method = '', path = ''] = line.split(' ');
    expect((await call(path, { method, body })).status).toBe(415);
    const { status, text } = await call(path, { method, headers: { 'Content-Length': '0' } });
    expect([415, 400]).toContain(status);
    expect(JSON.parse(text).error).not.toBe('');
    unchanged();
  });

  const foreign = [
    { name: 'an Origin', headers: { Origin: 'http://localhost:3000' }, status: 403, code: 'foreign_origin' },
    { name: 'a Host', headers: { Host: 'evil.example' }, status: 421, code: 'foreign_host' },
    { name: 'Sec-Fetch-Site', headers: { 'Sec-Fetch-Site': 'cross-site' }, status: 403, code: 'foreign_origin' },
  ];
  const everything = [
    ...changes,
    ...['/', '/state', '/openapi.json', '/nowhere', '/requests'].map((path) => ({
      line: `GET /_sandbox${path}`,
      body: undefined,
    })),
    { line: 'DELETE /_sandbox/faults', body: undefined },
  ];
  test.each(everything.flatMap((asked) => foreign.map((given) => ({ ...asked, ...given }))))(
    '$line with $name of another: $status',
    async ({ line, body, headers, status, code }) => {
      const [method = '', path = ''] = line.split(' ');
      const sent = {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        ...(body !== undefined && { body }),
      };
      const answer = await call(path, sent);
      const { error, ...rest } = JSON.parse(answer.text);
      expect([answer.status, rest]).toEqual([status, { code, requestId: answer.headers['x-request-id'] }]);
      expect(error).toMatch(/: (use|call) /);
      expect(answer.headers['content-type']).toBe('application/json');
      unchanged();
    },
  );

  test('a target with an authority counts as its Host', async () => {
    expect((await call('http://evil.example/_sandbox/state')).status).toBe(421);
    expect((await call('http://localhost/_sandbox/state', { headers: { Host: 'evil.example' } })).status).toBe(200);
  });

  test('a preflight gets no leave', async () => {
    const asked = { 'Access-Control-Request-Method': 'PUT', 'Access-Control-Request-Headers': 'content-type' };
    const headers = { Origin: 'http://localhost:3000', ...asked };
    const answer = await call('/_sandbox/scenario', { method: 'OPTIONS', headers });
    expect(answer.status).toBe(403);
    expect(corsHeaders(answer.headers)).toEqual([]);
  });

  test.each([
    '/_sandbox/',
    '/_sandbox/state',
    '/_sandbox/scenarios',
    '/_sandbox/clock',
    '/_sandbox/faults',
    '/_sandbox/requests',
    '/_sandbox/openapi.json',
    '/_sandbox/nowhere',
  ])('%s has no CORS header, and forbids embedding', async (path) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'TRACE']) {
      const { headers } = await call(path, { method, headers: { Origin: control.origin } });
      expect(corsHeaders(headers)).toEqual([]);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      });
    }
  });
});

describe('a message that is none is refused wherever it goes', () => {
  // Node keeps the first of several and drops the others, so the guard sees only the first.
  const hosts = ['Host', 'localhost', 'Host', 'evil.example'];
  const paths = ['/_sandbox', '/_sandbox/', '/_sandbox/openapi.json', '/_sandbox/state'];
  test.each(paths)('%s with two Host lines', async (path) => {
    const { status, text } = await call(path, { headers: hosts });
    const { requestId: _, ...want } = contract.components.examples.InvalidHost.value;
    expect([status, JSON.parse(text)]).toEqual([400, { ...want, requestId: expect.any(String) }]);
  });

  test.each(paths)('%s with a coding that nobody takes off', async (path) => {
    const { status, text } = await call(path, {
      headers: ['Host', 'localhost', 'Transfer-Encoding', 'gzip, chunked'],
    });
    expect([status, JSON.parse(text).code]).toEqual([400, 'invalid_request']);
  });
});

test('another machine drives it where the control is open', async () => {
  const open = await startFakeControl({ isOpen: true });
  const headers = { 'X-Forwarded-For': '192.0.2.7' };
  expect((await call('/_sandbox/state', { headers })).status).toBe(403);
  expect((await call('/_sandbox/state', { headers, to: open })).status).toBe(200);
  await open.close();
});

test.each(['/_sandbox', '/_sandbox/', '/_sandbox/?from=here', '/_sandbox/keypad'])(
  '%s is the page to click at',
  async (path) => {
    const { status, headers, text } = await call(path);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/=]{44}'; style-src 'sha256-[\w+/=]{44}'; /,
    );
    expect(text).toContain(path.endsWith('keypad') ? 'Type a code at a lock' : '<option>getDevices</option>');
    const head = await call(path, { method: 'HEAD' });
    expect([head.text, head.headers['content-length']]).toEqual(['', headers['content-length']]);
  },
);

test('the longest delay of a fault is shorter than a connection may be silent, and the page has no other', async () => {
  const { maximum } = contract.components.schemas.DelayMs;
  expect(maximum).toBeLessThan(defaultLimits.silentMs);
  expect((await call('/_sandbox/')).text).toContain(`name="delayMs" type="number" min="1" max="${maximum}"`);
});

test('the contract of the control is published with it', async () => {
  const { status, headers, text } = await call('/_sandbox/openapi.json');
  expect([status, headers['content-type']]).toEqual([200, 'application/json']);
  const { openapi, info, servers, paths } = JSON.parse(text);
  expect({ openapi, title: info.title, url: servers[0].url }).toEqual({
    openapi: '3.1.0',
    title: 'Sandbox control',
    url: '/_sandbox',
  });
  expect(Object.keys(paths)).toContain('/faults/{faultId}');
});

function corsHeaders(headers: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(headers).filter((name) => name.startsWith('access-control-'));
}
