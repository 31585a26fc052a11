import { gzipSync } from 'node:zlib';
import type { RunOptions } from '../run/run.ts';
import type { ApiName } from '../seeded/apis.ts';
import type { SeededFault } from '../seeded/faults.ts';
import { clock, type TestAnswer, type TestRequest } from '../seeded/serve.ts';
import type { ContractEdit } from '../seeded/validate.ts';

/** A server with unusual behaviour that no norm or contract forbids. */
export interface FalsePositiveServer extends Pick<SeededFault, 'at' | 'instead' | 'edits'> {
  readonly name: string;
  readonly api: ApiName;
  /** Called for each answer of the clean server. @param count requests so far @param same those with this method and path */
  readonly change?: (answer: TestAnswer, request: TestRequest, count: number, same: number) => TestAnswer;
  /** In place of `instead` for a server with a state of its own: made for each run. */
  readonly fresh?: () => NonNullable<SeededFault['instead']>;
  /** Changes the contract, for server and runner. */
  readonly contract?: readonly ContractEdit[];
  /** Options of the run. */
  readonly options?: Partial<RunOptions>;
  /** Checks that may report an inconclusive finding. */
  readonly inconclusive?: readonly string[];
  /** Checks that a rule which is only usual would let report it. */
  readonly tempts?: readonly string[];
}

const problem = { 'content-type': 'application/problem+json' };

export const falsePositiveServers: readonly FalsePositiveServer[] = [
  {
    name: 'sends undeclared properties',
    api: 'library',
    change: (answer) => enrich(answer, { extra: 1, constructor: 'x', __v: null }),
  },
  { name: 'sends volatile fields', api: 'library', change: (answer, _, count) => enrich(answer, { seenAt: count }) },
  {
    name: 'sends an unknown value of an open enum',
    api: 'library',
    change: (answer) => enrich(answer, { mood: 'sleepy' }),
  },
  {
    name: 'sends header names in capitals',
    api: 'library',
    change: (answer) => ({ ...answer, headers: upperCase(answer.headers) }),
  },
  {
    name: 'adds parameters and capitals to media types',
    api: 'library',
    change: (answer) => typed(answer, 'Application/JSON; charset="UTF-8"; v=2'),
  },
  {
    name: 'sends a weak ETag, and many headers',
    api: 'library',
    change: (answer, _, count) => ({
      ...answer,
      headers: { etag: `W/"a,${count}"`, vary: 'accept', 'x-other': 'é', ...answer.headers },
    }),
  },
  {
    name: 'answers GET from a cache that HEAD does not use, for 700 ms',
    api: 'library',
    at: /^(GET|HEAD) \/v2\/motto$/,
    tempts: ['protocol-law'],
    fresh: () => {
      let since: number | undefined;
      return async (request, handle) => {
        const answer = await handle(request);
        if (request.method === 'HEAD') since ??= clock.now();
        const isOld = request.method === 'GET' && (since === undefined || clock.now() < since + 700);
        const etag = isOld ? '"old"' : '"new"';
        const headers = { ...answer.headers, etag };
        return request.headers['if-none-match'] === etag ? { status: 304, headers } : { ...answer, headers };
      };
    },
  },
  {
    name: 'sets two cookies',
    api: 'library',
    change: (answer) => ({ ...answer, headers: { ...answer.headers, 'set-cookie': ['a=1; Path=/', 'b=2'] } }),
  },
  {
    name: 'rejects every create with a documented 400',
    api: 'library',
    change: (answer, { method, path }) =>
      method === 'POST' && path.endsWith('/books') ? { status: 400, body: { reason: 'closed' } } : answer,
  },
  {
    name: 'hides existing resources behind a documented 404',
    api: 'library',
    inconclusive: ['created-missing'],
    change: (answer, { path }) => (/books\/b/.test(path) ? { status: 404, body: { reason: 'no' } } : answer),
  },
  {
    name: 'rejects an operation of this client with 403',
    api: 'library',
    change: (answer, { method, path }) =>
      method === 'POST' && /readers/.test(path) ? { status: 403, body: { why: 'staff only' } } : answer,
  },
  {
    name: 'shows a client its own key',
    api: 'library',
    change: (answer, { method, path, headers }) =>
      answer.status === 200 && method === 'GET' && /books\/b/.test(path)
        ? { ...answer, body: { ...Object(answer.body), apiKey: headers['x-library-key'] } }
        : answer,
  },
  {
    name: 'returns an empty list',
    api: 'library',
    inconclusive: ['created-missing'],
    change: (answer, { method, path }) =>
      answer.status < 300 && method === 'GET' && path.endsWith('/books')
        ? { ...answer, headers: { 'x-total': '0' }, body: { items: [] } }
        : answer,
  },
  {
    name: 'closes the connection after each answer',
    api: 'library',
    change: (answer) => ({ ...answer, headers: { ...answer.headers, connection: 'close' } }),
  },
  {
    name: 'answers some requests slowly',
    api: 'library',
    change: (answer, _, count) => ({ ...answer, delayMs: count % 8 === 0 ? 25 : 0 }),
  },
  {
    name: 'answers every second request with 429 and Retry-After',
    api: 'library',
    change: (answer, _, count) =>
      count % 2 === 1 ? { status: 429, headers: { 'retry-after': '0' }, body: 'slow down' } : answer,
  },
  {
    name: 'is unavailable for a moment',
    api: 'library',
    change: (answer, _, count) => (count < 2 ? { status: 503, headers: { 'retry-after': '0' } } : answer),
  },
  {
    name: 'has a gateway that fails once',
    api: 'library',
    change: (answer, _, count) => (count === 1 ? { status: 502, body: 'bad gateway' } : answer),
  },
  { name: 'answers 404 to the second deletion', api: 'library', change: (answer) => answer },
  {
    name: 'gives 406 its own meaning',
    api: 'weather',
    change: (answer, { path }) =>
      /readings/.test(path) ? { status: 406, headers: problem, body: { status: 406, title: 'asleep' } } : answer,
  },
  {
    name: 'gives 418 its own meaning',
    api: 'weather',
    change: (answer, { path }) =>
      /readings/.test(path) ? { status: 418, headers: problem, body: { status: 418 } } : answer,
  },
  {
    name: 'sends a problem with extension members',
    api: 'weather',
    change: (answer, { path }) =>
      /readings/.test(path)
        ? { status: 404, headers: problem, body: { status: 404, balance: 30, errors: [] } }
        : answer,
  },
  {
    name: 'rejects with a 451 declared only by default',
    api: 'weather',
    change: (answer, { path }) => (/stations$/.test(path) ? { status: 451, headers: problem, body: {} } : answer),
  },
  {
    name: 'spells the token type bearer in lower case',
    api: 'weather',
    change: (answer, { path }) =>
      path === '/oauth/token' ? enrich(answer, { token_type: 'bearer', scope: 'read write' }) : answer,
  },
  {
    name: 'sends Retry-After as a date and Last-Modified now',
    api: 'weather',
    change: (answer) => ({
      ...answer,
      headers: {
        ...answer.headers,
        'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT',
        'last-modified': new Date().toUTCString(),
      },
    }),
  },
  {
    name: 'sends numbers in unusual spellings',
    api: 'weather',
    change: (answer, { path }) =>
      answer.status < 300 && /readings/.test(path)
        ? {
            ...answer,
            headers: { 'content-type': 'application/json' },
            body: '{"unit":"celsius","values":[{"kind":"measured","degrees":1.10e1},{"kind":"measured","degrees":-0.0}]}',
          }
        : answer,
  },
  {
    name: 'sends an ISO 8601 instant with a space and a comma',
    api: 'library',
    change: (answer) => enrich(answer, { added: '2026-03-01 10:00:00,5Z' }),
  },
  {
    name: 'encodes its content without Accept-Encoding',
    api: 'library',
    change: (answer) =>
      typeof answer.body !== 'object' || Buffer.isBuffer(answer.body)
        ? answer
        : {
            ...answer,
            headers: { ...answer.headers, 'content-type': 'application/json', 'content-encoding': 'gzip' },
            body: gzipSync(JSON.stringify(answer.body)),
          },
  },
  {
    name: 'closes JSON with a line break',
    api: 'weather',
    change: (answer, { path }) =>
      answer.status < 300 && /readings/.test(path)
        ? { ...answer, headers: { 'content-type': 'application/json' }, body: `${JSON.stringify(answer.body)}\n` }
        : answer,
  },
  {
    name: 'has a feature that is switched off',
    api: 'weather',
    change: (answer, { path }) =>
      /reset$/.test(path) ? { status: 500, headers: problem, body: { title: 'Resets are disabled here' } } : answer,
  },
  {
    name: 'does not implement a feature',
    api: 'library',
    change: (answer, { path }) => (/readers$/.test(path) ? { status: 501, body: 'no' } : answer),
  },
  {
    name: 'fails once, under load',
    api: 'library',
    change: (answer, { path }, _, same) =>
      path === '/v2/motto' && same === 1 ? { status: 500, body: 'database is locked' } : answer,
    inconclusive: ['server-error'],
  },
  {
    name: 'resets one connection',
    api: 'library',
    change: (answer, { path }, _, same) =>
      path === '/v2/motto' && same === 1 ? { ...answer, instead: 'reset' } : answer,
    inconclusive: ['no-answer'],
  },
  {
    name: 'is unavailable to its gateway during one create',
    api: 'library',
    change: (answer, { path }, _, same) =>
      path === '/v2/readers' && same === 1 ? { status: 502, body: 'bad gateway' } : answer,
    inconclusive: ['server-error'],
  },
  {
    name: 'rejects with an empty body',
    api: 'library',
    inconclusive: ['created-missing'],
    change: (answer, { method, path }) =>
      method === 'GET' && /books\/b/.test(path)
        ? { status: 404, headers: { 'content-type': 'application/json' }, body: '' }
        : answer,
  },
  {
    name: 'returns short pages',
    api: 'library',
    inconclusive: ['created-missing'],
    change: (answer, { method, path }) =>
      method === 'GET' && path.endsWith('/books') ? withItems(answer, (items) => items.slice(0, 1)) : answer,
  },
  {
    name: 'returns the same id for every create',
    api: 'library',
    change: (answer, { method, path }) =>
      method === 'POST' && path.endsWith('/books') ? enrich(answer, { id: 'b1' }) : answer,
  },
  {
    name: 'splits a list header into two fields',
    api: 'library',
    change: (answer, { method, path }) =>
      method === 'GET' && path.endsWith('/books')
        ? { ...answer, headers: { ...answer.headers, 'x-shelves': ['north', 'south'] } }
        : answer,
  },
  {
    name: 'sends an absolute URL in Location',
    api: 'library',
    change: (answer) =>
      answer.status === 201 && answer.headers?.location !== undefined
        ? { ...answer, headers: { ...answer.headers, location: 'https://library.example:8443/v2/books/b3?x=1#top' } }
        : answer,
  },
  {
    name: 'sends numbers that no double represents',
    api: 'weather',
    change: (answer, { path }) =>
      answer.status < 300 && /stations$/.test(path)
        ? {
            ...answer,
            headers: { 'content-type': 'application/json' },
            body: '[{"station_id":12,"name":"Col","height":9007199254740993123}]',
          }
        : answer,
  },
  {
    name: 'sends integers with a decimal point',
    api: 'weather',
    change: (answer, { path }) =>
      answer.status < 300 && /stations$/.test(path)
        ? {
            ...answer,
            headers: { 'content-type': 'application/json' },
            body: '[{"station_id":12.0,"name":"Col","height":2.1e3}]',
          }
        : answer,
  },
  {
    name: 'sends an undeclared Location header',
    api: 'weather',
    change: (answer, { path }) =>
      answer.status < 300 && /reset$/.test(path)
        ? { status: 202, headers: { location: '/alps/api/stations?height=1,2' } }
        : answer,
  },
];

/** Adds members to an object and to the items of its list. */
function enrich(answer: TestAnswer, members: Readonly<Record<string, unknown>>): TestAnswer {
  const { body } = answer;
  if (answer.status >= 400 || typeof body !== 'object' || body === null || Array.isArray(body)) return answer;
  const items =
    'items' in body && Array.isArray(body.items)
      ? { items: body.items.map((item: object) => ({ ...item, ...members })) }
      : {};
  return { ...answer, body: { ...body, ...members, ...items } };
}

/** Changes the items of an answer if it is a list. */
function withItems(answer: TestAnswer, change: (items: readonly unknown[]) => readonly unknown[]): TestAnswer {
  const { body } = answer;
  if (typeof body !== 'object' || body === null || !('items' in body) || !Array.isArray(body.items)) return answer;
  return { ...answer, body: { ...body, items: change(body.items) } };
}

function typed(answer: TestAnswer, type: string): TestAnswer {
  return typeof answer.body === 'object' ? { ...answer, headers: { ...answer.headers, 'content-type': type } } : answer;
}

function upperCase(headers: TestAnswer['headers']): NonNullable<TestAnswer['headers']> {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toUpperCase(), value]));
}
