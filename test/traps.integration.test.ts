import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawAnswer, sendRaw } from '../server/http/fixtures/send-raw.ts';
import { type Side, type Sides, sideNames, startSides } from './fixtures/start-sides.ts';

// If these fail, what was not made for the contract gets in, or one of those who should answer alike does not.

let sides: Sides;
beforeAll(async () => {
  sides = await startSides();
});
afterAll(() => sides.close());

const token = 'Authorization: Bearer all';
const jsonType = 'Content-Type: application/json';

function request(method: string, target: string, headers: readonly string[] = [], body?: string | Buffer): Buffer {
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const head = [`${method} ${target} HTTP/1.1`, 'Host: api', ...headers, ...length, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body ?? '')]);
}

const get = (target: string, ...headers: string[]) => request('GET', `/v1${target}`, [token, ...headers]);
const put = (body: string | Buffer, ...headers: string[]) =>
  request('PUT', '/v1/devices/a', [token, ...(headers.length > 0 ? headers : [jsonType])], body);
const daily = (body: string | Buffer) => request('POST', '/v1/devices/a/algopin/daily', [token, jsonType], body);
const push = (body: string) => request('POST', '/v1/devices/a/activity', [token, jsonType], body);
const job = (body: string) => request('POST', '/v1/devices/a/jobs/bridges/b', [token, jsonType], body);
const code = (member: string) => daily(`{"accessName":"A",${member}}`);
const chunked = (...chunks: string[]) =>
  Buffer.concat([
    request('PUT', '/v1/devices/a', [token, jsonType, 'Transfer-Encoding: chunked']),
    ...chunks.map((chunk) => Buffer.from(`${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`)),
  ]);
const whole = (target: string, body: string) =>
  Buffer.concat([
    request(target.endsWith('activity') ? 'POST' : 'PUT', target, [token, jsonType, 'Transfer-Encoding: chunked']),
    ...(body.match(/.{1,9000}/gs) ?? []).map((chunk) => Buffer.from(`${chunk.length.toString(16)}\r\n${chunk}\r\n`)),
    Buffer.from('0\r\n\r\n'),
  ]);
/** A good body of exactly so many bytes. */
const settings = (bytes: number) => `{"batteryLevel":5}${' '.repeat(bytes - 18)}`;
const noItems = (bytes: number) => `{"logsPayload":[]}${' '.repeat(bytes - 18)}`;
/** So many bytes of target, names and values: what Node counts. */
const headersOf = (bytes: number) => {
  const counted = ['/v1/devices', 'Host', 'api', 'Authorization', 'Bearer all', 'X-Big'].join('').length;
  return get('/devices', `X-Big: ${'x'.repeat(bytes - counted)}`);
};
const items = (count: number) =>
  JSON.stringify({ logsPayload: Array.from({ length: count }, () => ({ ts: 1, log: '' })) });

interface Trap {
  readonly name: string;
  readonly bytes: Buffer;
  readonly status: number;
  /** Part of the text, or a pattern of it. */
  readonly says?: string | RegExp;
  readonly headers?: Readonly<Record<string, string | RegExp>>;
  /** Node's own parser answers: no declared shape. */
  readonly isBelowContract?: boolean;
  /** Others have an answer of their own. Left out: all answer so. */
  readonly on?: readonly Side['name'][];
}

// A success: all checks are passed, and the first documented answer is given.

const ofPaths: readonly Trap[] = [
  {
    name: 'a trailing slash',
    bytes: get('/devices/'),
    status: 404,
    says: 'not found route: GET /v1/devices/, did you mean /v1/devices?',
  },
  { name: 'another case', bytes: get('/Devices'), status: 404, says: 'did you mean /v1/devices?' },
  { name: 'a doubled slash', bytes: get('//devices'), status: 404 },
  { name: 'dots in the path', bytes: get('/devices/../devices'), status: 404 },
  { name: 'an escaped letter of a literal path', bytes: get('/d%65vices'), status: 404 },
  { name: 'the path of another base', bytes: request('POST', '/v1/oauth2/token'), status: 404 },
  {
    name: 'a path without its base',
    bytes: request('GET', '/devices', [token]),
    status: 404,
    says: 'did you mean /v1/devices?',
  },
  {
    name: 'a path of the OAuth server, where there is none',
    bytes: request('GET', '/auth/login'),
    status: 404,
    // The mock and the sandbox document operations of the OAuth server too.
    on: ['service'],
  },
  {
    name: 'a literal path before the template',
    bytes: get('/devices/support-pins'),
    status: 200,
    says: '"payload"',
  },
  { name: 'a slash inside a value', bytes: get('/devices/support%2Fpins'), status: 200, says: '"lastSync"' },
  {
    name: 'a broken escape in the path',
    bytes: get('/devices/%ZZ'),
    status: 400,
    says: 'deviceId has a broken escape',
  },
  {
    name: 'an escape that is no UTF-8',
    bytes: get('/devices/%C3'),
    status: 400,
    says: 'deviceId has escapes that are not UTF-8',
  },
  { name: 'a broken escape outside all paths', bytes: get('/%ZZ'), status: 404 },
  { name: 'half an escape at the end of the path', bytes: get('/devices/%'), status: 400 },
  { name: 'raw bytes beyond ASCII in the path', bytes: get('/devices/\u00e4'), status: 400, isBelowContract: true },
  { name: 'the form a proxy sends', bytes: request('GET', 'http://elsewhere/v1/devices', [token]), status: 200 },
  { name: 'OPTIONS of everything', bytes: request('OPTIONS', '*'), status: 404 },
  {
    name: 'a method of the template at a literal path',
    bytes: request('PUT', '/v1/devices/support-pins'),
    status: 405,
    says: 'PUT is not allowed here, use GET, HEAD or OPTIONS',
    headers: { allow: 'GET, HEAD, OPTIONS' },
  },
  {
    name: 'a method the path does not have',
    bytes: request('DELETE', '/v1/devices/a'),
    status: 405,
    headers: { allow: 'GET, HEAD, OPTIONS, PUT' },
  },
  { name: 'a method unknown to HTTP', bytes: request('BREW', '/v1/devices'), status: 400, isBelowContract: true },
  {
    name: 'OPTIONS',
    bytes: request('OPTIONS', '/v1/devices/a'),
    status: 204,
    headers: { allow: 'GET, HEAD, OPTIONS, PUT', 'content-length': /^$/ },
    says: /^$/,
  },
  {
    name: 'a preflight',
    bytes: request('OPTIONS', '/v1/devices', ['Origin: https://a.example', 'Access-Control-Request-Method: GET']),
    status: 204,
    headers: { 'access-control-allow-origin': /^$/ },
    says: /^$/,
    // The sandbox lets pages of any origin in.
    on: ['service', 'mock'],
  },
  {
    name: 'HEAD, with the length of GET and no content',
    bytes: request('HEAD', '/v1/devices', [token, 'Connection: close']),
    status: 200,
    headers: { 'content-length': /^[1-9]\d{2,}$/, 'content-type': 'application/json' },
    says: /^$/,
  },
  {
    name: 'HEAD without a token',
    bytes: request('HEAD', '/v1/devices', ['Connection: close']),
    status: 401,
    says: /^$/,
  },
];

const ofTokens: readonly Trap[] = [
  {
    name: 'no token and a broken body',
    bytes: request('PUT', '/v1/devices/a', [jsonType], '{'),
    status: 401,
    says: 'The access token is missing',
  },
  { name: 'bearer in lower case', bytes: request('GET', '/v1/devices', ['authorization: bearer all']), status: 200 },
  {
    name: 'a scheme that has bearer in its name',
    bytes: request('GET', '/v1/devices', ['Authorization: NotBearer all']),
    status: 401,
  },
  {
    name: 'two tokens',
    bytes: request('GET', '/v1/devices', [token, 'Authorization: Bearer none']),
    status: 401,
    says: 'The access token is invalid',
  },
  { name: 'a token in the query', bytes: request('GET', '/v1/devices?access_token=all'), status: 401 },
  {
    name: 'bearer without a token',
    bytes: request('GET', '/v1/devices', ['Authorization: Bearer ']),
    status: 401,
    says: 'The access token is invalid',
  },
  { name: 'a token of two words', bytes: request('GET', '/v1/devices', ['Authorization: Bearer all b']), status: 401 },
];

const ofQueries: readonly Trap[] = [
  {
    name: 'an exponent',
    bytes: get('/devices?limit=1e1'),
    status: 400,
    says: 'limit must be an integer, not "1e1"',
  },
  {
    name: 'a space before a number',
    bytes: get('/devices?limit=%205'),
    status: 400,
    says: 'limit must be an integer, not " 5"',
  },
  { name: 'letters after a number', bytes: get('/devices?limit=12abc'), status: 400 },
  { name: 'a fraction', bytes: get('/devices?limit=1.0'), status: 400 },
  { name: 'a hexadecimal number', bytes: get('/devices?limit=0x10'), status: 400 },
  { name: 'minus zero', bytes: get('/devices?limit=-0'), status: 400, says: 'limit must be from 1 to 300' },
  { name: 'beyond all integers', bytes: get(`/devices?limit=${'9'.repeat(400)}`), status: 400 },
  { name: 'beyond safe integers', bytes: get('/devices?limit=9007199254740993'), status: 400 },
  {
    name: 'a number below its range',
    bytes: get('/devices?limit=0'),
    status: 400,
    says: 'limit must be from 1 to 300, not 0',
  },
  {
    name: 'a number above its range',
    bytes: get('/devices?limit=301'),
    status: 400,
    says: 'limit must be from 1 to 300, not 301',
  },
  { name: 'the bounds of its range', bytes: get('/devices?limit=300'), status: 200 },
  { name: 'an empty value', bytes: get('/devices?cursor='), status: 400, says: 'cursor must not be empty' },
  { name: 'a name without value', bytes: get('/devices?cursor'), status: 400, says: 'cursor must not be empty' },
  {
    name: 'a parameter sent twice',
    bytes: get('/devices?limit=1&limit=1'),
    status: 400,
    says: 'limit is sent 2 times: send it once',
  },
  {
    name: 'an unknown parameter',
    bytes: get('/devices?limt=1'),
    status: 400,
    says: 'query parameter limt is not known, did you mean limit?',
  },
  {
    name: 'a parameter named __proto__',
    bytes: get('/devices?__proto__=1'),
    status: 400,
    says: '__proto__ is not known',
  },
  { name: 'a parameter with brackets', bytes: get('/devices?limit[a]=1'), status: 400 },
  {
    name: 'an unknown parameter of eight thousand letters',
    bytes: get(`/devices?${'x'.repeat(8_000)}=1`),
    status: 400,
  },
  {
    name: 'a broken escape in the query',
    bytes: get('/devices?search=%ZZ'),
    status: 400,
    says: 'search has a broken escape',
  },
  {
    name: 'a broken escape in the name of a parameter',
    bytes: get('/devices?%ZZ=1'),
    status: 400,
    says: 'query parameter %ZZ is not known',
  },
  { name: 'a raw colon and comma', bytes: get('/devices?search=a:b,c'), status: 200 },
  { name: 'a raw colon in a time', bytes: get('/devices/a/activity?startDate=2026-11-20T10:00:00Z'), status: 200 },
  {
    name: 'an unencoded plus before an offset',
    bytes: get('/devices/a/activity?startDate=2026-11-20T10:00:00+01:00'),
    status: 200,
  },
  { name: 'a value in another order', bytes: get('/devices?expand=properties,linkedDevices'), status: 200 },
  { name: 'empty pieces', bytes: get('/devices?&limit=1&'), status: 200 },
];

const ofHeaders: readonly Trap[] = [
  {
    name: 'a header sent twice',
    bytes: request(
      'POST',
      '/v1/devices/b/jobs',
      [token, jsonType, 'Idempotency-Key: k1', 'Idempotency-Key: k2'],
      '{"jobType":"GET_DEVICE_STATUS"}',
    ),
    status: 400,
    says: 'Idempotency-Key is sent 2 times',
  },
  {
    name: 'Accept that the contract does not have',
    bytes: get('/devices', 'Accept: text/html'),
    status: 200,
    headers: { 'content-type': 'application/json' },
  },
  { name: 'Accept that is malformed', bytes: get('/devices', 'Accept: ;;,/'), status: 200 },
  {
    name: 'a request id of the caller',
    bytes: get('/devices', 'X-Request-Id: my-id.1'),
    status: 200,
    headers: { 'x-request-id': 'my-id.1' },
  },
  {
    name: 'a request id that would forge a line',
    bytes: get('/devices', 'X-Request-Id: a"b'),
    status: 200,
    headers: { 'x-request-id': /^[0-9a-f-]{36}$/ },
  },
  {
    name: 'a request id that is too long',
    bytes: get('/devices', `X-Request-Id: ${'x'.repeat(65)}`),
    status: 200,
    headers: { 'x-request-id': /^[0-9a-f-]{36}$/ },
  },
];

const ofJobIds: readonly Trap[] = [
  { name: '422 for a jobId', bytes: get('/jobs/6920f3a2b1c4d5e6f7a8b9c'), status: 422, says: 'jobId' },
  { name: 'a jobId in upper case', bytes: get('/jobs/6920F3A2B1C4D5E6F7A8B9C0'), status: 200 },
  { name: 'a jobId of eight thousand letters', bytes: get(`/jobs/${'x'.repeat(8_000)}`), status: 422 },
  {
    name: 'text beyond Latin-1 as a jobId',
    bytes: get('/jobs/%E5%90%8D'),
    status: 422,
    says: /^jobId .*"名"/,
  },
  { name: 'a broken escape in a jobId', bytes: get('/jobs/%ZZ'), status: 422, says: 'jobId has a broken escape' },
];

const ofSizes: readonly Trap[] = [
  {
    name: 'a body beyond the limit',
    bytes: put(`{"a":"${'x'.repeat(70_000)}"}`),
    status: 413,
    says: 'The body is larger than 65536 bytes',
  },
  { name: 'a body at the limit', bytes: put(settings(65_536)), status: 200 },
  { name: 'a body one byte over', bytes: put(settings(65_537)), status: 413 },
  { name: 'chunks at the limit', bytes: whole('/v1/devices/a', settings(65_536)), status: 200 },
  { name: 'chunks one byte over', bytes: whole('/v1/devices/a', settings(65_537)), status: 413 },
  { name: 'a push at the limit', bytes: push(noItems(262_144)), status: 200 },
  {
    name: 'a push one byte over',
    bytes: push(noItems(262_145)),
    status: 413,
    says: 'The body is larger than 262144 bytes',
  },
  { name: 'chunks of a push at the limit', bytes: whole('/v1/devices/a/activity', noItems(262_144)), status: 200 },
  {
    name: 'chunks of a push one byte over',
    bytes: whole('/v1/devices/a/activity', noItems(262_145)),
    status: 413,
  },
  {
    name: 'a body with a Content-Length beyond the limit',
    bytes: request('PUT', '/v1/devices/a', [token, jsonType, 'Content-Length: 9000000000']),
    status: 413,
    headers: { connection: 'close' },
  },
  {
    name: 'chunks beyond the limit',
    bytes: chunked(...Array.from({ length: 20 }, () => 'x'.repeat(8_000))),
    status: 413,
    headers: { connection: 'close' },
  },
  {
    name: 'a body behind a token that is none, unread',
    bytes: request('PUT', '/v1/devices/a', [jsonType, 'Content-Length: 100']),
    status: 401,
    headers: { connection: 'close' },
  },
  {
    name: 'a body where there is no route, unread',
    bytes: request('POST', '/v1/nowhere', [jsonType, 'Content-Length: 100']),
    status: 404,
    headers: { connection: 'close' },
  },
  {
    name: '101 entries',
    bytes: push(items(101)),
    status: 400,
    says: 'logsPayload has too many items, 101: at most 100',
  },
  {
    name: 'a hundred entries, more than other bodies may have',
    bytes: push(
      JSON.stringify({
        logsPayload: Array.from({ length: 100 }, () => ({
          id: '1',
          ts: 1_795_195_200_000,
          payload: { log: 'x'.repeat(1_000) },
        })),
      }),
    ),
    status: 200,
  },
  {
    name: 'a million entries',
    bytes: push(`{"logsPayload":[${'0,'.repeat(999_999)}0]}`),
    status: 413,
    says: 'The body is larger than 262144 bytes',
  },
  {
    name: 'nesting at the bound',
    bytes: put(`{"batteryLevel":${'['.repeat(31)}${']'.repeat(31)}}`),
    status: 400,
    says: 'batteryLevel must be',
  },
  {
    name: 'nesting beyond the bound',
    bytes: put(`{"batteryLevel":${'['.repeat(32)}${']'.repeat(32)}}`),
    status: 400,
    says: 'the body is nested deeper than 32 levels',
  },
  { name: 'thirty thousand brackets', bytes: put('['.repeat(30_000) + ']'.repeat(30_000)), status: 400 },
  { name: 'thirty thousand open brackets', bytes: put('['.repeat(30_000)), status: 400 },
  {
    name: 'nesting in text that holds JSON',
    bytes: job(JSON.stringify({ jobType: 'LOCK', jobData: '['.repeat(40) + ']'.repeat(40) })),
    status: 400,
    says: 'jobData',
  },
];

const ofTypes: readonly Trap[] = [
  {
    name: 'no content type',
    bytes: put('{}', 'X-A: 1'),
    status: 415,
    says: 'The body has no Content-Type: send it as application/json',
  },
  {
    name: 'another type',
    bytes: put('{}', 'Content-Type: text/plain'),
    status: 415,
    says: 'Content-Type text/plain is not taken: send the body as application/json',
  },
  {
    name: 'another type and no content',
    bytes: request('PUT', '/v1/devices/a', [token, 'Content-Type: text/plain']),
    status: 415,
  },
  { name: 'a type that is none', bytes: put('{}', 'Content-Type: ;;='), status: 415 },
  { name: 'two types', bytes: put('{}', jsonType, 'Content-Type: text/plain'), status: 415 },
  { name: 'a type sent twice', bytes: put('{}', jsonType, jsonType), status: 415 },
  { name: 'form data', bytes: put('a', 'Content-Type: multipart/form-data; boundary=a'), status: 415 },
  {
    name: 'a charset in any case',
    bytes: put('{"batteryLevel":5}', 'Content-Type: APPLICATION/json; Charset="UTF-8"'),
    status: 200,
  },
  {
    name: 'another charset',
    bytes: put('{}', `${jsonType}; charset=latin1`),
    status: 415,
    says: 'Charset latin1 is not taken: send the body in UTF-8',
  },
  { name: 'UTF-16', bytes: put(Buffer.from('{}', 'utf16le'), `${jsonType}; charset=utf-16`), status: 415 },
  {
    name: 'a gzip bomb',
    bytes: put(gzipSync(Buffer.alloc(10_000_000)), jsonType, 'Content-Encoding: gzip'),
    status: 415,
    says: 'Content-Encoding gzip is not taken',
  },
  { name: 'gzip that is none', bytes: put('{}', jsonType, 'Content-Encoding: gzip'), status: 415 },
  {
    name: 'the identity coding',
    bytes: put('{"batteryLevel":5}', jsonType, 'Content-Encoding: identity'),
    status: 200,
  },
];

const ofNoBody: readonly Trap[] = [
  {
    name: 'no body',
    bytes: request('PUT', '/v1/devices/a', [token]),
    status: 400,
    says: 'a body is required: send application/json',
  },
  {
    name: 'a type and no body',
    bytes: request('PUT', '/v1/devices/a', [token, jsonType, 'Content-Length: 0']),
    status: 400,
    says: 'a body is required',
  },
  { name: 'white space', bytes: put('  \n'), status: 400, says: 'the body is empty: send JSON' },
];

const ofJson: readonly Trap[] = [
  {
    name: 'malformed JSON',
    bytes: put('{"batteryLevel":'),
    status: 400,
    says: 'the body is not valid JSON: it ends too early',
    headers: { connection: 'keep-alive' },
  },
  {
    name: 'malformed JSON after a secret, without repeating it',
    bytes: put('{"pin":"482915037",x}'),
    status: 400,
    says: /^(?!.*4829).*the body is not valid JSON.*line 1 column 20/,
  },
  { name: 'a primitive', bytes: put('5'), status: 400, says: 'body must be an object, not an integer' },
  { name: 'null', bytes: put('null'), status: 400, says: 'body must be an object, not null' },
  { name: 'a list', bytes: put('[]'), status: 400, says: 'body must be an object, not a list' },
  { name: 'a body where none is declared', bytes: request('GET', '/v1/devices', [token], '{'), status: 200 },
  {
    name: 'a caller that waits to be asked for its body',
    bytes: put('{"batteryLevel":5}', jsonType, 'Expect: 100-continue'),
    status: 200,
  },
  { name: 'an expectation that nobody knows', bytes: get('/devices', 'Expect: tea'), status: 200 },
  { name: 'such an expectation of a body', bytes: put('{x}', jsonType, 'Expect: tea'), status: 400 },
];

const ofMembers: readonly Trap[] = [
  {
    name: 'an unknown member',
    bytes: put('{"batterylevel":5}'),
    status: 400,
    says: 'batterylevel is not known, did you mean batteryLevel?',
  },
  {
    name: 'members that are nobody’s to set',
    bytes: put('{"deviceId":"b","homeId":[],"admin_key":"x"}'),
    status: 400,
    says: 'deviceId is not known',
  },
  {
    name: 'a misspelt member',
    bytes: daily('{"acessName":"A"}'),
    status: 400,
    says: 'accessName is required, did you mean it by acessName?',
  },
  {
    name: 'a member name beyond Latin-1',
    bytes: daily('{"名":1}'),
    status: 400,
    says: 'accessName is required',
  },
  { name: 'a byte order mark', bytes: put('\ufeff{"batteryLevel":5}'), status: 200 },
];

const ofValues: readonly Trap[] = [
  { name: 'a number beyond all numbers', bytes: put('{"batteryLevel":1e400}'), status: 400 },
  { name: 'a fraction for an integer', bytes: put('{"batteryLevel":1.5}'), status: 400 },
  { name: 'an integer written as a fraction', bytes: put('{"batteryLevel":5.0}'), status: 200 },
  { name: 'an integer beyond safe ones', bytes: put('{"batteryLevel":9007199254740993}'), status: 400 },
  {
    name: 'minus zero in a body',
    bytes: code('"variance":-0'),
    status: 400,
    says: 'variance must be from 1 to 3',
  },
  { name: 'letters after digits', bytes: put('{"batteryLevel":"12abc"}'), status: 400 },
  {
    name: 'text for an integer',
    bytes: code('"variance":"1"'),
    status: 400,
    says: 'variance must be an integer, not "1"',
  },
  { name: '31 February', bytes: code('"startDate":"2026-02-31T10:00:00Z"'), status: 400, says: 'startDate' },
  { name: 'the year 10000', bytes: code('"startDate":"10000-01-01T10:00:00Z"'), status: 400 },
  { name: 'fourteen hours ahead of UTC', bytes: code('"startDate":"2026-12-01T10:00:00+14:00"'), status: 200 },
  { name: 'an offset that is none', bytes: code('"startDate":"2026-12-01T10:00:00+25:00"'), status: 400 },
  { name: 'a leap second', bytes: code('"startDate":"2026-12-31T23:59:60Z"'), status: 400 },
  { name: '24:00', bytes: code('"startDate":"2026-12-31T24:00:00Z"'), status: 400 },
  { name: 'NUL', bytes: daily('{"accessName":"a\\u0000b"}'), status: 400, says: 'accessName' },
  { name: 'NUL in a path', bytes: get('/devices/a%00b'), status: 200 },
  {
    name: 'half a surrogate pair',
    bytes: daily('{"accessName":"\\ud800"}'),
    status: 400,
    says: 'text holds half of a surrogate pair',
  },
  {
    name: 'half a surrogate pair in a name',
    bytes: put('{"\\udfff":1}'),
    status: 400,
    says: 'a member name holds half of a surrogate pair',
  },
  {
    name: 'half a surrogate pair in text that holds JSON',
    bytes: job(JSON.stringify({ jobType: 'CREATE_PIN', jobData: '{"accessName":"\\udfff"}' })),
    status: 400,
    says: 'jobData: text holds half of a surrogate pair',
  },
  {
    name: 'bytes that are no UTF-8',
    bytes: put(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])),
    status: 400,
    says: 'the body is not UTF-8',
  },
  {
    name: 'right to left, four bytes, not normalised',
    bytes: daily('{"accessName":"שלום 🐢 e\u0301"}'),
    status: 200,
  },
  {
    name: 'sixty characters of four bytes',
    bytes: daily(JSON.stringify({ accessName: '🐢'.repeat(60) })),
    status: 200,
  },
  {
    name: 'sixty-one',
    bytes: daily(JSON.stringify({ accessName: '🐢'.repeat(61) })),
    status: 400,
    says: 'accessName is too long, 61 characters: at most 60',
  },
  {
    name: 'a member name of sixty thousand letters',
    bytes: put(JSON.stringify({ ['名'.repeat(20_000)]: 1 })),
    status: 400,
    says: '名',
  },
  {
    name: 'a member named __proto__',
    bytes: put('{"__proto__":{"batteryLevel":5}}'),
    status: 400,
    says: '__proto__ is not known',
  },
  {
    name: 'a member named constructor',
    bytes: put('{"constructor":{"prototype":{}}}'),
    status: 400,
    says: 'constructor is not known',
  },
  {
    name: 'a member named __proto__ in text that holds JSON',
    bytes: job(JSON.stringify({ jobType: 'LOCK', jobData: '{"__proto__":1}' })),
    status: 400,
    says: 'jobData/__proto__ is not known',
  },
  {
    name: 'data of another job',
    bytes: job('{"jobType":"LOCK","jobData":{"pinId":"6920f3a2b1c4d5e6f7a8b9c0"}}'),
    status: 400,
    says: 'jobData/pinId is not known',
  },
  {
    name: 'a secret of the wrong form, without repeating it',
    bytes: job(
      JSON.stringify({ jobType: 'CREATE_PIN', jobData: { accessName: 'A', pin: '48291503712345', pinType: 1 } }),
    ),
    status: 400,
    says: /^(?!.*48291).*pin/,
  },
  {
    name: 'the same in text that holds JSON',
    bytes: job(
      JSON.stringify({ jobType: 'CREATE_PIN', jobData: '{"accessName":"A","pin":"48291503712345","pinType":1}' }),
    ),
    status: 400,
    says: /^(?!.*48291).*pin/,
  },
  {
    name: 'jobData left out, empty, text and object are the same',
    bytes: job('{"jobType":2,"jobData":""}'),
    status: 200,
  },
];

/** RFC 9112. */
const ofMessages: readonly Trap[] = [
  {
    name: 'two Host lines',
    bytes: get('/devices', 'Host: api'),
    status: 400,
    says: 'Host is sent 2 times: send it once',
  },
  { name: 'two Host lines and no route', bytes: get('/nowhere', 'Host: evil.example'), status: 400 },
  {
    name: 'a Host that is none',
    bytes: Buffer.from('GET /v1/devices HTTP/1.1\r\nHost: api/x\r\n\r\n'),
    status: 400,
    says: 'Host api/x is no host',
  },
  { name: 'an empty Host', bytes: Buffer.from('GET /v1/devices HTTP/1.1\r\nHost:\r\n\r\n'), status: 401 },
  {
    name: 'an address as Host',
    bytes: Buffer.from('GET /v1/devices HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n'),
    status: 401,
  },
  ...['gzip, chunked', 'identity, chunked', 'x-own, chunked'].flatMap((coding) => [
    {
      name: `the transfer coding ${coding} of a body`,
      bytes: Buffer.concat([
        request('PUT', '/v1/devices/a', [token, jsonType, `Transfer-Encoding: ${coding}`]),
        Buffer.from('2\r\n{}\r\n0\r\n\r\n'),
      ]),
      status: 415,
      says: `Transfer-Encoding ${coding} is not taken: send the body as it is, or in chunks`,
      headers: { connection: 'close' },
    },
    ...['GET /v1/devices', 'GET /healthz', 'POST /v1/nowhere', 'DELETE /v1/devices/a'].map((line) => ({
      name: `the transfer coding ${coding} where there is no body: ${line}`,
      bytes: Buffer.concat([
        request(line.split(' ')[0] ?? '', line.split(' ')[1] ?? '', [token, `Transfer-Encoding: ${coding}`]),
        Buffer.from('0\r\n\r\n'),
      ]),
      status: 400,
      says: `Transfer-Encoding ${coding} is not taken`,
      headers: { connection: 'close' },
    })),
  ]),
  {
    name: 'a transfer coding behind a token that is none',
    bytes: request('PUT', '/v1/devices/a', [jsonType, 'Transfer-Encoding: gzip, chunked']),
    status: 401,
    headers: { connection: 'close' },
  },
  {
    name: 'chunks by another spelling',
    bytes: request('GET', '/v1/devices', [token, 'Transfer-Encoding: Chunked']),
    status: 200,
  },
];

const belowContract: readonly Trap[] = [
  { name: 'headers at the limit', bytes: headersOf(16_384), status: 200 },
  { name: 'headers one byte over', bytes: headersOf(16_385), status: 431, isBelowContract: true },
  {
    name: 'headers beyond the limit',
    bytes: get('/devices', `X-Big: ${'x'.repeat(20_000)}`),
    status: 431,
    isBelowContract: true,
  },
  {
    name: 'five hundred headers',
    bytes: get('/devices', ...Array.from({ length: 500 }, (_, index) => `X-H${index}: 1`)),
    status: 200,
  },
  {
    name: 'an upgrade that is not offered',
    bytes: get('/devices', 'Connection: Upgrade', 'Upgrade: websocket'),
    status: 200,
  },
  {
    name: 'a length and chunks',
    bytes: put('{}', jsonType, 'Transfer-Encoding: chunked'),
    status: 400,
    isBelowContract: true,
    headers: { connection: 'close' },
  },
  { name: 'two lengths', bytes: put('{}', jsonType, 'Content-Length: 3'), status: 400, isBelowContract: true },
  {
    name: 'a chunk that is none',
    bytes: Buffer.concat([
      request('PUT', '/v1/devices/a', [token, jsonType, 'Transfer-Encoding: chunked']),
      Buffer.from('zz\r\n'),
    ]),
    status: 400,
    isBelowContract: true,
    headers: { connection: 'close' },
  },
  {
    name: 'no HTTP at all',
    bytes: Buffer.from('\x16\x03\x01\r\n\r\n', 'latin1'),
    status: 400,
    isBelowContract: true,
  },
  { name: 'no Host', bytes: Buffer.from('GET /v1/devices HTTP/1.1\r\n\r\n'), status: 400, isBelowContract: true },
];

/** Every answer has the common headers, and reveals nothing about the implementation. */
function expectShape(answer: RawAnswer, side: Side, path: string): void {
  expect(answer.headers).toMatchObject({
    'x-request-id': expect.stringMatching(/^[A-Za-z0-9._-]{1,64}$/),
    'api-version': '1.0.0',
    'cache-control': 'no-store',
    ...(side.name === 'service' && {
      'strict-transport-security': expect.stringContaining('max-age='),
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-content-type-options': 'nosniff',
    }),
  });
  expect(answer.headers['x-powered-by']).toBeUndefined();
  if (answer.body === '') return;
  const body = JSON.parse(answer.body) as Record<string, unknown>;
  expect(answer.headers['content-type'], path).toBe('application/json');
  if (answer.status < 400) return;
  expect(body).toMatchObject({ code: expect.any(String), requestId: answer.headers['x-request-id'] });
  expect([body.error, body.message].filter((text) => typeof text === 'string')).toHaveLength(1);
  expect(Array.isArray(body.details)).toBe(answer.status === 400);
  expect(answer.body).not.toMatch(/node_modules|\.ts:|\bat .*\(|ajv/i);
}

function connectTo({ origin }: Side): Socket {
  const { hostname, port } = new URL(origin);
  return connect(Number(port), hostname).on('error', () => undefined);
}

/** All that comes back until the other side closes. */
async function converse(side: Side, bytes: Buffer): Promise<string> {
  const socket = connectTo(side);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.write(bytes);
  await new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  return text;
}

const readStatuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

/** By the step of `runtime/answer-request.ts` that most rows of a list end at. Scopes have their rows in `order.integration.test.ts`. */
const lists = [
  ...[ofPaths, ofTokens, ofQueries, ofHeaders, ofJobIds, ofSizes, ofTypes],
  ...[ofNoBody, ofJson, ofMembers, ofValues, ofMessages, belowContract],
];
/** The first row of each status in each list. */
const oncePerStep = new Set(
  lists.flatMap((rows) => [...Map.groupBy(rows, ({ status }) => status).values()]).map(([first]) => first),
);

describe.each(sideNames)('the %s answers, and lives on after', (name) => {
  const findSide = (): Side => sides.find(name);

  const own = lists.flat().filter(({ on = sideNames }) => on.includes(name));
  for (const row of own) {
    const { name: trap, bytes, status, says, headers = {}, isBelowContract = false } = row;
    // The service is asked all, and each side what it alone answers.
    const isAlways = name === 'service' || row.on !== undefined || oncePerStep.has(row);
    test(trap, isAlways ? {} : { tags: ['full'] }, async () => {
      const side = findSide();
      const answer = await sendRaw(side.origin, { bytes });
      expect({ status: answer.status, body: answer.body.slice(0, 500) }).toMatchObject({ status });
      if (!isBelowContract) expectShape(answer, side, trap);
      const { error, message } = answer.body.startsWith('{') ? JSON.parse(answer.body) : {};
      const said = status < 300 ? answer.body : String(error ?? message ?? '');
      if (typeof says === 'string') expect(said).toContain(says);
      else if (says !== undefined) expect(said).toMatch(says);
      for (const [header, wanted] of Object.entries(headers)) {
        if (typeof wanted === 'string') expect(answer.headers[header]).toBe(wanted);
        else expect(answer.headers[header] ?? '').toMatch(wanted);
      }
    });
  }

  test('three requests sent at once on one connection, in their order', async () => {
    const bytes = Buffer.concat([put('{"batteryLevel":'), get('/devices'), get('/device', 'Connection: close')]);
    expect(readStatuses(await converse(findSide(), bytes))).toEqual([400, 200, 404]);
  });

  // The rest of the body is where the next request would be (RFC 9112, 9.3).
  test('a body that is refused before it is read, and nothing of what comes behind it', async () => {
    const long = request('PUT', '/v1/devices/a', [token, jsonType], `{"a":"${'x'.repeat(200_000)}"}`);
    const text = await converse(findSide(), Buffer.concat([long, get('/devices', 'Connection: close')]));
    expect(readStatuses(text)).toEqual([413]);
    expect(text).toMatch(/\r\nConnection: close\r\n/i);
  });

  test.each(['ends', 'resets'])(
    'others, after a caller that %s its connection in the middle of its body',
    async (how) => {
      const side = findSide();
      const begun = request('PUT', '/v1/devices/a', [token, jsonType, 'Content-Length: 100']);
      for (let round = 0; round < 10; round += 1) {
        const socket = connectTo(side);
        await new Promise<void>((resolve) => void socket.write(begun, () => resolve()));
        if (how === 'resets') socket.resetAndDestroy();
        else socket.destroy();
      }
      expect((await sendRaw(side.origin, { bytes: get('/devices') })).status).toBe(200);
    },
  );

  test('with nothing in the log but requests', () => {
    expect(findSide().logged.filter(({ level }) => Number(level) > 30)).toEqual([]);
  });

  test('with the prototypes as they were', () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>).batteryLevel).toBeUndefined();
  });
});
