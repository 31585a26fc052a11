import { describe, expect, test } from 'vitest';
import { contextOf, contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { bodySchema } from './body-schema.ts';

const json: Readonly<Record<string, string>> = { 'content-type': 'application/json' };

interface Given {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly components?: object;
  readonly version?: string;
}

/** Findings about a body by one schema: severity and causes. */
function judge(...given: Parameters<typeof judgeBody>) {
  return judgeBody(...given).flatMap(({ failures }) => failures);
}

function judgeBody(
  schema: object,
  body: unknown,
  { status = 200, headers = json, components = {}, version = '3.1.0' }: Given = {},
) {
  const contents = ['application/json', 'text/plain', 'text/xml', 'text/csv', 'text/event-stream'].map(
    (type) => [type, { schema }] as const,
  );
  const content = Object.fromEntries(contents);
  const responses = { 200: { description: 'OK', content }, '4XX': { description: 'No', content } };
  const contract = contractOf({ '/a': { get: { operationId: 'read', responses } } }, { schemas: components }, version);
  const sent = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return bodySchema.judge(exchangeOf(contract, { status, headers, body: sent }), contextOf(contract));
}

describe('a body is parsed by its media type', () => {
  const schema = { type: 'object', required: ['a'] };
  test.each([
    { type: 'application/json', body: '{}', want: ['required'] },
    { type: 'application/json', body: '{"a":1}', want: [] },
    { type: 'application/json; charset="UTF-8"', body: '\ufeff{"a":1}', want: [] },
    { type: 'application/json', body: '{"a":NaN}', want: ['json'] },
    { type: 'text/plain', body: 'a', want: ['type'] },
    { type: 'text/plain', body: '{"a":1}', want: [] },
    { type: 'text/csv; charset="UTF-8"', body: Buffer.from([0x61, 0xff]), want: ['encoding'] },
    { type: 'text/xml', body: '<a/>', want: [] },
    { type: 'text/csv; charset=utf-8', body: 'a,b', want: [] },
    { type: 'text/event-stream', body: 'data: {}', want: [] },
  ])('$body as $type: $want', ({ type, body, want }) => {
    const found = judge(schema, body, { headers: { 'content-type': type } });
    expect(found.map(({ keyword, severity }) => `${severity} ${keyword}`)).toEqual(
      want.map((word) => `defect ${word}`),
    );
  });

  test('an exact type takes precedence over an earlier range', () => {
    const content = { 'application/*': { schema: { type: 'array' } }, 'application/json': { schema } };
    const responses = { 200: { description: 'OK', content } };
    const contract = contractOf({ '/a': { get: { operationId: 'read', responses } } });
    const judged = (type: string) =>
      bodySchema
        .judge(exchangeOf(contract, { headers: { 'content-type': type }, body: '{"a":1}' }), contextOf(contract))
        .map(({ place, failures }) => [place, failures.length]);
    expect(judged('application/json; charset=utf-8')).toEqual([['response 200 application/json', 0]]);
    expect(judged('application/problem+json')).toEqual([['response 200 application/*', 1]]);
  });

  test('the octets of a file are not judged as JSON text, even if they are JSON', () => {
    expect(judge({ type: 'string', format: 'binary' }, '{"a":1}', { headers: json })).toEqual([]);
    expect(judge({ type: 'string' }, '{"a":1}', { headers: json })).toHaveLength(1);
  });

  test.each([
    { name: 'a number instead of a text', schema: { type: 'string' }, body: '12345678901234567890', want: 'type' },
    { name: 'a huge number instead of a text', schema: { type: 'string' }, body: '1e999999', want: 'type' },
    { name: 'a huge negative number', schema: { type: 'number', minimum: 0 }, body: '-1e999999', want: 'minimum' },
    { name: 'a long number beyond its bound', schema: { maximum: 9 }, body: '12345678901234567890', want: 'maximum' },
  ])('$name is a defect', ({ schema, body, want }) => {
    expect(judge(schema, body).map(({ keyword, severity }) => [severity, keyword])).toEqual([['defect', want]]);
  });

  test.each<{ name: string; schema: object; body: string | Buffer; type?: string }>([
    { name: 'a long number by its digits', schema: { exclusiveMaximum: 2 ** 53 + 4 }, body: '9007199254740995' },
    { name: 'a huge number', schema: { type: 'number' }, body: '1e999999' },
    { name: 'a huge number, without a schema', schema: {}, body: '{"a":[1e999999]}' },
    { name: 'XML by a schema of its value', schema, body: '<a/>', type: 'text/xml' },
    { name: 'an unknown charset', schema, body: 'a', type: 'text/plain; charset=x-none' },
    { name: 'text without a charset, not UTF-8', schema: {}, body: Buffer.from([0xff]), type: 'text/plain' },
    {
      name: 'text that is invalid in its charset',
      schema: {},
      body: Buffer.from([0xff]),
      type: 'text/csv; charset=euc-kr',
    },
    { name: 'too many levels', schema, body: `{"a":${'['.repeat(1e6)}${']'.repeat(1e6)}}` },
    { name: 'too many values', schema, body: `{"a":[${'[],'.repeat(250_000)}1]}` },
    { name: 'a schema in another document', schema: { $ref: 'other.yaml#/A' }, body: '{}' },
    { name: 'a schema with an unreadable part', schema: { properties: { a: { pattern: '(' } } }, body: '{}' },
  ])('$name is not judged, and not taken for right', ({ schema, body, type = 'application/json' }) => {
    const [verdict] = judgeBody(schema, body, { headers: { 'content-type': type } });
    expect([verdict?.failures, verdict?.unjudged]).toEqual([[], expect.stringMatching(/./)]);
  });

  test.each([
    { status: 200, want: ['suspect'] },
    { status: 404, want: [] },
  ])('no content at all, with $status: $want', ({ status, want }) => {
    expect(judge(schema, '', { status }).map(({ severity }) => severity)).toEqual(want);
    expect(judge(schema, '', { status, headers: {} }).map(({ severity }) => severity)).toEqual(want);
  });
});

const text = { type: 'string' };
const book = {
  type: 'object',
  required: ['id', 'title', 'pages'],
  properties: { id: text, title: text, note: text, pages: { type: 'integer' } },
};
const good = { id: 'b1', title: 'Emma', pages: 3 };

describe('one fault is reported once', () => {
  test.each<{ name: string; body: unknown; faults: number }>([
    {
      name: 'each item lacks the same member',
      body: [{ ...good, title: undefined }, good, { ...good, title: undefined }],
      faults: 1,
    },
    { name: 'an item of an unrelated shape', body: [{ error: 'x', note: 7 }], faults: 1 },
    {
      name: 'nulls at several members',
      body: [
        { ...good, note: null },
        { ...good, title: null },
      ],
      faults: 1,
    },
    { name: 'a null and a wrong type', body: [{ ...good, note: null, pages: '7' }], faults: 2 },
    { name: 'two members of one object', body: [{ ...good, note: 1, pages: '7' }], faults: 1 },
    { name: 'an object where a list is declared', body: good, faults: 1 },
  ])('$name', ({ body, faults }) => {
    expect(judge({ type: 'array', items: book }, body)).toHaveLength(faults);
  });

  test('reports the requirements that one object breaks, and how often', () => {
    const [failure] = judge({ type: 'array', items: book }, [
      { ...good, note: 1, pages: '7' },
      { ...good, note: 2 },
    ]);
    expect(failure?.message).toBe('must be string; /0/pages must be integer, also at 1 more place');
    const [nulls] = judge({ type: 'array', items: book }, [
      { ...good, note: null, title: null },
      { ...good, note: null },
    ]);
    expect(nulls?.message).toBe('null was sent where the schema does not allow it: /*/title, /*/note');
  });

  test.each<{ name: string; a: [object, unknown]; b: [object, unknown]; isOne: boolean }>([
    {
      name: 'nulls of two types in two schemas',
      a: [book, { ...good, note: null }],
      b: [{ type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } }, [{ n: null }]],
      isOne: true,
    },
    {
      name: 'a date in one spelling at two members',
      a: [{ properties: { at: { type: 'string', format: 'date' } } }, { at: '1/2/2026' }],
      b: [{ properties: { on: { type: 'string', format: 'date' } } }, { on: '3/4/2025' }],
      isOne: true,
    },
    {
      name: 'a copy of a schema with other words',
      a: [book, { ...good, title: undefined }],
      b: [
        { ...book, description: 'A book' },
        { ...good, title: undefined },
      ],
      isOne: true,
    },
    {
      name: 'a name that two different schemas require',
      a: [book, { ...good, title: undefined }],
      b: [{ type: 'object', required: ['title'] }, {}],
      isOne: false,
    },
    {
      name: 'an undeclared wrapper in two schemas',
      a: [
        { ...book, additionalProperties: false },
        { ...good, result: {} },
      ],
      b: [{ type: 'object', additionalProperties: false }, { result: {} }],
      isOne: true,
    },
    {
      name: 'an undeclared name at two places',
      a: [
        { ...book, additionalProperties: false },
        { ...good, result: {} },
      ],
      b: [{ properties: { page: { type: 'object', additionalProperties: false } } }, { page: { result: {} } }],
      isOne: false,
    },
    {
      name: 'objects with the same members, of two schemas, that lack the same one',
      a: [book, { ...good, title: undefined }],
      b: [
        { type: 'object', required: ['title'] },
        { ...good, title: undefined },
      ],
      isOne: true,
    },
    {
      name: 'two members of one type',
      a: [book, { ...good, title: 1 }],
      b: [book, { ...good, note: 1 }],
      isOne: false,
    },
  ])('$name: one cause, $isOne', ({ a, b, isOne }) => {
    const [one, other] = [judge(...a), judge(...b)].map((found) => found.flatMap(({ causes }) => causes.map(String)));
    expect(one?.length).toBeGreaterThan(0);
    expect(one?.some((cause) => other?.includes(cause))).toBe(isOne);
  });

  test('rejections have one shape in a document: the received shape is reported', () => {
    const schemas = [
      { type: 'object', required: ['code'] },
      { type: 'object', required: ['code'], properties: { code: text } },
    ];
    const [one, other] = schemas.map((schema) => judge(schema, { detail: 'no' }, { status: 404 }));
    expect(one?.[0]?.causes).toEqual(other?.[0]?.causes);
  });
});

describe('not a defect', () => {
  test.each<{ name: string; schema: object; body: unknown; version?: string; components?: object }>([
    {
      name: 'a whole number beyond 2^53',
      schema: { type: 'integer', exclusiveMaximum: 2 ** 53 + 4 },
      body: '9007199254740995',
    },
    {
      name: 'an instant in another spelling',
      schema: { type: 'string', format: 'date-time' },
      body: '"2026-01-01 10:00:00"',
    },
    {
      name: 'nullable with $ref in 3.0',
      version: '3.0.3',
      schema: { properties: { a: { $ref: '#/components/schemas/A', nullable: true } } },
      components: { A: { type: 'object' } },
      body: { a: null },
    },
    {
      name: 'null under a nullable enum in 3.0',
      version: '3.0.3',
      schema: { type: 'string', enum: ['a'], nullable: true },
      body: 'null',
    },
    {
      name: 'two branches of a oneOf with a discriminator',
      schema: {
        oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }],
        discriminator: { propertyName: 'kind' },
      },
      components: { A: { type: 'object' }, B: { type: 'object', properties: { kind: text } } },
      body: { kind: 'A' },
    },
    {
      name: 'a written property that is missing',
      schema: { required: ['password'], properties: { password: { type: 'string', writeOnly: true } } },
      body: {},
    },
  ])('$name', ({ schema, body, version = '3.1.0', components = {} }) => {
    expect(judge(schema, body, { version, components })).toEqual([]);
  });
});

describe('the severity of a violation', () => {
  test.each<{ name: string; schema: object; body: unknown; severity: string; message?: string }>([
    {
      name: 'a word as a date-time',
      schema: { type: 'string', format: 'date-time' },
      body: '"soon"',
      severity: 'defect',
    },
    {
      name: 'an empty text as a date-time',
      schema: { type: 'string', format: 'date-time' },
      body: '""',
      severity: 'suspect',
    },
    { name: 'an empty text as a URI', schema: { type: 'string', format: 'uri' }, body: '""', severity: 'suspect' },
    { name: 'a word as a UUID', schema: { type: 'string', format: 'uuid' }, body: '"b1"', severity: 'suspect' },
    {
      name: 'null in none of the branches',
      schema: { properties: { owner: { oneOf: [text, { type: 'object' }] } } },
      body: { owner: null },
      severity: 'defect',
      message: 'null was sent where the schema does not allow it',
    },
  ])('$name: $severity', ({ schema, body, severity, message = '' }) => {
    const found = judge(schema, body);
    expect(found.map((one) => one.severity)).toEqual([severity]);
    expect(found[0]?.message).toContain(message);
  });
});

test('parts of an allOf that exclude each other are one fault of the contract at all places', () => {
  const components = {
    Base: { type: 'object', additionalProperties: false, properties: { id: text } },
    One: { allOf: [{ $ref: '#/components/schemas/Base' }, { properties: { a: text } }] },
    Two: { allOf: [{ $ref: '#/components/schemas/Base' }], properties: { b: text } },
  };
  const schema = {
    properties: { one: { $ref: '#/components/schemas/One' }, two: { $ref: '#/components/schemas/Two' } },
  };
  const found = judge(schema, { one: { id: '', a: '' }, two: { id: '', b: '' } }, { components });
  expect(found.map(({ message }) => message)).toEqual([
    expect.stringContaining('no object can satisfy both parts of the allOf'),
  ]);
  expect(judge(schema, { one: { id: '', c: '' } }, { components }).map(({ message }) => message)).toEqual([
    'must NOT have additional properties: c',
  ]);
});
