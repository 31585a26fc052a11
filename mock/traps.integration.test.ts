import { connect } from 'node:net';
import { museumContract, museumOperations } from '@lockstep/runtime/fixtures/museum';
import type { RunningListener } from '@lockstep/runtime/start-listening';
import { type RawAnswer, sendRaw } from '@lockstep/server/http/fixtures/send-raw';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startContractMock } from './start-contract-mock.ts';

// Features of contracts that ours lacks, and behaviour of a mock alone. The traps of every request are in `test/`, for service and mock.

const logged: string[] = [];
let mock: RunningListener;

const start = (write: (line: string) => void): Promise<RunningListener> =>
  startContractMock({
    contract: museumContract,
    operations: museumOperations,
    logger: pino({ level: 'warn' }, { write }),
    port: 0,
    host: '127.0.0.1',
  });

beforeAll(async () => {
  mock = await start((line) => void logged.push(line));
});
afterAll(() => mock.close());

const token = 'Authorization: Bearer t';
const desk = `Authorization: Basic ${Buffer.from('desk:secret').toString('base64')}`;
const jsonType = 'Content-Type: application/json';
const formType = 'Content-Type: application/x-www-form-urlencoded';

function request(method: string, target: string, headers: readonly string[] = [], body?: string): string {
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return [`${method} ${target} HTTP/1.1`, 'Host: mock', ...headers, ...length, '', body ?? ''].join('\r\n');
}

const get = (target: string, ...headers: string[]): string =>
  request('GET', `/museum/v2${target}`, [token, ...headers]);
const add = (body: string, ...headers: string[]): string =>
  request('POST', '/museum/v2/exhibits', [token, jsonType, ...headers], body);
const sell = (body: string, type = formType): string => request('POST', '/desk/tickets', [desk, type], body);

interface Trap {
  readonly name: string;
  readonly bytes: string;
  readonly status: number;
  /** Part of the answer's text, or a pattern of it. */
  readonly says?: string | RegExp;
  readonly headers?: Readonly<Record<string, string | RegExp>>;
}

const good = '{"title":"Vase"}';

const traps: readonly Trap[] = [
  // Addresses: a base for each path, and none.
  { name: 'the path of its own base', bytes: sell('kind=adult'), status: 200 },
  { name: 'an empty target', bytes: request('GET', '/'), status: 404 },

  // Credentials that are not verified, but must be present and well-formed.
  {
    name: 'no credentials',
    bytes: request('GET', '/museum/v2/exhibits'),
    status: 401,
    headers: { 'www-authenticate': 'Bearer realm="museum"' },
    says: 'The header Authorization is missing',
  },
  {
    name: 'no client',
    bytes: request('POST', '/desk/tickets', [formType], 'kind=adult'),
    status: 401,
    headers: { 'www-authenticate': 'Basic realm="desk"' },
  },
  {
    name: 'a bearer token for a client',
    bytes: request('POST', '/desk/tickets', [token, formType], 'kind=adult'),
    status: 401,
    headers: { 'www-authenticate': /^Basic/ },
  },
  {
    name: 'client credentials without colon',
    bytes: request('POST', '/desk/tickets', ['Authorization: Basic ZGVzaw==', formType], 'kind=adult'),
    status: 401,
  },
  { name: 'nothing asked for', bytes: request('GET', '/opening-hours'), status: 200 },

  // Parameters.
  {
    name: 'a path value of the wrong form',
    bytes: get('/exhibits/ex-7'),
    status: 422,
    says: 'exhibitId "ex-7" does not have the right form',
  },
  { name: 'an empty value where it is allowed', bytes: get('/exhibits?note='), status: 200 },
  { name: 'a list sent in parts', bytes: get('/exhibits?tag=a&tag=b'), status: 200 },
  {
    name: 'a list that is too long',
    bytes: get('/exhibits?tag=a&tag=b&tag=c&tag=d'),
    status: 400,
    says: 'tag has too many items, 4: at most 3',
  },
  {
    name: 'a day that is none',
    bytes: get('/exhibits?since=2019-02-30T10:00:00Z'),
    status: 400,
    says: 'since "2019-02-30T10:00:00Z" is not a valid date-time',
  },

  // Rejections that a range or `default` declares.
  {
    name: 'a refusal that 4XX declares',
    bytes: get('/exhibits/featured?x=1'),
    status: 400,
    says: 'query parameter x is not known',
  },
  {
    name: 'a refusal that default declares',
    bytes: request('DELETE', '/museum/v2/exhibits/ex-7', [token]),
    status: 422,
    says: 'exhibitId "ex-7" does not have the right form',
  },

  // Forms.
  {
    name: 'a form field sent twice',
    bytes: sell('kind=adult&kind=adult'),
    status: 400,
    says: 'kind is sent more than once',
  },
  { name: 'a broken escape in a form', bytes: sell('kind=%ZZ'), status: 400, says: 'kind has a broken escape' },
  { name: 'an unknown form field, ignored', bytes: sell('kind=adult&__proto__=1&x=2'), status: 200 },
  {
    name: 'a form field that is no number',
    bytes: sell('kind=adult&seats=1e0'),
    status: 400,
    says: 'seats must be an integer, not "1e0"',
  },
  {
    name: 'JSON for a form, where 415 is not declared',
    bytes: sell('{}', jsonType),
    status: 400,
    says: 'send the body as application/x-www-form-urlencoded',
  },
  {
    name: 'a form beyond the limit of its operation',
    bytes: sell(`kind=adult&note=${'x'.repeat(300)}`),
    status: 400,
    says: 'The body is larger than 256 bytes',
  },

  // Documented answers on demand.
  {
    name: 'Prefer',
    bytes: add(good, 'Prefer: code=418, example=kettle'),
    status: 418,
    says: 'Nor is a kettle',
  },
  { name: 'Prefer as a query', bytes: get('/exhibits/ex-0007?__code=404'), status: 404, says: 'not found exhibit' },
  {
    name: 'Prefer twice',
    bytes: get('/exhibits/ex-0007', 'Prefer: code=404', 'Prefer: example=not_found'),
    status: 404,
  },
  {
    name: 'a code the operation does not have',
    bytes: get('/exhibits', 'Prefer: code=418'),
    status: 400,
    says: 'Prefer: listExhibits has no response 418: it has 200, 400, 401 or 500',
  },
  {
    name: 'an example the operation does not have',
    bytes: add(good, 'Prefer: code=418, example=pot'),
    status: 400,
    says: 'addExhibit 418 has no example pot: it has teapot or kettle',
  },
  {
    name: 'Prefer with a bad request',
    bytes: add('{}', 'Prefer: code=201'),
    status: 400,
    says: 'title is required',
  },

  // Answers that are not JSON.
  {
    name: 'HEAD',
    bytes: request('HEAD', '/opening-hours', ['Connection: close']),
    status: 200,
    headers: { 'content-length': '8', 'content-type': 'text/plain' },
    says: /^$/,
  },
];

/** No answer of the mock may look like one of Prism's own, or lack the headers of every answer. */
function expectOwnShape(answer: RawAnswer): void {
  expect(answer.headers['sl-violations']).toBeUndefined();
  expect(answer.headers['content-type'] ?? '').not.toContain('problem+json');
  expect(answer.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
  if (answer.status < 400) return;
  expect(answer.headers['x-museum-edition']).toBe('2.3.0');
  expect(JSON.parse(answer.body)).toMatchObject({
    plaint: expect.stringMatching(/./),
    kind: expect.any(String),
    trace: answer.headers['x-request-id'],
  });
}

describe('the mock of a museum answers', () => {
  for (const { name, bytes, status, says, headers = {} } of traps) {
    test(name, async () => {
      const answer = await sendRaw(mock.origin, { bytes });
      expect({ status: answer.status, body: answer.body }).toMatchObject({ status });
      expectOwnShape(answer);
      const text = status < 400 ? answer.body : String(JSON.parse(answer.body).plaint);
      if (typeof says === 'string') expect(text).toContain(says);
      else if (says !== undefined) expect(text).toMatch(says);
      for (const [header, wanted] of Object.entries(headers)) {
        if (typeof wanted === 'string') expect(answer.headers[header]).toBe(wanted);
        else expect(answer.headers[header] ?? '').toMatch(wanted);
      }
    });
  }
});

describe('an invented answer', () => {
  const invent = async (seed: string): Promise<unknown> => {
    const prefer = `dynamic=true${seed}`;
    const answer = await fetch(`${mock.origin}/museum/v2/exhibits`, { headers: { authorization: 'Bearer t', prefer } });
    expect(answer.status).toBe(200);
    return answer.json();
  };

  test('is the same for the same seed', async () => {
    expect(await invent(', seed=7')).toEqual(await invent(', seed=7'));
  });

  test('is not bound by the seed of an earlier or simultaneous call', async () => {
    const rounds = await Promise.all([', seed=7', '', ', seed=7', '', ', seed=7', ''].map(invent));
    const [first, second, third] = rounds.filter((_, index) => index % 2 === 1).map((body) => JSON.stringify(body));
    expect(new Set([first, second, third]).size).toBeGreaterThan(1);
    expect(rounds[0]).toEqual(rounds[4]);
  });
});

test('the log has no failure of the mock', () => {
  expect(logged.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
});

test('close resolves at once, whatever clients keep open', async () => {
  const own = await start(() => undefined);
  await fetch(`${own.origin}/opening-hours`).then((answer) => answer.text());
  const { hostname, port } = new URL(own.origin);
  const stalled = connect(Number(port), hostname);
  stalled.on('error', () => undefined);
  const begun = request('POST', '/museum/v2/exhibits', [token, jsonType, 'Content-Length: 100']);
  await new Promise<void>((resolve) => void stalled.write(begun, () => resolve()));
  const started = performance.now();
  await own.close();
  expect(performance.now() - started).toBeLessThan(10_000); // the server's patience, where the mock has half a second
  await expect(fetch(`${own.origin}/opening-hours`)).rejects.toThrow();
});
