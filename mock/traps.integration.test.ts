import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { museumContract, museumOperations } from '@lockstep/runtime/fixtures/museum';
import { type RawAnswer, sendRaw } from '@lockstep/server/http/fixtures/send-raw';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningMock, startMock } from './start-mock.ts';

/** Short, so that the tests of callers that never finish take moments. */
const limits = { headersMs: 600, requestMs: 900, checkMs: 300 };

const logged: string[] = [];
let mock: RunningMock;

beforeAll(async () => {
  const logger = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
  mock = await startMock({
    contract: museumContract,
    operations: museumOperations,
    logger,
    port: 0,
    host: '127.0.0.1',
    limits,
  });
});
afterAll(() => mock.close());

const token = 'Authorization: Bearer t';
const desk = `Authorization: Basic ${Buffer.from('desk:secret').toString('base64')}`;
const jsonType = 'Content-Type: application/json';
const formType = 'Content-Type: application/x-www-form-urlencoded';

function request(method: string, target: string, headers: readonly string[] = [], body?: string | Buffer): Buffer {
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const head = [`${method} ${target} HTTP/1.1`, 'Host: mock', ...headers, ...length, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body ?? '')]);
}

const get = (target: string, ...headers: string[]): Buffer =>
  request('GET', `/museum/v2${target}`, [token, ...headers]);
const add = (body: string | Buffer, ...headers: string[]): Buffer =>
  request('POST', '/museum/v2/exhibits', [token, ...(headers.length > 0 ? headers : [jsonType])], body);
const sell = (body: string, ...headers: string[]): Buffer =>
  request('POST', '/desk/tickets', [desk, ...(headers.length > 0 ? headers : [formType])], body);
const chunked = (head: readonly string[], ...chunks: string[]): Buffer =>
  Buffer.concat([
    request('POST', '/museum/v2/exhibits', [...head, 'Transfer-Encoding: chunked']),
    ...chunks.map((chunk) => Buffer.from(`${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`)),
  ]);

interface Trap {
  readonly name: string;
  readonly bytes: Buffer;
  readonly status: number;
  /** Part of the answer's text. */
  readonly says?: string | RegExp;
  readonly headers?: Readonly<Record<string, string | RegExp>>;
  /** Node's own parser answers: no declared shape. */
  readonly isBelowContract?: boolean;
}

const good = '{"title":"Vase"}';

const traps: readonly Trap[] = [
  // What kills or hangs Prism's own server.
  {
    name: 'malformed JSON',
    bytes: add('{"title":'),
    status: 400,
    says: 'the body is not valid JSON: it ends too early',
  },
  {
    name: 'JSON with a secret before the mistake, without repeating it',
    bytes: add('{"secret":"1234",x}'),
    status: 400,
    says: /^(?!.*1234).*see line 1 column 18/,
  },
  { name: 'white space as JSON', bytes: add('  \n'), status: 400, says: 'the body is empty: send JSON' },
  {
    name: 'JSON in Latin-1',
    bytes: add(Buffer.from('{"title":"Sch\u00e4del"}', 'latin1'), `${jsonType}; charset=latin1`),
    status: 415,
    says: 'Charset latin1 is not taken: send the body in UTF-8',
  },
  { name: 'JSON in UTF-16', bytes: add(Buffer.from(good, 'utf16le'), `${jsonType}; charset=utf-16`), status: 415 },
  {
    name: 'bytes that are no UTF-8',
    bytes: add(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])),
    status: 400,
    says: 'the body is not UTF-8',
  },
  { name: 'a byte order mark', bytes: add(`\ufeff${good}`), status: 201 },
  {
    name: 'a broken escape in the path',
    bytes: get('/exhibits/%ZZ'),
    status: 422,
    says: 'exhibitId has a broken escape',
  },
  { name: 'half an escape at the end of the path', bytes: get('/exhibits/%'), status: 422 },
  { name: 'an escape that is no UTF-8', bytes: get('/exhibits/%C3'), status: 422 },
  { name: 'a broken escape beside the path of an operation', bytes: get('/%ZZ/exhibits'), status: 404 },
  {
    name: 'a broken escape in the query',
    bytes: get('/exhibits?after=%ZZ'),
    status: 400,
    says: 'after has a broken escape',
  },
  {
    name: 'a broken escape in the name of a query parameter',
    bytes: get('/exhibits?%ZZ=1'),
    status: 400,
    says: 'query parameter %ZZ is not known',
  },
  {
    name: 'text beyond Latin-1 in a member name',
    bytes: add('{"名":1}'),
    status: 400,
    says: 'title is required',
    headers: { 'sl-violations': /^$/ },
  },
  {
    name: 'text beyond Latin-1 in an unknown member',
    bytes: add('{"title":"a","名":1}'),
    status: 400,
    says: '名 is not known',
  },
  {
    name: 'text beyond Latin-1 in the path',
    bytes: get('/exhibits/%E5%90%8D'),
    status: 422,
    says: 'exhibitId "名" does not have the right form',
  },
  { name: 'raw bytes beyond ASCII in the path', bytes: get('/exhibits/\u00e4'), status: 400, isBelowContract: true },
  {
    name: 'an empty query value',
    bytes: get('/exhibits?after='),
    status: 400,
    says: 'after must not be empty, for example abc',
  },
  { name: 'a query name without value', bytes: get('/exhibits?after'), status: 400, says: 'after must not be empty' },
  { name: 'an empty value where it is allowed', bytes: get('/exhibits?note='), status: 200 },
  { name: 'null for an object', bytes: add('null'), status: 400, says: 'body must be an object, not null' },
  { name: 'a list for an object', bytes: add('[]'), status: 400, says: 'body must be an object, not a list' },
  {
    name: 'a trailing slash',
    bytes: get('/exhibits/'),
    status: 404,
    says: 'not found route: GET /museum/v2/exhibits/, did you mean /museum/v2/exhibits?',
  },
  { name: 'another case', bytes: get('/Exhibits'), status: 404 },
  { name: 'a doubled slash', bytes: get('//exhibits'), status: 404 },
  {
    name: 'a path without its base',
    bytes: request('GET', '/exhibits', [token]),
    status: 404,
    says: 'did you mean /museum/v2/exhibits?',
  },
  { name: 'a path under the base of another', bytes: request('POST', '/museum/v2/tickets', [desk]), status: 404 },
  { name: 'the path of its own base', bytes: sell('kind=adult'), status: 200 },
  { name: 'an empty target', bytes: request('GET', '/'), status: 404 },
  {
    name: 'the form a proxy sends',
    bytes: request('GET', 'http://elsewhere/opening-hours'),
    status: 200,
    says: '10 to 18',
  },
  { name: 'dots in the path', bytes: get('/exhibits/../exhibits'), status: 404 },

  // Methods.
  {
    name: 'a method not declared',
    bytes: request('PUT', '/museum/v2/exhibits'),
    status: 405,
    says: 'PUT is not allowed here',
    headers: { allow: 'GET, HEAD, OPTIONS, POST' },
  },
  {
    name: 'a method of the template beside a literal path',
    bytes: request('DELETE', '/museum/v2/exhibits/featured'),
    status: 405,
    headers: { allow: 'GET, HEAD, OPTIONS' },
  },
  {
    name: 'OPTIONS',
    bytes: request('OPTIONS', '/museum/v2/exhibits'),
    status: 204,
    headers: { allow: 'GET, HEAD, OPTIONS, POST' },
  },
  {
    name: 'a preflight',
    bytes: request('OPTIONS', '/museum/v2/exhibits', [
      'Origin: https://elsewhere.example',
      'Access-Control-Request-Method: POST',
    ]),
    status: 204,
    headers: { 'access-control-allow-origin': /^$/ },
  },
  { name: 'OPTIONS of everything', bytes: request('OPTIONS', '*'), status: 404 },
  {
    name: 'HEAD',
    bytes: request('HEAD', '/opening-hours', ['Connection: close']),
    status: 200,
    headers: { 'content-length': '8', 'content-type': 'text/plain' },
    says: /^$/,
  },
  { name: 'a method unknown to HTTP', bytes: request('BREW', '/opening-hours'), status: 400, isBelowContract: true },

  // Credentials.
  {
    name: 'no credentials',
    bytes: request('GET', '/museum/v2/exhibits'),
    status: 401,
    headers: { 'www-authenticate': 'Bearer realm="museum"' },
    says: 'The header Authorization is missing',
  },
  {
    name: 'no credentials, and a body that is not JSON',
    bytes: request('POST', '/museum/v2/exhibits', [jsonType], '{'),
    status: 401,
  },
  { name: 'lower-case bearer', bytes: request('GET', '/museum/v2/exhibits', ['authorization: bearer t']), status: 200 },
  {
    name: 'bearer without a token',
    bytes: request('GET', '/museum/v2/exhibits', ['Authorization: Bearer ']),
    status: 401,
    headers: { 'www-authenticate': /invalid_token/ },
  },
  {
    name: 'a token that is none',
    bytes: request('GET', '/museum/v2/exhibits', ['Authorization: Bearer a b']),
    status: 401,
  },
  {
    name: 'another scheme that names bearer',
    bytes: request('GET', '/museum/v2/exhibits', ['Authorization: Basic Bearer']),
    status: 401,
  },
  { name: 'two sets of credentials', bytes: request('GET', '/museum/v2/exhibits', [token, token]), status: 401 },
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

  // Negotiation.
  {
    name: 'Accept that the contract does not have',
    bytes: get('/exhibits', 'Accept: text/html'),
    status: 200,
    headers: { 'content-type': 'application/json' },
  },
  { name: 'Accept that is malformed', bytes: get('/exhibits', 'Accept: ;;;,/'), status: 200 },
  {
    name: 'Prefer',
    bytes: add(good, jsonType, 'Prefer: code=418, example=kettle'),
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
    bytes: add(good, jsonType, 'Prefer: code=418, example=pot'),
    status: 400,
    says: 'addExhibit 418 has no example pot: it has teapot or kettle',
  },
  {
    name: 'Prefer beside a bad request',
    bytes: add('{}', jsonType, 'Prefer: code=201'),
    status: 400,
    says: 'title is required',
  },
  { name: 'an invented answer', bytes: get('/exhibits', 'Prefer: dynamic=true'), status: 200 },

  // Bodies.
  {
    name: 'no body',
    bytes: request('POST', '/museum/v2/exhibits', [token]),
    status: 400,
    says: 'a body is required: send application/json',
  },
  {
    name: 'no body, but its type',
    bytes: request('POST', '/museum/v2/exhibits', [token, jsonType, 'Content-Length: 0']),
    status: 400,
    says: 'a body is required',
  },
  {
    name: 'no body, but another type',
    bytes: request('POST', '/museum/v2/exhibits', [token, 'Content-Type: text/plain']),
    status: 415,
  },
  {
    name: 'a body without type',
    bytes: add(good, 'X-Nothing: 1'),
    status: 415,
    says: 'The body has no Content-Type: send it as application/json',
  },
  {
    name: 'another type',
    bytes: add(good, 'Content-Type: text/plain'),
    status: 415,
    says: 'Content-Type text/plain is not taken: send the body as application/json',
  },
  { name: 'a type that is none', bytes: add(good, 'Content-Type: ;;='), status: 415 },
  { name: 'two types', bytes: add(good, jsonType, 'Content-Type: text/plain'), status: 415 },
  {
    name: 'a type in other case, with a charset',
    bytes: add(good, 'Content-Type: APPLICATION/JSON; Charset="UTF-8"'),
    status: 201,
  },
  {
    name: 'gzip',
    bytes: add(gzipSync(good), jsonType, 'Content-Encoding: gzip'),
    status: 415,
    says: 'Content-Encoding gzip is not taken',
  },
  { name: 'gzip that is none', bytes: add(good, jsonType, 'Content-Encoding: gzip'), status: 415 },
  { name: 'the identity coding', bytes: add(good, jsonType, 'Content-Encoding: identity'), status: 201 },
  {
    name: 'a body beyond the limit',
    bytes: add(`{"title":"${'x'.repeat(70_000)}"}`),
    status: 413,
    says: 'The body is larger than 65536 bytes',
  },
  {
    name: 'a body said to be beyond the limit',
    bytes: request('POST', '/museum/v2/exhibits', [token, jsonType, 'Content-Length: 9000000000']),
    status: 413,
  },
  {
    name: 'chunks beyond the limit',
    bytes: chunked([token, jsonType], ...Array.from({ length: 20 }, () => 'x'.repeat(8_000))),
    status: 413,
  },
  {
    name: 'a form beyond the limit of its operation',
    bytes: sell(`kind=adult&note=${'x'.repeat(300)}`),
    status: 400,
    says: 'The body is larger than 256 bytes',
  },
  { name: 'chunks of a whole body', bytes: chunked([token, jsonType], good, ''), status: 201 },
  { name: 'a body where none is declared', bytes: request('GET', '/museum/v2/exhibits', [token], '{'), status: 200 },
  {
    name: 'a caller that waits to be asked for its body',
    bytes: add(good, jsonType, 'Expect: 100-continue'),
    status: 201,
  },
  { name: 'another expectation', bytes: add(good, jsonType, 'Expect: tea'), status: 201 },

  // What a body holds.
  {
    name: 'a member named __proto__',
    bytes: add('{"title":"a","__proto__":{"title":"b"}}'),
    status: 400,
    says: '__proto__ is not known',
  },
  {
    name: 'a member named constructor',
    bytes: add('{"title":"a","constructor":1}'),
    status: 400,
    says: 'constructor is not known',
  },
  { name: 'nesting at the bound', bytes: add(`{"title":"a","extra":${'['.repeat(31)}${']'.repeat(31)}}`), status: 201 },
  {
    name: 'nesting beyond the bound',
    bytes: add(`{"title":"a","extra":${'['.repeat(32)}${']'.repeat(32)}}`),
    status: 400,
    says: 'the body is nested deeper than 32 levels',
  },
  { name: 'thirty thousand brackets', bytes: add('['.repeat(30_000) + ']'.repeat(30_000)), status: 400 },
  { name: 'thirty thousand open brackets', bytes: add('['.repeat(30_000)), status: 400 },
  {
    name: 'half a surrogate pair',
    bytes: add('{"title":"\\ud800"}'),
    status: 400,
    says: 'text holds half of a surrogate pair',
  },
  {
    name: 'half a surrogate pair in a name',
    bytes: add('{"title":"a","\\udfff":1}'),
    status: 400,
    says: 'a member name holds half of a surrogate pair',
  },
  { name: 'a number beyond all numbers', bytes: add('{"title":"a","century":1e999}'), status: 400 },
  { name: 'a whole number written as a fraction', bytes: add('{"title":"a","century":1.0}'), status: 201 },
  {
    name: 'a secret of the wrong form, without repeating it',
    bytes: add('{"title":"a","secret":"98765"}'),
    status: 400,
    says: /^(?!.*98765).*secret does not have the right form/,
  },
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

  // Parameters.
  {
    name: 'an unknown query parameter',
    bytes: get('/exhibits?pagesize=2'),
    status: 400,
    says: 'query parameter pagesize is not known, did you mean page-size?',
  },
  {
    name: 'a query parameter named __proto__',
    bytes: get('/exhibits?__proto__=1'),
    status: 400,
    says: '__proto__ is not known',
  },
  {
    name: 'a query parameter sent twice',
    bytes: get('/exhibits?page-size=1&page-size=1'),
    status: 400,
    says: 'page-size is sent 2 times: send it once',
  },
  { name: 'a list sent in parts', bytes: get('/exhibits?tag=a&tag=b'), status: 200 },
  {
    name: 'a list that is too long',
    bytes: get('/exhibits?tag=a&tag=b&tag=c&tag=d'),
    status: 400,
    says: 'tag has too many items, 4: at most 3',
  },
  {
    name: 'an exponent for an integer',
    bytes: get('/exhibits?page-size=1e1'),
    status: 400,
    says: 'page-size must be an integer, not "1e1"',
  },
  { name: 'a space before an integer', bytes: get('/exhibits?page-size=%205'), status: 400, says: 'not " 5"' },
  { name: 'an integer beyond all integers', bytes: get(`/exhibits?page-size=${'9'.repeat(400)}`), status: 400 },
  {
    name: 'an integer out of range',
    bytes: get('/exhibits?page-size=51'),
    status: 400,
    says: 'page-size must be from 1 to 50, not 51',
  },
  {
    name: 'a day that is none',
    bytes: get('/exhibits?since=2019-02-30T10:00:00Z'),
    status: 400,
    says: 'since "2019-02-30T10:00:00Z" is not a valid date-time',
  },
  { name: 'a raw colon in the query', bytes: get('/exhibits?since=2026-11-20T10:00:00Z'), status: 200 },
  {
    name: 'a header of the wrong form',
    bytes: get('/exhibits', 'X-Visitor: nobody'),
    status: 400,
    says: 'X-Visitor "nobody" does not have the right form',
  },
  {
    name: 'a header sent twice',
    bytes: get('/exhibits', 'X-Visitor: v1', 'x-visitor: v1'),
    status: 400,
    says: 'X-Visitor is sent 2 times',
  },
  {
    name: 'a path value of the wrong form',
    bytes: get('/exhibits/ex-7'),
    status: 422,
    says: 'exhibitId "ex-7" does not have the right form',
  },
  { name: 'a path value of eight thousand letters', bytes: get(`/exhibits/${'x'.repeat(8_000)}`), status: 422 },
  {
    name: 'a request id of the wrong form, replaced',
    bytes: get('/exhibits', `X-Request-Id: ${'x'.repeat(65)}`),
    status: 200,
    headers: { 'x-request-id': /^[0-9a-f-]{36}$/ },
  },
  {
    name: 'a request id of the caller, kept',
    bytes: get('/exhibits', 'X-Request-Id: my-id.1'),
    status: 200,
    headers: { 'x-request-id': 'my-id.1' },
  },

  // Below the contract.
  {
    name: 'headers beyond the limit',
    bytes: get('/exhibits', `X-Big: ${'x'.repeat(20_000)}`),
    status: 431,
    isBelowContract: true,
  },
  {
    name: 'five hundred headers',
    bytes: get('/exhibits', ...Array.from({ length: 500 }, (_, index) => `X-H${index}: 1`)),
    status: 200,
  },
  {
    name: 'no HTTP at all',
    bytes: Buffer.from('\x16\x03\x01\x02\x00\x01\x00\r\n\r\n', 'latin1'),
    status: 400,
    isBelowContract: true,
  },
  { name: 'no Host', bytes: Buffer.from('GET /opening-hours HTTP/1.1\r\n\r\n'), status: 400, isBelowContract: true },
  {
    name: 'a length and chunks at once',
    bytes: add(good, jsonType, 'Transfer-Encoding: chunked'),
    status: 400,
    isBelowContract: true,
  },
  {
    name: 'an upgrade that is not offered',
    bytes: request('GET', '/opening-hours', ['Connection: Upgrade', 'Upgrade: websocket']),
    status: 200,
  },
  {
    name: 'headers that never end',
    bytes: Buffer.from('GET /opening-hours HTTP/1.1\r\nHost: mock\r\n'),
    status: 408,
    isBelowContract: true,
  },
  {
    name: 'a body that never ends',
    bytes: request('POST', '/museum/v2/exhibits', [token, jsonType, 'Content-Length: 100']),
    status: 408,
    isBelowContract: true,
  },
  { name: 'chunks that never end', bytes: chunked([token, jsonType], '{"title":'), status: 408, isBelowContract: true },
  {
    name: 'a body that never ends, refused before it is read',
    bytes: request('POST', '/museum/v2/exhibits', [jsonType, 'Content-Length: 100']),
    status: 401,
  },
];

async function expectAlive(): Promise<void> {
  const answer = await fetch(`${mock.origin}/museum/v2/exhibits`, {
    headers: { authorization: 'Bearer t' },
  });
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { items: [{ id: 'ex-0007', title: 'Vase', century: 5 }] },
  ]);
}

/** No answer of the mock may look like one of Prism's own, or miss what every answer has. */
function expectOwnShape(answer: RawAnswer): void {
  expect(answer.headers['sl-violations']).toBeUndefined();
  expect(answer.headers['content-type'] ?? '').not.toContain('problem+json');
  expect(answer.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
  if (answer.status < 400 || answer.headers['content-type'] !== 'application/json') return;
  const body: unknown = JSON.parse(answer.body);
  expect(body).toMatchObject({
    plaint: expect.stringMatching(/./),
    kind: expect.any(String),
    trace: answer.headers['x-request-id'],
  });
}

describe('the mock answers, and lives on after', () => {
  for (const { name, bytes, status, says, headers = {}, isBelowContract = false } of traps) {
    test(name, async () => {
      const answer = await sendRaw(mock.origin, { bytes });
      expect({ status: answer.status, body: answer.body }).toMatchObject({ status });
      if (!isBelowContract) expectOwnShape(answer);
      const text =
        isBelowContract || answer.status < 400 ? answer.body : String(JSON.parse(answer.body || '{}').plaint);
      if (typeof says === 'string') expect(text).toContain(says);
      else if (says !== undefined) expect(text).toMatch(says);
      for (const [header, wanted] of Object.entries(headers)) {
        if (typeof wanted === 'string') expect(answer.headers[header]).toBe(wanted);
        else expect(answer.headers[header] ?? '').toMatch(wanted);
      }
      await expectAlive();
    });
  }

  test('a caller that goes away in the middle of its body', async () => {
    const { hostname, port } = new URL(mock.origin);
    for (let round = 0; round < 20; round += 1) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      await new Promise<void>((resolve) => {
        socket.write(request('POST', '/museum/v2/exhibits', [token, jsonType, 'Content-Length: 100']), () => resolve());
      });
      if (round % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    }
    await expectAlive();
  });

  test('a caller that connects and says nothing', async () => {
    const { hostname, port } = new URL(mock.origin);
    const socket = connect(Number(port), hostname);
    socket.resume();
    await new Promise<void>((resolve) => void socket.once('close', () => resolve()));
    await expectAlive();
  });

  test('three requests sent at once on one connection, in their order', async () => {
    const bytes = Buffer.concat([
      add('{"title":', jsonType),
      request('GET', '/opening-hours'),
      request('GET', '/opening-hours', ['Connection: close']),
    ]);
    const { hostname, port } = new URL(mock.origin);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.write(bytes);
    await new Promise<void>((resolve) => void socket.once('close', () => resolve()));
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 200', 'HTTP/1.1 200']);
  });

  // What is left of the body stands where the next request would (RFC 9112, 9.3).
  test('a body that is refused before it is read, which ends its connection and says so', async () => {
    const bytes = Buffer.concat([
      request('POST', '/museum/v2/exhibits', [token, jsonType], `{"title":"${'x'.repeat(200_000)}"}`),
      request('GET', '/opening-hours', ['Connection: close']),
    ]);
    const { hostname, port } = new URL(mock.origin);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.write(bytes);
    await new Promise<void>((resolve) => void socket.once('close', () => resolve()));
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413']);
    expect(text).toMatch(/\r\nConnection: close\r\n/i);
    await expectAlive();
  });
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

describe('the log', () => {
  test('has no failure of the mock', () => {
    expect(logged.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });
});

describe('close', () => {
  test('ends at once, whatever callers keep open', async () => {
    const logger = pino({ level: 'silent' });
    const own = await startMock({
      contract: museumContract,
      operations: museumOperations,
      logger,
      port: 0,
      host: '127.0.0.1',
    });
    await fetch(`${own.origin}/opening-hours`).then((answer) => answer.text());
    const { hostname, port } = new URL(own.origin);
    const stalled = connect(Number(port), hostname);
    stalled.on('error', () => undefined);
    await new Promise<void>((resolve) => {
      stalled.write(request('POST', '/museum/v2/exhibits', [token, jsonType, 'Content-Length: 100']), () => resolve());
    });
    const started = performance.now();
    await own.close();
    expect(performance.now() - started).toBeLessThan(10_000); // the server's patience, where the mock has half a second
    await expect(fetch(`${own.origin}/opening-hours`)).rejects.toThrow();
  });

  test('says which port is taken', async () => {
    const { port } = new URL(mock.origin);
    const logger = pino({ level: 'silent' });
    const again = startMock({
      contract: museumContract,
      operations: museumOperations,
      logger,
      port: Number(port),
      host: '127.0.0.1',
    });
    await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
