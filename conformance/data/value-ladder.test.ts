import { describe, expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import { createJudge } from '../schema/create-judge.ts';
import { type Candidate, valueLadder } from './value-ladder.ts';

const now = Date.parse('2026-04-01T09:30:00Z');

function climb(schema: unknown, examples: readonly unknown[] = [], seed = 1): Candidate[] {
  const document = {
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: { '/a': { get: { responses: {} } } },
    components: { schemas: { S: schema } },
  };
  const contract = readContract('api.json', JSON.stringify(document));
  const ladder = valueLadder(
    { contract, judge: createJudge(contract), now, tag: 'conform-1', seed },
    '#/components/schemas/S',
    examples,
  );
  const found: Candidate[] = [];
  for (let item = ladder.at(0); item !== undefined && found.length < 30; item = ladder.at(found.length))
    found.push(item);
  return found;
}

describe('a valid value is built without any example', () => {
  const rows: readonly [string, unknown][] = [
    ['bounds', { type: 'integer', exclusiveMinimum: 9, maximum: 12, multipleOf: 5 }],
    ['decimals', { type: 'number', minimum: 0.15, multipleOf: 0.1 }],
    ['a number beneath zero', { type: 'number', maximum: -3 }],
    ['lengths', { type: 'string', minLength: 30, maxLength: 31 }],
    ['a pattern', { type: 'string', pattern: '^[A-Z]{3}-\\d{4}$' }],
    ['a pattern with a length', { type: 'string', pattern: '^[a-f0-9]+$', minLength: 24, maxLength: 24 }],
    ['a pattern that only searches', { type: 'string', pattern: 'x\\d' }],
    ['a time with a pattern', { type: 'string', format: 'date-time', pattern: '\\.\\d{3}Z$' }],
    [
      'formats',
      {
        type: 'object',
        required: ['a', 'b', 'c', 'd'],
        properties: {
          a: { type: 'string', format: 'uuid' },
          b: { type: 'string', format: 'email' },
          c: { type: 'string', format: 'uri' },
          d: { type: 'string', format: 'date' },
        },
      },
    ],
    ['allOf', { allOf: [{ type: 'object', required: ['a'] }, { properties: { a: { type: 'integer', minimum: 7 } } }] }],
    ['unique items', { type: 'array', minItems: 3, uniqueItems: true, items: { enum: ['a', 'b', 'c'] } }],
    [
      'the else of a condition',
      {
        type: 'object',
        required: ['k'],
        properties: { k: { enum: ['a'] } },
        if: { properties: { k: { const: 'b' } } },
        else: { required: ['x'], properties: { x: { type: 'integer' } } },
      },
    ],
    ['a later branch', { oneOf: [{ type: 'string', not: {} }, { type: 'integer' }] }],
    [
      'a schema that contains itself',
      { type: 'object', properties: { next: { $ref: '#/components/schemas/S' }, n: { type: 'integer' } } },
    ],
    ['null alone', { type: 'null' }],
    ['a least number of properties', { type: 'object', minProperties: 1, properties: { a: { type: 'string' } } }],
    [
      'JSON in a text',
      {
        type: 'string',
        contentMediaType: 'application/json',
        contentSchema: { type: 'object', required: ['a'], properties: { a: { type: 'boolean' } } },
      },
    ],
  ];
  test.each(rows)('%s', (_, schema) => {
    for (const seed of [1, 2, 3]) expect(climb(schema, [], seed).length).toBeGreaterThan(0);
  });
});

test('a schema behind many references is built like any other', () => {
  const at = (index: number): string => `#/components/schemas/S/$defs/d${index}`;
  const links = Array.from({ length: 12 }, (_, index) => [`d${index}`, { $ref: at(index + 1) }] as const);
  const schema = { $ref: at(0), $defs: { ...Object.fromEntries(links), d12: { type: 'integer', minimum: 7 } } };
  expect(climb(schema).map(({ value }) => value)).toContain(7);
});

describe('a schema that contains itself', () => {
  const self = { $ref: '#/components/schemas/S' };
  const complete = (schema: unknown): unknown => climb(schema).find(({ label }) => label === 'polite, complete')?.value;
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

  const optional: readonly [string, unknown][] = [
    ['by a property', { type: 'object', properties: { next: self } }],
    ['by its items', { type: 'array', items: self }],
    ['by the items of a property', { type: 'object', properties: { list: { type: 'array', items: self } } }],
  ];
  test.each(optional)('%s is built six levels below the first, no deeper', (_, schema) => {
    expect(depthOf(complete(schema))).toBe(7);
  });

  const required: readonly [string, unknown][] = [
    ['or null', { type: 'object', required: ['next'], properties: { next: { anyOf: [self, { type: 'null' }] } } }],
    ['after text', { oneOf: [{ type: 'string' }, { type: 'object', required: ['not'], properties: { not: self } }] }],
    [
      'before a leaf',
      {
        oneOf: [
          { type: 'object', required: ['and'], properties: { and: { type: 'array', minItems: 2, items: self } } },
          { type: 'object', required: ['is'], properties: { is: { type: 'string' } } },
        ],
      },
    ],
  ];
  test.each(required)('as what is required, %s, ends in another branch', (_, schema) => {
    const found = climb(schema);
    expect(found.map(({ value }) => depthOf(value)).some((depth) => depth > 2)).toBe(true);
  });

  const endless: readonly [string, unknown][] = [
    ['a required property', { type: 'object', required: ['next'], properties: { next: self } }],
    ['two required properties', { type: 'object', required: ['a', 'b'], properties: { a: self, b: self } }],
    ['a least number of items', { type: 'array', minItems: 1, items: self }],
    ['a least number of properties', { type: 'object', minProperties: 1, properties: { next: self } }],
  ];
  test.each(endless)('by %s, so that no finite value is valid, gives none', (_, schema) => {
    expect(climb(schema)).toEqual([]);
  });

  test('as JSON in a text is built six levels below the first, no deeper', () => {
    const [first] = climb({ type: 'string', contentMediaType: 'application/json', contentSchema: self });
    let text = first?.value;
    let levels = 0;
    for (; typeof text === 'string' && text.startsWith('"'); levels += 1) text = JSON.parse(text);
    expect([levels, text]).toEqual([7, 'conform-1']);
  });

  test('six times is built in part: all of it would be 55,987 objects', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const schema = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, self])) };
    const text = JSON.stringify(complete(schema));
    expect(text.length).toBeGreaterThan(1_000);
    expect(text.length).toBeLessThan(50_000);
  });
});

test('the same seed draws the same, another seed another', () => {
  const schema = { type: 'string', pattern: '^[A-Z]{8}-[0-9]{8}$' };
  expect(climb(schema, [], 5)).toEqual(climb(schema, [], 5));
  expect(climb(schema, [], 6)).not.toEqual(climb(schema, [], 5));
});

test('an example comes first, then the same moved to the present; an invalid one is left out', () => {
  const schema = {
    type: 'object',
    properties: { from: { type: 'string', format: 'date-time' }, n: { type: 'integer' } },
  };
  const given = [{ from: '2020-01-31T23:00:00+01:00', n: 1 }, { n: 'x' }];
  expect(climb(schema, given).slice(0, 3)).toEqual([
    { label: 'example', value: given[0] },
    { label: 'example moved to the present', value: { from: '2026-04-02T23:00:00+01:00', n: 1 } },
    { label: 'examples of properties', value: {} },
  ]);
});

test('no value comes twice, whatever the order of its members', () => {
  const schema = { type: 'object', required: ['a', 'b'], properties: { a: { const: 1 }, b: { const: 2 } } };
  expect(
    climb(schema, [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
      { a: 1, b: 2 },
    ]),
  ).toEqual([{ label: 'example', value: { a: 1, b: 2 } }]);
});

test('recipes of rules replace what an example has, in order, in the spelling of the schema', () => {
  const time = { type: 'string', format: 'date-time', pattern: '\\+00:00$' };
  const schema = {
    type: 'object',
    properties: {
      end: { ...time, 'x-rule': { code: 'e', says: 'later', good: { from: '/start', add: 'P1D' } } },
      start: { ...time, 'x-rule': { code: 's', says: 'soon', good: { from: 'now', add: 'PT2H', round: 'PT1H' } } },
    },
  };
  const [first] = climb(schema, [{ start: '2000-01-01T00:00:00+00:00', end: '2000-01-01T00:00:00+00:00' }]);
  expect(first?.value).toEqual({ start: '2026-04-01T11:00:00+00:00', end: '2026-04-02T11:00:00+00:00' });
});
