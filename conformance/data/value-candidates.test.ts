import { describe, expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import { createJudge } from '../schema/create-judge.ts';
import { bodyCandidates, type Candidate, valueCandidates } from './value-candidates.ts';

const now = Date.parse('2026-04-01T09:30:00Z');

function candidatesOf(
  schema: unknown,
  examples: readonly unknown[] = [],
  seed = 1,
  more: Record<string, unknown> = {},
  problems: string[] = [],
): Candidate[] {
  const document = {
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: { '/a': { get: { responses: {} } } },
    components: { schemas: { S: schema, ...more } },
  };
  const contract = readContract('api.json', JSON.stringify(document));
  const judge = createJudge(contract);
  const tools = { contract, judge, now, tag: 'conform-1', seed };
  const candidates = valueCandidates(tools, '#/components/schemas/S', examples);
  const found: Candidate[] = [];
  for (let item = candidates.at(0); item !== undefined && found.length < 30; item = candidates.at(found.length))
    found.push(item);
  problems.push(...judge.problems().map(({ pointer, message }) => `${pointer}: ${message}`));
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
    ['many unique numbers', { type: 'array', minItems: 40, uniqueItems: true, items: { type: 'integer' } }],
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
    ['a map with a least size', { type: 'object', minProperties: 3, additionalProperties: { type: 'integer' } }],
    [
      'names by a pattern alone',
      {
        type: 'object',
        minProperties: 2,
        patternProperties: { '^x-[a-z]{2}$': { type: 'integer' } },
        additionalProperties: false,
      },
    ],
    ['names by a rule', { type: 'object', minProperties: 2, propertyNames: { pattern: '^[A-Z]{3}$' } }],
    ['names out of a list', { type: 'object', minProperties: 2, propertyNames: { enum: ['a', 'b'] } }],
    ['fixed items', { type: 'array', minItems: 2, prefixItems: [{ type: 'integer' }, { enum: ['x'] }], items: false }],
    ['something contained', { type: 'array', contains: { const: 7 }, minContains: 2, maxContains: 3, minItems: 5 }],
    [
      'two things contained',
      { type: 'array', allOf: [{ contains: { const: 1 } }, { contains: { const: 2 } }], maxItems: 2 },
    ],
    ['an exclusive minimum of OpenAPI 3.0', { type: 'integer', minimum: 5, exclusiveMinimum: true, maximum: 6 }],
    ['more items than anybody reads', { type: 'array', minItems: 200, maxItems: 200, items: { type: 'integer' } }],
    [
      'a condition that holds',
      {
        type: 'object',
        required: ['k'],
        properties: { k: { const: 'b' } },
        if: { properties: { k: { const: 'b' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: ['x'], properties: { x: { type: 'integer' } } },
      },
    ],
    [
      'a name that needs another',
      {
        type: 'object',
        required: ['a'],
        properties: { b: { type: 'integer' } },
        dependentRequired: { a: ['b'], b: ['c'] },
      },
    ],
    [
      'a name that brings a schema',
      {
        type: 'object',
        required: ['a'],
        dependentSchemas: { a: { required: ['n'], properties: { n: { minimum: 9, type: 'integer' } } } },
      },
    ],
    [
      'nothing but what a part describes',
      { allOf: [{ properties: { a: { type: 'integer' } } }], unevaluatedProperties: false, minProperties: 1 },
    ],
    [
      'no items but what a part describes',
      { type: 'array', allOf: [{ prefixItems: [{ type: 'integer' }] }], unevaluatedItems: false, minItems: 1 },
    ],
    ['different booleans', { type: 'array', minItems: 2, uniqueItems: true, items: { type: 'boolean' } }],
    [
      'different numbers',
      { type: 'array', minItems: 5, uniqueItems: true, items: { type: 'integer', minimum: 1, maximum: 5 } },
    ],
    [
      'different objects',
      {
        type: 'array',
        minItems: 3,
        uniqueItems: true,
        items: { type: 'object', required: ['k'], properties: { k: { enum: [1, 2, 3] } }, additionalProperties: false },
      },
    ],
    [
      'different texts',
      { type: 'array', minItems: 4, uniqueItems: true, items: { type: 'string', minLength: 2, maxLength: 2 } },
    ],
    [
      'different texts of a pattern',
      { type: 'array', minItems: 4, uniqueItems: true, items: { type: 'string', pattern: '^[ab]{3}$' } },
    ],
    ['steps of two parts', { allOf: [{ multipleOf: 0.15 }, { multipleOf: 0.1 }], type: 'number', minimum: 0.01 }],
    ['a number that is none of another', { type: 'integer', not: { multipleOf: 2 }, minimum: 2 }],
    ['a number that is no whole one', { type: 'number', not: { type: 'integer' }, minimum: 0, maximum: 2 }],
    ['text that is not another', { type: 'string', pattern: '^[a-c]$', not: { enum: ['a', 'b'] } }],
    ['a text that a pattern must not match', { type: 'string', not: { pattern: '^c' }, minLength: 3 }],
    ['without a property', { type: 'object', required: ['a'], properties: { a: {}, b: {} }, not: { required: ['b'] } }],
    [
      'branches that exclude each other',
      { type: 'object', properties: { a: {}, b: {} }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    ],
    [
      'two properties that differ',
      {
        type: 'object',
        required: ['k'],
        oneOf: [
          { properties: { k: { minimum: 3, type: 'integer' } } },
          { properties: { k: { maximum: 5, type: 'integer' } } },
        ],
      },
    ],
    ['neither of two', { type: ['string', 'integer'], not: { anyOf: [{ type: 'string' }, { minimum: 0 }] } }],
    ['either of two lists', { allOf: [{ enum: ['a', 'b', 1] }, { enum: ['b', 'c', 1] }, { type: 'string' }] }],
    ['bounds without a type', { minimum: 3, maxLength: 2, minItems: 1 }],
    [
      'the name of a prototype',
      { type: 'object', required: ['__proto__', 'constructor'], properties: { constructor: { type: 'integer' } } },
    ],
    [
      'an address that is read only',
      {
        type: 'object',
        required: ['id', 'a'],
        properties: { id: { type: 'string', readOnly: true }, a: { type: 'integer' } },
        additionalProperties: false,
      },
    ],
    ['text of a length beyond any other', { type: 'string', minLength: 70_000 }],
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
    for (const seed of [1, 2, 3]) expect(candidatesOf(schema, [], seed).length).toBeGreaterThan(0);
  });
});

test('a schema behind many references is built like any other', () => {
  const at = (index: number): string => `#/components/schemas/S/$defs/d${index}`;
  const links = Array.from({ length: 12 }, (_, index) => [`d${index}`, { $ref: at(index + 1) }] as const);
  const schema = { $ref: at(0), $defs: { ...Object.fromEntries(links), d12: { type: 'integer', minimum: 7 } } };
  expect(candidatesOf(schema).map(({ value }) => value)).toContain(7);
});

describe('a schema that contains itself', () => {
  const self = { $ref: '#/components/schemas/S' };
  const complete = (schema: unknown): unknown =>
    candidatesOf(schema).find(({ label }) => label === 'polite, complete')?.value;
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
  test.each(required)('a required part, %s, stops in another branch', (_, schema) => {
    const found = candidatesOf(schema);
    expect(found.map(({ value }) => depthOf(value)).some((depth) => depth > 2)).toBe(true);
  });

  const endless: readonly [string, unknown][] = [
    ['a required property', { type: 'object', required: ['next'], properties: { next: self } }],
    ['two required properties', { type: 'object', required: ['a', 'b'], properties: { a: self, b: self } }],
    ['a least number of items', { type: 'array', minItems: 1, items: self }],
    [
      'a least number of properties',
      { type: 'object', minProperties: 1, properties: { next: self }, additionalProperties: false },
    ],
    ['something that it contains', { type: 'array', contains: self }],
    [
      'either of two branches',
      {
        oneOf: [
          { type: 'array', minItems: 1, items: self },
          { type: 'object', required: ['a'], properties: { a: self } },
        ],
      },
    ],
  ];
  test.each(endless)('by %s, so that no finite value is valid, gives none', (_, schema) => {
    expect(candidatesOf(schema)).toEqual([]);
  });

  test('as JSON in a text is built six levels below the first, no deeper', () => {
    const [first] = candidatesOf({ type: 'string', contentMediaType: 'application/json', contentSchema: self });
    let text = first?.value;
    let levels = 0;
    for (; typeof text === 'string' && text.startsWith('"'); levels += 1) text = JSON.parse(text);
    expect([levels, text]).toEqual([7, 'conform-1']);
  });

  test('six times is built in part: the whole would be 55,987 objects', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const schema = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, self])) };
    const text = JSON.stringify(complete(schema));
    expect(text.length).toBeGreaterThan(1_000);
    expect(text.length).toBeLessThan(50_000);
  });
});

describe('a discriminator is set to the name of its branch', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const animal = (type: unknown, more: object) => ({
    type: 'object',
    required: ['type', ...Object.keys(more)],
    properties: { type, ...more },
  });
  const text = { type: 'string' };
  const cat = animal(text, { lives: { type: 'integer' } });
  const dog = animal(text, { name: text });
  const rows: readonly [string, Record<string, unknown>, readonly unknown[]][] = [
    [
      'that the mapping lists',
      {
        S: {
          oneOf: [ref('Cat'), ref('Dog')],
          discriminator: { propertyName: 'type', mapping: { feline: '#/components/schemas/Cat', canine: 'Dog' } },
        },
        Cat: cat,
        Dog: dog,
      },
      ['feline', 'canine'],
    ],
    [
      'or of its schema',
      { S: { oneOf: [ref('Cat'), ref('Dog')], discriminator: { propertyName: 'type' } }, Cat: cat, Dog: dog },
      ['Cat', 'Dog'],
    ],
    [
      'or as its own enum has it',
      {
        S: { anyOf: [ref('Cat'), ref('Dog')], discriminator: { propertyName: 'type' } },
        Cat: animal({ enum: ['cat'] }, {}),
        Dog: animal({ const: 'dog' }, {}),
      },
      ['cat', 'dog'],
    ],
    [
      'of a schema that extends one',
      {
        S: ref('Dog'),
        Animal: { ...animal(text, {}), discriminator: { propertyName: 'type', mapping: { wuff: 'Dog' } } },
        Dog: { allOf: [ref('Animal'), { required: ['name'], properties: { name: text } }] },
      },
      ['wuff'],
    ],
    [
      'of one that extends it',
      {
        S: ref('Animal'),
        Animal: { ...animal(text, {}), discriminator: { propertyName: 'type' } },
        Dog: { allOf: [ref('Animal'), { required: ['name'], properties: { name: text } }] },
        Cat: { allOf: [ref('Animal')] },
      },
      ['Dog', 'Cat'],
    ],
    [
      'where both branches would match',
      {
        S: { oneOf: [ref('A'), ref('B')], discriminator: { propertyName: 'type', mapping: { a: 'A', b: 'B' } } },
        A: animal(text, {}),
        B: animal(text, {}),
      },
      ['a', 'b'],
    ],
  ];
  test.each(rows)('%s', (_, { S, ...more }, want) => {
    const named = candidatesOf(S, [], 1, more).map(({ value }) => (value as { type: unknown }).type);
    expect([...new Set(named)].sort()).toEqual([...want].sort());
  });
});

describe('an impossible value is reported with its location', () => {
  const text = { type: 'string' };
  const rows: readonly [string, unknown, string][] = [
    [
      'a schema that requires itself',
      {
        properties: {
          a: { type: 'object', required: ['b'], properties: { b: { $ref: '#/components/schemas/S/properties/a' } } },
        },
        required: ['a'],
        type: 'object',
      },
      '/properties/a/properties/b: No value can be built: the schema requires itself at every level.',
    ],
    [
      'bounds that leave nothing',
      { type: 'object', required: ['a'], properties: { a: { type: 'integer', minimum: 5, maximum: 4 } } },
      '/properties/a: No value can be built: the schema accepts no value.',
    ],
    [
      'types that exclude each other',
      { allOf: [text, { type: 'integer' }] },
      ': No value can be built: the schema accepts no value.',
    ],
    [
      'what the generator fails at',
      { type: 'array', minItems: 3, uniqueItems: true, items: { type: 'boolean' } },
      ': No valid value was built: no text, number or list fits.',
    ],
  ];
  test.each(rows)('%s', (_, schema, want) => {
    const problems: string[] = [];
    expect(candidatesOf(schema, [], 1, {}, problems)).toEqual([]);
    expect(problems).toEqual([`#/components/schemas/S${want}`]);
  });
});

describe('a hostile contract neither stops nor stalls the builder', () => {
  const self = { $ref: '#/components/schemas/S' };
  const nested = (levels: number, leaf: unknown, isRequired: boolean): unknown =>
    Array.from({ length: levels }).reduce<unknown>(
      (inner) => ({ type: 'object', ...(isRequired ? { required: ['a'] } : {}), properties: { a: inner } }),
      leaf,
    );
  const many = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);
  const withAll = (names: readonly string[], schema: unknown) =>
    Object.fromEntries(names.map((name) => [name, schema]));
  const rows: readonly [string, unknown, Record<string, unknown>?][] = [
    ['eight optional references to itself', { type: 'object', properties: withAll(many(8), self) }],
    ['eight lists of itself', { type: 'object', properties: withAll(many(8), { type: 'array', items: self }) }],
    [
      'eight branches that lead back',
      { oneOf: many(8).map((name) => ({ type: 'object', properties: { [name]: self } })) },
    ],
    [
      'a chain of 1,000 references',
      { $ref: '#/components/schemas/p0' },
      Object.fromEntries(
        many(1_000).map((name, index) => [
          name,
          index === 999 ? { type: 'integer' } : { $ref: `#/components/schemas/p${index + 1}` },
        ]),
      ),
    ],
    [
      '5,000 properties',
      { type: 'object', required: many(5_000), properties: withAll(many(5_000), { type: 'integer' }) },
    ],
    ['an enum of 10,000', { type: 'array', minItems: 100, items: { enum: many(10_000) } }],
    ['500 levels', nested(500, { type: 'integer' }, true)],
    ['500 levels that may be left out', nested(500, { type: 'integer' }, false)],
    [
      '12 choices of 12 branches',
      {
        type: 'object',
        allOf: many(12).map((name) => ({
          oneOf: many(12).map((value) => ({ required: [name], properties: { [name]: { const: value } } })),
        })),
      },
    ],
    [
      'nested negations',
      many(40).reduce<unknown>((inner) => ({ not: { anyOf: [inner, { type: 'null' }] } }), { type: 'integer' }),
    ],
    [
      'a oneOf of 300',
      {
        oneOf: many(300).map((name) => ({ type: 'object', required: [name], properties: { [name]: { const: name } } })),
      },
    ],
    [
      '40 dependent schemas',
      { type: 'object', properties: withAll(many(40), {}), dependentSchemas: withAll(many(40), { required: ['q'] }) },
    ],
    ['allOf of itself', { allOf: [self, self, self, { type: 'integer' }] }],
  ];
  test.each(rows)('%s', (_, schema, more = {}) => {
    const found = candidatesOf(schema, [], 1, more);
    expect(found.length).toBeGreaterThan(0);
    expect(Math.max(...found.map(({ value }) => JSON.stringify(value).length))).toBeLessThan(300_000);
  });

  const endless: readonly [string, unknown, Record<string, unknown>?][] = [
    [
      '20 choices that exclude each other',
      {
        type: 'object',
        required: ['k'],
        allOf: many(20).map((name) => ({
          oneOf: [{ properties: { k: { const: name } } }, { properties: { k: { const: `${name}x` } } }],
        })),
      },
    ],
    ['a billion items', { type: 'array', minItems: 1_000_000_000, items: { type: 'integer' } }],
    ['a text of a gigabyte', { type: 'string', minLength: 1_000_000_000 }],
    ['a million properties', { type: 'object', minProperties: 1_000_000 }],
    [
      '16 levels of 8 required objects',
      { $ref: '#/components/schemas/p0' },
      Object.fromEntries(
        many(17).map((name, index) => {
          const next = index === 16 ? { type: 'integer' } : { $ref: `#/components/schemas/p${index + 1}` };
          return [name, { type: 'object', required: many(8), properties: withAll(many(8), next) }];
        }),
      ),
    ],
  ];
  test.each(endless)('%s is given up', (_, schema, more = {}) => {
    expect(candidatesOf(schema, [], 1, more)).toEqual([]);
  });
});

test('the same seed builds the same values, another seed builds others', () => {
  const schema = { type: 'string', pattern: '^[A-Z]{8}-[0-9]{8}$' };
  expect(candidatesOf(schema, [], 5)).toEqual(candidatesOf(schema, [], 5));
  expect(candidatesOf(schema, [], 6)).not.toEqual(candidatesOf(schema, [], 5));
});

test('an example comes first, then the same example moved to the present; an invalid one is skipped', () => {
  const schema = {
    type: 'object',
    properties: { from: { type: 'string', format: 'date-time' }, n: { type: 'integer' } },
  };
  const given = [{ from: '2020-01-31T23:00:00+01:00', n: 1 }, { n: 'x' }];
  expect(candidatesOf(schema, given).slice(0, 3)).toEqual([
    { label: 'example', value: given[0] },
    { label: 'example moved to the present', value: { from: '2026-04-02T23:00:00+01:00', n: 1 } },
    { label: 'examples of properties', value: {} },
  ]);
});

test('a text among the examples of a type other than JSON is sent unchanged', () => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: { '/a': { get: { responses: {} } } },
  };
  const contract = readContract(
    'api.json',
    JSON.stringify({ ...document, components: { schemas: { S: { type: 'object' } } } }),
  );
  const tools = { contract, judge: createJudge(contract), now, tag: 'conform-1', seed: 1 };
  const content = { pointer: '#', schema: '#/components/schemas/S', examples: ['<a/>', { a: 1 }], encoding: {} };
  const values = (mediaType: string) =>
    [0, 1].map((index) => bodyCandidates(tools, { ...content, mediaType }).at(index)?.value);
  expect(values('application/xml')).toEqual(['<a/>', { a: 1 }]);
  expect(values('application/json')).toEqual([{ a: 1 }, {}]);
});

test('no value comes twice, even with another order of members', () => {
  const schema = { type: 'object', required: ['a', 'b'], properties: { a: { const: 1 }, b: { const: 2 } } };
  expect(
    candidatesOf(schema, [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
      { a: 1, b: 2 },
    ]),
  ).toEqual([{ label: 'example', value: { a: 1, b: 2 } }]);
});

test('recipes of rules replace values of an example, in order, in the spelling of the schema', () => {
  const time = { type: 'string', format: 'date-time', pattern: '\\+00:00$' };
  const schema = {
    type: 'object',
    properties: {
      end: { ...time, 'x-rule': { code: 'e', says: 'later', good: { from: '/start', add: 'P1D' } } },
      start: { ...time, 'x-rule': { code: 's', says: 'soon', good: { from: 'now', add: 'PT2H', round: 'PT1H' } } },
    },
  };
  const [first] = candidatesOf(schema, [{ start: '2000-01-01T00:00:00+00:00', end: '2000-01-01T00:00:00+00:00' }]);
  expect(first?.value).toEqual({ start: '2026-04-01T11:00:00+00:00', end: '2026-04-02T11:00:00+00:00' });
});
