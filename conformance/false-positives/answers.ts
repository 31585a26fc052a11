import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { TestAnswer } from '../seeded/serve.ts';

/** An answer that looks wrong but conforms to the contract, with its operation. */
export interface UnusualAnswer {
  readonly name: string;
  /** Version of OpenAPI. */
  readonly version?: string;
  readonly method?: string;
  readonly responses: object;
  readonly schemas?: object;
  readonly answer: TestAnswer;
}

function json(schema: object, body: unknown, more: Partial<UnusualAnswer> = {}): Omit<UnusualAnswer, 'name'> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } },
    answer: { status: 200, headers: { 'content-type': 'application/json' }, body: text },
    ...more,
  };
}

/** An answer with a declared media type, and the one that is sent. */
function typed(
  declared: string,
  sent: string,
  body: string | Buffer,
  schema: object = {},
): Omit<UnusualAnswer, 'name'> {
  return {
    responses: { 200: { description: 'OK', content: { [declared]: { schema } } } },
    answer: { status: 200, headers: { 'content-type': sent }, body },
  };
}

function headed(headers: TestAnswer['headers'], declared: object = {}, status = 200): Omit<UnusualAnswer, 'name'> {
  const described = Object.entries(declared).map(([name, schema]) => [name, { schema }] as const);
  return {
    responses: { [status]: { description: 'OK', headers: Object.fromEntries(described) } },
    answer: { status, ...(headers && { headers }) },
  };
}

function raw(...lines: readonly string[]): Omit<UnusualAnswer, 'name'> {
  const schema = { type: 'object', required: ['a'] };
  return json(schema, '', { answer: { status: 200, raw: lines.join('\r\n') } });
}

const text = { type: 'string' };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const user = {
  type: 'object',
  required: ['id', 'name', 'password'],
  properties: {
    id: { type: 'integer', readOnly: true },
    name: text,
    password: { type: 'string', writeOnly: true },
  },
};
const pets = {
  Cat: { type: 'object', required: ['kind'], properties: { kind: text, lives: { type: 'integer' } } },
  Dog: { type: 'object', required: ['kind'], properties: { kind: text, bark: text } },
};

/** None of them may cause a finding. */
export const unusualAnswers: readonly UnusualAnswer[] = [
  {
    name: 'omits a writeOnly property in each item',
    ...json({ type: 'array', items: user }, [{ id: 1, name: 'Ada' }]),
  },
  {
    name: 'contains a readOnly property within a readOnly object',
    ...json({ properties: { meta: { ...user, readOnly: true } } }, { meta: { id: 1, name: 'Ada' } }),
  },
  { name: 'sends an empty list', ...json({ type: 'array', items: { ...user, minProperties: 2 } }, []) },
  { name: 'sends an empty object', ...json({ type: 'object', properties: { a: text } }, {}) },
  { name: 'sends a bare null', ...json({ type: ['object', 'null'] }, 'null') },
  { name: 'sends a bare string', ...json(text, '"OK"') },
  { name: 'sends an array for a schema without a type', ...json({ properties: { a: text }, required: ['a'] }, []) },
  { name: 'sends a string for a schema with only a minimum', ...json({ minimum: 5 }, '"a"') },
  {
    name: 'sends null for a nullable string',
    version: '3.0.3',
    ...json({ type: 'object', properties: { a: { type: 'string', nullable: true } } }, { a: null }),
  },
  {
    name: 'sends null for a nullable enum that does not list null',
    version: '3.0.3',
    ...json({ properties: { a: { type: 'string', nullable: true, enum: ['x'] } } }, { a: null }),
  },
  {
    name: 'sends null for a nullable allOf',
    version: '3.0.3',
    ...json({ properties: { a: { nullable: true, allOf: [ref('Cat')] } } }, { a: null }, { schemas: pets }),
  },
  {
    name: 'breaks a keyword next to a $ref, which OpenAPI 3.0 ignores',
    version: '3.0.3',
    ...json(
      { properties: { a: { $ref: '#/components/schemas/Name', maxLength: 1 } } },
      { a: 'long' },
      { schemas: { Name: text } },
    ),
  },
  {
    name: 'is within a bound with a boolean exclusiveMinimum',
    version: '3.0.3',
    ...json({ type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: false }, '1.0'),
  },
  {
    name: 'matches two branches and names one by a mapping',
    ...json(
      {
        oneOf: [ref('Cat'), ref('Dog')],
        discriminator: { propertyName: 'kind', mapping: { feline: '#/components/schemas/Cat' } },
      },
      { kind: 'feline', lives: 9 },
      { schemas: pets },
    ),
  },
  {
    name: 'has a discriminator value that no mapping lists',
    ...json(
      { anyOf: [ref('Cat'), ref('Dog')], discriminator: { propertyName: 'kind' } },
      { kind: 'ferret' },
      { schemas: pets },
    ),
  },
  {
    name: 'has a 404 declared by default',
    responses: { 200: { description: 'OK' }, default: { description: 'Else' } },
    answer: { status: 404 },
  },
  { name: 'has a 207 declared by 2XX', responses: { '2XX': { description: 'OK' } }, answer: { status: 207 } },
  {
    name: 'has a 422 declared by 4xx in lower case',
    responses: { 200: { description: 'OK' }, '4xx': { description: 'No' } },
    answer: { status: 422 },
  },
  { name: 'has a documented 303', ...headed({ location: '../other?x=1#top' }, {}, 303) },
  {
    name: 'has a documented 503',
    responses: { 200: { description: 'OK' }, 503: { description: 'Away' } },
    answer: { status: 503, headers: { 'retry-after': '0' } },
  },
  {
    name: 'describes the content of GET in answer to HEAD',
    method: 'head',
    ...json({ type: 'object' }, '', {
      answer: { status: 200, headers: { 'content-type': 'text/html', 'content-length': '400' } },
    }),
  },
  { name: 'has a media type and status 204', ...headed({ 'content-type': 'application/json' }, {}, 204) },
  {
    name: 'has a media type but no content',
    ...headed({ 'content-type': 'application/json', 'content-length': '0' }, {}, 205),
  },
  {
    name: 'sends the declared hal+json with a parameter',
    ...typed('application/hal+json', 'application/hal+json; profile="a;b"', '{"a":1}', { type: 'object' }),
  },
  {
    name: 'sends a vendor type declared by application/*',
    ...typed('application/*', 'application/vnd.a.b+json;v=1', '{}', { type: 'object' }),
  },
  { name: 'sends text declared by */*', ...typed('*/*', 'text/plain', 'a') },
  {
    name: 'spells a media type parameter unlike the contract',
    ...typed('application/json; charset=utf-8', 'application/json;charset=UTF-8;', '{}'),
  },
  {
    name: 'sends Latin-1 with its charset',
    ...typed('text/plain', 'text/plain; charset=iso-8859-1', Buffer.from('Zoë', 'latin1'), {
      type: 'string',
      maxLength: 3,
    }),
  },
  {
    name: 'sends lines of JSON',
    ...typed('application/x-ndjson', 'application/x-ndjson', '{"a":1}\n{"a":2}\n', { type: 'object' }),
  },
  {
    name: 'sends a sequence of JSON texts',
    ...typed('application/json-seq', 'application/json-seq', '\u001e{"a":1}\n', { type: 'object' }),
  },
  {
    name: 'sends events',
    ...typed('text/event-stream', 'text/event-stream', 'data: {"a":1}\n\n', { type: 'object', required: ['a'] }),
  },
  { name: 'sends a number as text/plain', ...typed('text/plain', 'text/plain', '17', { type: 'integer' }) },
  {
    name: 'sends a picture',
    ...typed('image/png', 'image/png', Buffer.from([137, 80, 78, 71, 0, 255]), { type: 'string', format: 'binary' }),
  },
  {
    name: 'sends integers beyond 2^53',
    ...json({ type: 'array', items: { type: 'integer', maximum: 9007199254740992 } }, '[9007199254740993]'),
  },
  { name: 'sends a number beyond any double', ...json({ type: 'number', minimum: 0 }, '1e400') },
  {
    name: 'spells integers with fractions and exponents',
    ...json({ type: 'array', items: { type: 'integer' } }, '[5.0, 1e2, -0, 1E+2, 100e-2]'),
  },
  {
    name: 'sends decimals that no double represents',
    ...json({ type: 'array', items: { type: 'number', multipleOf: 0.01 } }, '[4.35, 0.07, 1.1, 8.2]'),
  },
  {
    name: 'lists distinct values that look equal',
    ...json({ type: 'array', uniqueItems: true }, '[1, true, "1", 0, false, {"a":1}, {"a":2}, [], [[]]]'),
  },
  { name: 'spells a constant unlike the contract', ...json({ const: { a: 1, b: [1] } }, '{"b":[1.0],"a":1}') },
  { name: 'repeats a key', ...json({ properties: { a: text } }, '{"a":"x","a":"y"}') },
  { name: 'escapes characters without need', ...json({ type: 'string', maxLength: 1 }, '"\\ud83d\\ude80"') },
  { name: 'sends half of a surrogate pair', ...json(text, '"\\ud800"') },
  { name: 'sends a NUL', ...json({ type: 'string', minLength: 3 }, '"a\\u0000b"') },
  { name: 'matches a pattern of Unicode classes', ...json({ type: 'string', pattern: '^\\p{L}+$' }, '"Zoë"') },
  { name: 'matches a pattern in the middle of the text', ...json({ type: 'string', pattern: 'b' }, '"abc"') },
  {
    name: 'sends unusual instants of RFC 3339',
    ...json({ type: 'array', items: { type: 'string', format: 'date-time' } }, [
      '2026-02-28t23:59:59z',
      '2016-12-31T23:59:60Z',
      '2026-01-01T00:00:00.123456789+23:59',
      '2024-02-29T00:00:00-00:00',
    ]),
  },
  { name: 'sends a leap day', ...json({ type: 'string', format: 'date' }, '"2024-02-29"') },
  { name: 'sends a string of an unknown format', ...json({ type: 'string', format: 'crn' }, '"x"') },
  {
    name: 'sends a string whose format is for numbers',
    ...json({ type: 'array', items: { type: 'string', format: 'int64' } }, '["x"]'),
  },
  {
    name: 'sends a UUID in capitals',
    ...json({ type: 'string', format: 'uuid' }, '"6BA7B810-9DAD-11D1-80B4-00C04FD430C8"'),
  },
  {
    name: 'has members of two parts of an allOf',
    ...json(
      { allOf: [ref('Cat'), { properties: { extra: text } }], unevaluatedProperties: false },
      { kind: 'a', lives: 1, extra: 'x' },
      { schemas: pets },
    ),
  },
  {
    name: 'has members declared by patternProperties',
    ...json({ type: 'object', patternProperties: { '^x-': text }, additionalProperties: false }, { 'x-a': 'b' }),
  },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  { name: 'does not satisfy the if of a then', ...json({ if: { required: ['a'] }, then: { required: ['b'] } }, {}) },
  {
    name: 'nests a recursive schema 200 levels deep',
    ...json(ref('Tree'), `${'{"t":'.repeat(200)}{}${'}'.repeat(200)}`, {
      schemas: { Tree: { type: 'object', properties: { t: ref('Tree') } } },
    }),
  },
  {
    name: 'has no item for a contains with minContains 0',
    ...json({ type: 'array', contains: { const: 1 }, minContains: 0 }, '[2]'),
  },
  { name: 'sends a header between spaces', ...headed({ 'x-count': '  5  ' }, { 'X-Count': { type: 'integer' } }) },
  { name: 'sends a boolean header in capitals', ...headed({ 'x-on': 'TRUE' }, { 'X-On': { type: 'boolean' } }) },
  { name: 'sends an empty list header', ...headed({ 'x-tags': ', ,a' }, { 'X-Tags': { type: 'array', items: text } }) },
  {
    name: 'repeats list headers',
    ...headed({
      vary: ['accept', 'origin'],
      link: ['<a>; rel=next', '<b>; rel="prev"'],
      'cache-control': ['no-cache', 'no-store'],
    }),
  },
  {
    name: 'sends an empty ETag and an obsolete date',
    ...headed({ etag: '""', 'last-modified': 'Sunday, 06-Nov-94 08:49:37 GMT' }),
  },
  {
    name: 'sends an address with an IPv6 host',
    ...headed({ location: 'http://[::1]:8080/a%20b?q=(1)#c' }, {}, 201),
    method: 'post',
  },
  {
    name: 'spells its content coding in capitals',
    ...json({ type: 'object' }, '', {
      answer: {
        status: 200,
        headers: { 'content-type': 'application/json', 'content-encoding': 'GZIP' },
        body: gzipSync('{}'),
      },
    }),
  },
  {
    name: 'has two content codings',
    ...json({ type: 'object' }, '', {
      answer: {
        status: 200,
        headers: { 'content-type': 'application/json', 'content-encoding': 'deflate, br' },
        body: brotliCompressSync(deflateSync('{}')),
      },
    }),
  },
  {
    name: 'has a registered but rare content coding',
    ...json({ type: 'object' }, '', {
      answer: {
        status: 200,
        headers: { 'content-type': 'application/json', 'content-encoding': 'compress' },
        body: Buffer.from([31, 157, 144]),
      },
    }),
  },
  {
    name: 'follows an early hint',
    ...raw(
      'HTTP/1.1 103 Early Hints',
      'Link: </a>; rel=preload',
      '',
      'HTTP/1.1 200 OK',
      'Content-Type: application/json',
      'Content-Length: 7',
      'Connection: close',
      '',
      '{"a":1}',
    ),
  },
  {
    name: 'is sent in chunks with a trailer',
    ...raw(
      'HTTP/1.1 200 OK',
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
      'Trailer: X-Sum',
      'Connection: close',
      '',
      '3;x=y',
      '{"a',
      '4',
      '":1}',
      '0',
      'X-Sum: 7',
      '',
      '',
    ),
  },
  {
    name: 'marks the end of its content by closing the connection',
    ...raw('HTTP/1.1 200 OK', 'Content-Type: application/json', 'Connection: close', '', '{"a":1}'),
  },
  {
    name: 'is HTTP/1.0',
    ...raw('HTTP/1.0 200 Fine', 'Content-Type: application/json', 'Content-Length: 7', '', '{"a":1}'),
  },
  {
    name: 'has an empty reason phrase',
    ...raw('HTTP/1.1 200 ', 'Content-Type: application/json', 'Content-Length: 7', 'Connection: close', '', '{"a":1}'),
  },
];
