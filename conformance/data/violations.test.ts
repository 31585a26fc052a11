import { describe, expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import { createJudge } from '../schema/create-judge.ts';
import { formats } from '../schema/formats.ts';
import type { Wire } from './break-scalar.ts';
import { type Violating, violationsOf } from './violations.ts';

const now = Date.parse('2026-04-01T09:30:00Z');
const pointer = '#/components/schemas/S';

interface Given {
  readonly schema: unknown;
  readonly accepted?: unknown;
  readonly wire?: Wire;
  readonly more?: Record<string, unknown>;
  readonly openapi?: string;
}

function readGiven({ schema, more = {}, openapi = '3.1.0' }: Given) {
  const document = {
    openapi,
    info: { title: 'T', version: '1' },
    paths: { '/a': { get: { responses: {} } } },
    components: { schemas: { S: schema, ...more } },
  };
  const contract = readContract('api.json', JSON.stringify(document));
  const judge = createJudge(contract);
  return { contract, judge, now, tag: 'conform-1', seed: 1 };
}

function violations(given: Given): Violating[] {
  return [...violationsOf(readGiven(given), pointer, given.accepted, given.wire ?? 'json')];
}

/** The values that break one keyword: its place unless it is the root, the way, and the value at the place. */
function linesOf(given: Given, keyword: string): string[] {
  return violations(given)
    .filter((one) => one.keyword === keyword)
    .map(({ at, how, value }) => `${at === '' ? '' : `${at}: `}${how}: ${JSON.stringify(value)}`);
}

const member = (schema: unknown): unknown => ({ type: 'object', properties: { a: schema } });

describe('each keyword is broken at its place', () => {
  test.each<Given & { keyword: string; want: readonly string[] }>([
    {
      keyword: 'required',
      schema: { type: 'object', required: ['a', 'b'], properties: { a: { type: 'integer' }, b: { type: 'integer' } } },
      accepted: { a: 3, b: 4, c: 5 },
      want: ['without "a": {"b":4,"c":5}', 'without "b": {"a":3,"c":5}'],
    },
    {
      keyword: 'type',
      schema: { type: 'string' },
      want: [
        'an object instead of a text: {"word":1}',
        'a list instead of a text: ["word"]',
        'a number instead of a text: 12',
        'a boolean instead of a text: true',
        'null instead of a text: null',
      ],
    },
    {
      keyword: 'type',
      schema: { type: ['integer', 'null'] },
      accepted: 7,
      want: [
        'a text instead of a number: "7x"',
        'a fraction instead of an integer: 7.5',
        'an object instead of a number: {"word":1}',
        'a list instead of a number: ["word"]',
        'a boolean instead of a number: true',
      ],
    },
    {
      keyword: 'type',
      schema: { type: 'integer' },
      wire: 'text',
      want: [
        'a text instead of a number: "1x"',
        'a fraction instead of an integer: 1.5',
        'a word instead of a number: "word"',
      ],
    },
    {
      keyword: 'type',
      schema: { type: ['number', 'null'] },
      accepted: null,
      want: [
        'a text instead of a number: "word"',
        'an object instead of a number: {"word":1}',
        'a list instead of a number: ["word"]',
        'a boolean instead of a number: true',
      ],
    },
    {
      keyword: 'type',
      schema: { type: 'number' },
      accepted: -0.5,
      wire: 'text',
      want: ['a text instead of a number: "-0.5x"', 'a word instead of a number: "word"'],
    },
    { keyword: 'type', schema: { type: 'boolean' }, wire: 'text', want: ['a text instead of a boolean: "word"'] },
    { keyword: 'type', schema: { type: 'string' }, wire: 'text', want: [] },
    { keyword: 'type', schema: { type: ['integer', 'string'] }, wire: 'text', want: [] },
    {
      keyword: 'type',
      schema: { type: 'array', items: { type: 'integer' } },
      accepted: [3, 4, 5],
      wire: 'text',
      want: [
        '/0: a text instead of a number: ["3x",4,5]',
        '/0: a fraction instead of an integer: [3.5,4,5]',
        '/1: a text instead of a number: [3,"4x",5]',
        '/2: a text instead of a number: [3,4,"5x"]',
        '/0: a word instead of a number: ["word",4,5]',
        '/1: a fraction instead of an integer: [3,4.5,5]',
        '/2: a fraction instead of an integer: [3,4,5.5]',
        '/1: a word instead of a number: [3,"word",5]',
        '/2: a word instead of a number: [3,4,"word"]',
      ],
    },
    {
      keyword: 'enum',
      schema: { enum: ['hourly', 'daily'] },
      accepted: 'daily',
      want: [
        'none of the allowed values: "none-of-these"',
        'an allowed value in the other case: "DAILY"',
        'the start of an allowed value: "dail"',
        'an object instead of an allowed value: {"word":1}',
      ],
    },
    {
      keyword: 'enum',
      schema: { enum: ['1', '10'] },
      wire: 'text',
      want: ['none of the allowed values: "none-of-these"', 'an empty text: ""'],
    },
    { keyword: 'enum', schema: { enum: [1, 2] }, wire: 'text', want: ['none of the allowed values: 3'] },
    {
      keyword: 'const',
      schema: { const: true },
      want: ['none of the allowed values: false', 'an object instead of an allowed value: {"word":1}'],
    },
    { keyword: 'minimum', schema: { type: 'integer', minimum: 1 }, want: ['one step below the minimum: 0'] },
    { keyword: 'minimum', schema: { type: 'integer', minimum: 0.5 }, want: ['below the minimum: 0'] },
    { keyword: 'minimum', schema: { type: 'number', minimum: 0.3 }, want: ['one step below the minimum: 0.2'] },
    { keyword: 'maximum', schema: { multipleOf: 0.1, maximum: 0.3 }, want: ['one step above the maximum: 0.4'] },
    { keyword: 'maximum', schema: { type: 'integer', multipleOf: 7, maximum: 20 }, want: ['above the maximum: 21'] },
    { keyword: 'maximum', schema: { type: 'integer', maximum: 2 ** 53 }, want: [] },
    {
      keyword: 'exclusiveMinimum',
      schema: { type: 'integer', exclusiveMinimum: 4 },
      want: ['at the exclusive minimum: 4', 'one step beyond the exclusive minimum: 3'],
    },
    {
      keyword: 'exclusiveMinimum',
      schema: { type: 'integer', minimum: 4, exclusiveMinimum: true },
      openapi: '3.0.3',
      want: ['at the exclusive minimum: 4', 'one step beyond the exclusive minimum: 3'],
    },
    { keyword: 'multipleOf', schema: { type: 'integer', multipleOf: 10 }, accepted: 20, want: ['half a multiple: 25'] },
    { keyword: 'multipleOf', schema: { multipleOf: 0.01 }, accepted: 4.35, want: ['half a multiple: 4.355'] },
    {
      keyword: 'minLength',
      schema: { type: 'string', minLength: 3 },
      accepted: '😀bcd',
      want: ['one shorter than the least length: "😀b"'],
    },
    { keyword: 'minLength', schema: { type: 'string', minLength: 1 }, want: ['one shorter than the least length: ""'] },
    {
      keyword: 'maxLength',
      schema: { type: 'string', maxLength: 4 },
      accepted: 'abc',
      want: ['one longer than the greatest length: "abccc"'],
    },
    {
      keyword: 'maxLength',
      schema: { type: 'string', maxLength: 4, pattern: '^\\d+$' },
      accepted: '123',
      want: ['one longer than the greatest length: "99267"'],
    },
    {
      keyword: 'maxLength',
      schema: { type: 'string', maxLength: 4 },
      accepted: 'e\u0301', // NFC makes one character of both.
      want: ['one longer than the greatest length: "xxxxx"'],
    },
    {
      keyword: 'maxLength',
      schema: { type: 'string', maxLength: 2 },
      accepted: ' b',
      want: ['one longer than the greatest length: "xxx"'],
    },
    {
      keyword: 'pattern',
      schema: { type: 'string', pattern: '^[A-Z]{2}$' },
      accepted: 'DE',
      want: [
        'a character outside the pattern: "!E"',
        'a letter in the other case: "dE"',
        'one repetition too many: "ZZH"',
        'one repetition too few: "Z"',
        'a match with one character after it: "DE!"',
        'a match with one character before it: "!DE"',
        'an empty text: ""',
      ],
    },
    {
      keyword: 'pattern',
      schema: { type: 'string', pattern: 'x' },
      accepted: 'axb',
      want: ['a character outside the pattern: "a!b"', 'a letter in the other case: "aXb"', 'an empty text: ""'],
    },
    {
      keyword: 'format',
      schema: { type: 'string', format: 'date' },
      want: [
        'a word as date: "tomorrow"',
        '30 February as date: "2026-02-30"',
        'a day in month 13 as date: "2026-13-01"',
      ],
    },
    {
      keyword: 'format',
      schema: { type: 'string', format: 'date-time' },
      want: [
        'a word as date-time: "tomorrow"',
        'a date as date-time: "2026-03-01"',
        'a time on 30 February as date-time: "2026-02-30T12:00:00Z"',
      ],
    },
    { keyword: 'format', schema: { type: 'string', format: 'int32' }, want: [] },
    {
      keyword: 'minItems',
      schema: { type: 'array', minItems: 2 },
      accepted: [1, 2, 3],
      want: ['one item too few: [1]'],
    },
    {
      keyword: 'maxItems',
      schema: { type: 'array', maxItems: 2, items: { type: 'integer' } },
      accepted: [8],
      want: ['one item too many: [8,1,1]'],
    },
    {
      keyword: 'uniqueItems',
      schema: { type: 'array', uniqueItems: true },
      accepted: [1, 2],
      want: ['an item twice: [1,2,1]'],
    },
    {
      keyword: 'uniqueItems',
      schema: { type: 'array', uniqueItems: true, maxItems: 2 },
      accepted: [1, 2],
      want: ['an item twice: [1,1]'],
    },
    {
      keyword: 'contains',
      schema: { type: 'array', contains: { const: 7 }, minContains: 2 },
      accepted: [7, 7, 1],
      want: ['too few items that contains asks for: [7,1]'],
    },
    {
      keyword: 'maxContains',
      schema: { type: 'array', contains: { const: 7 }, maxContains: 2 },
      accepted: [7],
      want: ['too many items that contains counts: [7,7,7]'],
    },
    {
      keyword: 'items',
      schema: { type: 'array', prefixItems: [{ type: 'integer' }], items: false },
      accepted: [1],
      want: ['an item after the last declared one: [1,"conform-1"]'],
    },
    {
      keyword: 'additionalProperties',
      schema: { ...Object(member({ type: 'integer' })), additionalProperties: false },
      accepted: { a: 1 },
      want: ['an undeclared property: {"a":1,"undeclared":true}'],
    },
    { keyword: 'additionalProperties', schema: member({ type: 'integer' }), want: [] },
    {
      keyword: 'unevaluatedProperties',
      schema: { allOf: [member({ type: 'integer' })], unevaluatedProperties: false },
      accepted: { a: 1 },
      want: ['an undeclared property: {"a":1,"undeclared":true}'],
    },
    {
      keyword: 'propertyNames',
      schema: { type: 'object', propertyNames: { pattern: '^[a-z]+$' } },
      accepted: { a: 1 },
      want: ['an invalid name of a property: {"a":1,"UNDECLARED":"conform-1"}'],
    },
    {
      keyword: 'minProperties',
      schema: { type: 'object', minProperties: 2, required: ['b'] },
      accepted: { a: 1, b: 2, c: 3 },
      want: ['one property too few: {"b":2}'],
    },
    {
      keyword: 'maxProperties',
      schema: { type: 'object', maxProperties: 2 },
      accepted: { a: 1 },
      want: ['one property too many: {"a":1,"key0":"conform-1","key1":"conform-1"}'],
    },
    {
      keyword: 'dependentRequired',
      schema: { type: 'object', dependentRequired: { a: ['b', 'c'] } },
      accepted: { a: 1, b: 2, c: 3 },
      want: ['"a" without "b": {"a":1,"c":3}', '"a" without "c": {"a":1,"b":2}'],
    },
    {
      keyword: 'anyOf',
      schema: { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      want: ['no branch of anyOf holds: {}'],
    },
    {
      keyword: 'oneOf',
      schema: { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      want: ['no branch of oneOf holds: {}', 'two branches of oneOf hold: {"a":"conform-1","b":"conform-1"}'],
    },
    {
      keyword: 'not',
      schema: { type: 'object', not: { required: ['x'] } },
      want: ['the excluded schema holds: {"x":"conform-1"}'],
    },
    {
      keyword: 'required',
      schema: {
        type: 'object',
        properties: { k: { enum: ['a', 'b'] } },
        if: { properties: { k: { const: 'b' } }, required: ['k'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: ['x'] },
        else: { required: ['y'] },
      },
      accepted: { k: 'a', y: 1 },
      want: ['without "x": {"k":"b"}', 'without "y": {"k":"a"}'],
    },
  ])('$keyword of $schema on $wire', ({ keyword, want, ...given }) => {
    expect(linesOf(given, keyword)).toEqual(want);
  });
});

describe('every place is reached', () => {
  test.each<Given & { name: string; keyword: string; want: readonly string[] }>([
    {
      name: 'properties that the accepted value lacks are added with all that they need',
      keyword: 'minimum',
      schema: member({
        type: 'object',
        required: ['n'],
        properties: { n: { type: 'string' }, b: { type: 'array', items: member({ type: 'integer', minimum: 1 }) } },
      }),
      accepted: { z: 1 },
      want: ['/a/b/0/a: one step below the minimum: {"z":1,"a":{"n":"nconform1","b":[{"a":0}]}}'],
    },
    {
      name: 'a property with a dependency is added with it',
      keyword: 'minimum',
      schema: { ...Object(member({ type: 'integer', minimum: 1 })), dependentRequired: { a: ['b'] } },
      accepted: {},
      want: ['/a: one step below the minimum: {"a":0,"b":"conform-1"}'],
    },
    {
      name: 'null is replaced by a value that the keyword applies to',
      keyword: 'maxLength',
      schema: member({ type: ['string', 'null'], maxLength: 2 }),
      accepted: { a: null },
      want: ['/a: one longer than the greatest length: {"a":"acc"}'],
    },
    {
      name: 'members of a map',
      keyword: 'maximum',
      schema: { type: 'object', additionalProperties: { type: 'integer', maximum: 9 } },
      want: ['/key: one step above the maximum: {"key":10}'],
    },
    {
      name: 'members with a pattern',
      keyword: 'maximum',
      schema: { type: 'object', patternProperties: { '^x-$': { type: 'integer', maximum: 9 } } },
      want: ['/x-: one step above the maximum: {"x-":10}'],
    },
    {
      name: 'fixed items',
      keyword: 'maximum',
      schema: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer', maximum: 9 }] },
      accepted: ['a'],
      want: ['/1: one step above the maximum: ["conform1",10]'],
    },
    {
      name: 'every branch of anyOf',
      keyword: 'maximum',
      schema: { anyOf: [member({ type: 'integer', maximum: 9 }), { type: 'integer', maximum: 3 }] },
      accepted: { a: 5 },
      want: ['one step above the maximum: 4', '/a: one step above the maximum: {"a":10}'],
    },
    {
      name: 'a branch next to null',
      keyword: 'maximum',
      schema: member({ anyOf: [{ $ref: '#/components/schemas/N' }, { type: 'null' }] }),
      more: { N: { type: 'integer', maximum: 9 } },
      accepted: { a: null },
      want: ['/a: one step above the maximum: {"a":10}'],
    },
    {
      name: 'a condition, its consequence and a forbidden property',
      keyword: 'not',
      schema: {
        ...Object(member({ enum: [1, 2] })),
        if: { properties: { a: { const: 1 } } },
        else: { properties: { b: { not: {} } } },
      },
      accepted: { a: 1, b: 5 },
      want: ['/b: "b", which is forbidden here: {"a":2,"b":"conform1"}'],
    },
    {
      name: 'a dependent schema',
      keyword: 'maximum',
      schema: { type: 'object', dependentSchemas: { b: member({ type: 'integer', maximum: 9 }) } },
      accepted: {},
      want: ['/a: one step above the maximum: {"b":"conform-1","a":10}'],
    },
    {
      name: 'a schema that contains itself, at its first occurrence',
      keyword: 'maximum',
      schema: { ...Object(member({ $ref: pointer })), type: ['object', 'integer'], maximum: 9 },
      want: ['one step above the maximum: 10'],
    },
    {
      name: 'the branch that a discriminator names',
      keyword: 'maximum',
      schema: {
        oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
        discriminator: { propertyName: 'kind' },
      },
      more: {
        Cat: { type: 'object', required: ['kind'], properties: { kind: { const: 'Cat' }, a: { maximum: 9 } } },
        Dog: { type: 'object', required: ['kind'], properties: { kind: { const: 'Dog' }, a: { maximum: 5 } } },
      },
      want: [
        '/a: one step above the maximum: {"kind":"Cat","a":10}',
        '/a: one step above the maximum: {"kind":"Dog","a":6}',
      ],
    },
  ])('$name', ({ keyword, want, ...given }) => {
    expect(linesOf(given, keyword)).toEqual(want);
  });
});

describe('a value is not yielded if some reader accepts it', () => {
  test.each<Given & { name: string; keyword: string; want: readonly string[] }>([
    {
      name: 'a text that a lenient reader of its format accepts: "12:00"',
      keyword: 'minLength',
      schema: {
        anyOf: [
          { type: 'string', minLength: 6 },
          { type: 'string', format: 'time' },
        ],
      },
      accepted: '12:00:00',
      want: ['one shorter than the least length: "xxxxx"'],
    },
    {
      name: 'an object without a property that requests omit',
      keyword: 'required',
      schema: { type: 'object', required: ['a'], properties: { a: { readOnly: true } } },
      want: [],
    },
    {
      name: 'a value that breaks a sibling of a reference in OpenAPI 3.0',
      keyword: 'maxLength',
      openapi: '3.0.3',
      schema: { $ref: '#/components/schemas/N', maxLength: 3 },
      more: { N: { type: 'string' } },
      want: [],
    },
    {
      name: 'a number that is a text on the wire',
      keyword: 'minimum',
      schema: { anyOf: [{ type: 'integer', minimum: 5 }, { type: 'string' }] },
      wire: 'text',
      want: [],
    },
    {
      name: 'an empty list on the wire',
      keyword: 'minItems',
      schema: { type: 'array', minItems: 1 },
      wire: 'text',
      want: [],
    },
    {
      name: 'null where two branches are `nullable`',
      keyword: 'oneOf',
      openapi: '3.0.3',
      schema: {
        oneOf: [
          { type: 'string', nullable: true },
          { type: 'integer', nullable: true },
        ],
      },
      want: ['no branch of oneOf holds: true'],
    },
    {
      name: 'null where OpenAPI 3.1 has no `nullable`',
      keyword: 'type',
      schema: { type: 'boolean', nullable: true },
      want: [
        'a text instead of a boolean: "word"',
        'an object instead of a boolean: {"word":1}',
        'a list instead of a boolean: ["word"]',
        'a number instead of a boolean: 12',
      ],
    },
  ])('$name', ({ keyword, want, ...given }) => {
    expect(linesOf(given, keyword)).toEqual(want);
  });
});

describe('a bounded repetition of a pattern is broken by one more and one fewer', () => {
  test.each<{ schema: object; accepted?: string; want: readonly string[] }>([
    { schema: { pattern: '^[a-z]{3,5}$' }, want: ['many: "zzhpsl"', 'few: "zz"'] },
    { schema: { pattern: '^[a-z]{3,}$' }, want: ['few: "zz"'] },
    { schema: { pattern: '^[a-z]{0,3}$' }, want: ['many: "zzhp"'] },
    { schema: { pattern: '^K[0-9]{2}-$' }, want: ['many: "K926-"', 'few: "K9-"'] },
    { schema: { pattern: '^[A-Z]{2}-[0-9]{2}$' }, want: ['many: "ZZ-674"', 'few: "ZZ-6"'] },
    // Both repetitions could be the one that a server counts.
    { schema: { pattern: '^[A-Z]{2}-[0-9]{2}x$' }, want: [] },
    // A longer text has a match too.
    { schema: { pattern: '[a-z]{3,5}' }, want: ['few: "zz"'] },
    { schema: { pattern: '^[a-z]{3,5}$', maxLength: 5, minLength: 3 }, want: [] },
    { schema: { pattern: '^a\\{3}$' }, want: [] },
    { schema: { pattern: '^x\\u{20}$' }, want: [] },
  ])('$schema', ({ schema, want }) => {
    const lines = linesOf({ schema: { type: 'string', ...schema } }, 'pattern');
    expect(
      lines.filter((line) => line.startsWith('one rep')).map((line) => line.replace('one repetition too ', '')),
    ).toEqual(want);
  });
});

test('a later way that many servers accept is marked', () => {
  const likely = (given: Given) =>
    violations(given).flatMap(({ isLikely, turn, at, how }) => (isLikely ? [`${turn} ${at} ${how}`] : []));
  expect(likely({ schema: { enum: ['up', 'down'] }, wire: 'text' })).toEqual(['1  an empty text']);
  expect(likely({ schema: { type: 'string', pattern: '^[a-z]{2,4}$' } })).toEqual([
    ...['1  a letter in the other case', '2  one repetition too many', '3  one repetition too few'],
  ]);
  const list = { type: 'array', items: { type: 'integer', maximum: 9 } };
  expect(likely({ schema: list, accepted: [1, 2, 3], wire: 'text' })).toEqual([
    '1 /1 a text instead of a number',
    '1 /1 one step above the maximum',
  ]);
  expect(likely({ schema: list, accepted: [1, 2, 3] })).toEqual([]);
});

test('each format that is judged has a text that no reader accepts', () => {
  for (const format of Object.keys(formats))
    expect(linesOf({ schema: { type: 'string', format } }, 'format')[0], format).toMatch(/^(a word|words)/);
});

test('each keyword is broken once, the gravest first, before any is broken in a second way', () => {
  const schema = {
    type: 'object',
    required: ['b', 'a'],
    properties: { a: { type: 'string', minLength: 1, pattern: 'x' }, b: { type: 'integer', minimum: 1 } },
  };
  const found = violations({ schema }).map(({ keyword, at, turn }) => `${turn} ${keyword} ${at}`);
  expect(found.slice(0, 10)).toEqual([
    ...['0 required ', '0 required ', '0 type ', '0 type /a', '0 type /b', '0 minimum /b', '0 minLength /a'],
    ...['0 pattern /a', '1 type ', '1 type /a'],
  ]);
});

test('the same arguments yield the same values', () => {
  const given = { schema: member({ type: 'string', pattern: '^[a-z]{3,9}$', maxLength: 8, enum: ['abc', 'xyz'] }) };
  expect(violations(given)).toEqual(violations(given));
});

describe('a hostile schema neither stops nor stalls', () => {
  const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`p${index}`, { type: 'integer' }]));
  const deep = (levels: number): unknown => (levels === 0 ? { type: 'integer' } : member(deep(levels - 1)));
  const self = { $ref: pointer };
  test.each<[string, Given]>([
    ['10,000 properties', { schema: { type: 'object', properties: wide } }],
    ['200 levels', { schema: deep(200) }],
    [
      'six references to itself',
      {
        schema: {
          anyOf: [
            { type: 'integer' },
            ...Array.from({ length: 6 }, () => ({ type: 'array', minItems: 2, items: self })),
          ],
        },
      },
    ],
    ['a schema that requires itself', { schema: { type: 'object', required: ['a'], properties: { a: self } } }],
    ['no value at all', { schema: { type: 'string', allOf: [{ type: 'integer' }] } }],
    ['an exponential pattern', { schema: { type: 'string', pattern: '^(a|a)*(b|b)*\\1$', minLength: 30 } }],
    ['a pattern that does not compile', { schema: { type: 'string', pattern: '(' } }],
    [
      'immense limits',
      { schema: { type: 'array', maxItems: 1e9, items: { type: 'string', maxLength: 1e9, minLength: 1e5 } } },
    ],
    ['a bound beyond exact numbers', { schema: { type: 'number', maximum: 1e308, minimum: -1e308, multipleOf: 1e-9 } }],
    ['names of the prototype', { schema: { type: 'object', required: ['__proto__', 'constructor'] } }],
  ])('%s', (_, given) => {
    const { judge, ...tools } = readGiven(given);
    for (const { value } of violationsOf({ ...tools, judge }, pointer, undefined, 'json').take(60))
      expect(judge.accepts(pointer, 'request', value)).toBe(false);
  });
});
