import { describe, expect, test } from 'vitest';
import type { Operation } from '../contract/contract.ts';
import type { JsonObject } from '../contract/document.ts';
import { createJudge } from '../schema/create-judge.ts';
import { contractOf } from '../seeded/by-hand.ts';
import { absentParts, factorsOf } from './boundaries.ts';
import { applyChange, overlaps, type RequestPart } from './request-parts.ts';
import type { DataTools } from './value-candidates.ts';

const now = Date.parse('2026-01-10T00:00:00Z');

interface Given {
  readonly parameters?: readonly JsonObject[];
  readonly body?: JsonObject;
  readonly value?: unknown;
  readonly operation?: JsonObject;
  readonly version?: string;
  readonly sent?: JsonObject;
}

/** A draft of one operation, with the tools for its data. */
function draftOf({ parameters = [], body, value, operation, version, sent = {} }: Given) {
  const content = { 'application/json': { schema: body } };
  const requestBody = body === undefined ? undefined : { required: true, content };
  const contract = contractOf({ '/a': { put: { parameters, requestBody, responses: {}, ...operation } } }, {}, version);
  const tools: DataTools = { contract, judge: createJudge(contract), now, tag: 'tag', seed: 1 };
  const [put] = contract.operations as [Operation];
  const [first] = put.body?.contents ?? [];
  const draft = {
    ...{ operation: put, label: '', body: first && { content: first, value } },
    parameters: put.parameters
      .filter(({ name }) => Object.hasOwn(sent, name))
      .map((parameter) => ({ parameter, value: sent[parameter.name] })),
  };
  return {
    tools,
    options: { draft, isOfServer: (name: string, isOuter: boolean) => name === 'id' || (isOuter && name === 'key') },
  };
}

function classesIn(given: Given) {
  const { tools, options } = draftOf(given);
  return factorsOf(tools, options).flatMap(({ classes }) => classes);
}

const short = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'left out';
  return text.length > 24 ? `${typeof value === 'string' ? [...value].length : text.length} long` : text;
};

const query = (name: string, schema: JsonObject, more: JsonObject = {}) => ({ name, in: 'query', schema, ...more });

describe('each class has the value that a keyword names', () => {
  test.each<{ readonly name: string; readonly given: Given; readonly want: readonly string[] }>([
    {
      name: 'both bounds of an integer',
      given: { parameters: [query('limit', { type: 'integer', minimum: 1, maximum: 300 })] },
      want: [
        'query limit, maximum: 300',
        'query limit, minimum: 1',
        'query limit, one step below the maximum: 299',
        'query limit, one step above the minimum: 2',
      ],
    },
    {
      name: 'open bounds and multiples',
      given: {
        body: { type: 'number', exclusiveMinimum: 0, maximum: 10, multipleOf: 0.25 },
        value: 5,
      },
      want: [
        'body, maximum: 10',
        'body, minimum: 0.25',
        'body, one step below the maximum: 9.75',
        'body, one step above the minimum: 0.5',
      ],
    },
    {
      name: 'the accepted value is no class',
      given: { parameters: [query('sort', { enum: ['asc', 'desc'] })], sent: { sort: 'asc' } },
      want: ['query sort, "desc": "desc"', 'query sort, left out: left out'],
    },
    {
      name: 'lengths in code points',
      given: {
        body: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string', minLength: 2, maxLength: 40 } },
        },
        value: { name: 'Emma' },
      },
      want: [
        'body /name, longest: 40 long',
        'body /name, one character below the longest: 39 long',
        'body /name, shortest: "q1"',
        'body /name, one character above the shortest: "xq1"',
        'body /name, longest, of characters outside the BMP: 40 long',
      ],
    },
    {
      name: 'lengths of a text with a pattern',
      given: { parameters: [query('code', { type: 'string', pattern: '^x{2,4}$', maxLength: 3, minLength: 3 })] },
      want: ['query code, longest: "xxx"'],
    },
    {
      name: 'shortest and longest text of a pattern',
      given: { parameters: [query('code', { type: 'string', pattern: '^x{2,4}$' })] },
      want: ['query code, shortest text of the pattern: "xx"', 'query code, longest text of the pattern: "xxxx"'],
    },
    {
      name: 'the longest text beyond ASCII of a pattern that excludes some characters',
      given: { body: { type: 'string', pattern: '^[^/]+$', maxLength: 20 }, value: 'a' },
      want: [
        'body, longest: "conform98kwzp9qrfoif"',
        'body, one character below the longest: "conform98kwzp9qrfoi"',
        'body, longest, of characters outside the BMP: 20 long',
        'body, shortest text of the pattern: "9"',
      ],
    },
    {
      name: 'the longest text beyond ASCII of a pattern with other letters',
      given: { body: { type: 'string', pattern: '^[A-Z][a-zäöü]{1,7}$' }, value: 'Aa' },
      want: [
        'body, shortest text of the pattern: "Zz"',
        'body, longest text of the pattern: "Nzzhpslz"',
        'body, longest text of the pattern, with a character beyond ASCII: "Ywaeaziü"',
      ],
    },
    {
      name: 'lists',
      given: {
        body: {
          type: 'object',
          required: ['tags'],
          properties: { tags: { type: 'array', minItems: 1, maxItems: 4, items: { enum: ['a', 'b'] } } },
        },
        value: { tags: ['a', 'b'] },
      },
      want: [
        'body /tags, most items: ["a","a","a","a"]',
        'body /tags, one item below the most: ["a","a","a"]',
        'body /tags, fewest items: ["a"]',
        'body /tags/0, "b": "b"',
      ],
    },
    {
      name: 'items of a parameter, all at once',
      given: {
        parameters: [
          query('range', { type: 'array', minItems: 2, maxItems: 2, items: { type: 'integer', maximum: 40 } }),
        ],
      },
      want: [
        'query range, most items: [1,1]',
        'query range/0, maximum: [40,40]',
        'query range/0, one step below the maximum: [39,39]',
      ],
    },
    {
      name: 'members of objects, nested too',
      given: {
        body: {
          type: 'object',
          properties: {
            id: { type: 'integer', minimum: 1 },
            made: { type: 'boolean', readOnly: true },
            place: {
              type: 'object',
              required: ['room'],
              properties: { room: { type: 'integer', maximum: 9 }, dry: { type: 'boolean' } },
            },
          },
        },
        value: { id: 7, place: { room: 3, dry: true } },
      },
      want: [
        'body /place, left out: left out',
        'body /place/room, maximum: 9',
        'body /place/room, one step below the maximum: 8',
        'body /place/dry, false: false',
        'body /place/dry, left out: left out',
      ],
    },
    {
      name: 'parts that share a name with a member that names the item',
      given: {
        parameters: [query('key', { type: 'boolean' }, { required: true })],
        sent: { key: true },
        body: {
          type: 'object',
          required: ['key', 'lock'],
          properties: {
            key: { type: 'boolean' },
            lock: { type: 'object', required: ['key'], properties: { key: { type: 'boolean' } } },
          },
        },
        value: { key: true, lock: { key: true } },
      },
      want: ['query key, false: false', 'body /lock/key, false: false'],
    },
    {
      name: 'null and other branches',
      given: {
        body: {
          type: 'object',
          required: ['at'],
          properties: { at: { anyOf: [{ type: 'integer' }, { enum: ['now'] }, { type: 'null' }] } },
        },
        value: { at: 5 },
      },
      want: ['body /at, branch 2: "now"', 'body /at, null: null'],
    },
    {
      name: 'nullable of OpenAPI 3.0',
      given: {
        version: '3.0.3',
        body: { type: 'object', required: ['note'], properties: { note: { type: 'string', nullable: true } } },
        value: { note: 'a' },
      },
      want: ['body /note, null: null'],
    },
    {
      name: 'dates',
      given: { parameters: [query('day', { type: 'string', format: 'date' })] },
      want: ['query day, end of a month: "2026-02-28"', 'query day, leap day: "2028-02-29"'],
    },
    {
      name: 'media types',
      given: {
        operation: {
          requestBody: {
            content: {
              'application/json': { schema: { type: 'object' } },
              'application/x-www-form-urlencoded': { schema: { type: 'object' } },
            },
          },
        },
        body: {},
        value: {},
      },
      want: ['media type application/x-www-form-urlencoded: 249 long'],
    },
    {
      name: 'nothing for values that a rule or the server determines',
      given: {
        parameters: [
          query('id', { type: 'integer', minimum: 1 }),
          query('start', { type: 'integer', minimum: 1, 'x-rule': {} }),
          { name: 'key', in: 'path', required: true, schema: { enum: ['a', 'b'] } },
        ],
      },
      want: [],
    },
  ])('$name', ({ given, want }) => {
    const { tools, options } = draftOf(given);
    const classes = factorsOf(tools, options).flatMap((factor) => factor.classes);
    expect(classes.map(({ name, make }) => `${name}: ${short(make('q1'))}`)).toEqual(want);
  });
});

test('each class names its keyword and the location in the contract, behind references too', () => {
  const limit = { allOf: [{ type: 'integer', maximum: 50 }, { minimum: 2 }] };
  const classes = classesIn({ parameters: [query('limit', limit)] });
  const at = '#/paths/~1a/put/parameters/0/schema/allOf';
  expect(classes.map(({ how, pointer, keyword }) => [how, pointer, keyword])).toEqual([
    ['maximum', `${at}/0/maximum`, 'maximum'],
    ['minimum', `${at}/1/minimum`, 'minimum'],
    ['one step below the maximum', `${at}/0/maximum`, 'maximum'],
    ['one step above the minimum', `${at}/1/minimum`, 'minimum'],
  ]);
});

test('the mark is the end of a text of a given length, so that names stay unique', () => {
  const schema = { type: 'object', required: ['name'], properties: { name: { type: 'string', maxLength: 12 } } };
  const [longest] = classesIn({ body: schema, value: { name: 'a' } });
  expect(longest?.make('q1')).toBe('xxxxxxxxxxq1');
});

test.each([
  {
    name: 'one of two bounds that users choose',
    schema: { type: 'integer', maximum: 9 },
    parameter: 'price_min',
    isNamed: false,
  },
  { name: 'any other bound', schema: { type: 'integer', maximum: 9 }, parameter: 'price', isNamed: true },
  { name: 'a text of a pattern', schema: { type: 'string', pattern: '^[a-c]+$' }, parameter: 'code', isNamed: false },
])('whether the contract names the very value: $name', ({ schema, parameter, isNamed }) => {
  const classes = classesIn({ parameters: [query(parameter, schema)] });
  expect(classes.length).toBeGreaterThan(0);
  expect(classes.every((one) => one.isNamed === isNamed)).toBe(true);
});

test.each([
  { pattern: '^[^/]+$', want: [true] },
  // A reader that counts UTF-16 units rejects the text by the pattern.
  { pattern: '^[^/]{1,20}$', want: [false] },
  { pattern: '^[^/]{8,}$', want: [false] },
  { pattern: '^[ -~]+$', want: [] },
])('whether the contract names the longest text beyond ASCII of $pattern', ({ pattern, want }) => {
  const classes = classesIn({ body: { type: 'string', pattern, maxLength: 20 }, value: 'a name' });
  expect(classes.filter(({ how }) => how.startsWith('longest, of')).map(({ isNamed }) => isNamed)).toEqual(want);
});

test('values too large to send are named, with the reason', () => {
  const schema = { type: 'object', required: ['note'], properties: { note: { type: 'string', maxLength: 100_000 } } };
  const omitted = classesIn({ body: schema, value: { note: 'a' } }).map(({ how, omitted }) => [how, omitted]);
  expect(omitted).toEqual([
    ['longest', 'values of more than 8192 bytes are not sent'],
    ['one character below the longest', 'values of more than 8192 bytes are not sent'],
  ]);
});

test('optional parts that a request lacks get a plain value', () => {
  const body = {
    type: 'object',
    properties: { a: { type: 'integer', minimum: 3 }, b: { type: 'object', properties: { c: { enum: ['x'] } } } },
  };
  const { tools, options } = draftOf({ parameters: [query('page', { type: 'integer', minimum: 1 })], body, value: {} });
  const complete = absentParts(tools, options).reduce(applyChange, options.draft);
  expect([complete.parameters.map(({ value }) => value), complete.body?.value]).toEqual([[1], { a: 3, b: { c: 'x' } }]);
});

test('a part left out leaves no gap', () => {
  const { options } = draftOf({ body: {}, value: { a: 1, b: { c: 2, d: 3 } } });
  const changed = applyChange(options.draft, { part: { kind: 'body', at: '/b/c' }, value: undefined });
  expect(changed.body?.value).toEqual({ a: 1, b: { d: 3 } });
});

test.each<[string, string, boolean]>([
  ['/a', '/a/b', true],
  ['/a', '/ab', false],
  ['', '/a', true],
])('whether %j contains %j', (a, b, want) => {
  const part = (at: string): RequestPart => ({ kind: 'body', at });
  expect(overlaps(part(a), part(b))).toBe(want);
});
