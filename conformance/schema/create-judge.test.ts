import { describe, expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import type { Polarity } from '../execute/exchange.ts';
import { createJudge } from './create-judge.ts';
import type { Direction } from './dialect.ts';

function judge(schema: unknown, direction: Direction, value: unknown, more: Record<string, unknown> = {}) {
  const document = {
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: { '/a': { get: { responses: {} } } },
    components: { schemas: { Twin: schema, S: schema, ...more } },
  };
  const contract = readContract('api.json', JSON.stringify(document));
  const one = createJudge(contract);
  // A violation names the place of its own schema, even if an equal schema was compiled first.
  const isAccepted = one.accepts('#/components/schemas/Twin', direction, value);
  const found = one.judge('#/components/schemas/S', direction, value) ?? [];
  expect(isAccepted).toBe(found.length === 0);
  return {
    broken: found.map(({ pointer, at }) => `${pointer.replace('#/components/schemas/', '')} ${at}`.trim()),
    problems: one
      .problems()
      .map(({ pointer }) => pointer.replace('#/components/schemas/', ''))
      .filter((pointer) => !pointer.startsWith('Twin')),
  };
}

const account = {
  type: 'object',
  required: ['id', 'secret'],
  properties: { id: { readOnly: true }, secret: { writeOnly: true } },
};
const other = { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } };

describe('a violation names its location in the contract', () => {
  const rows: readonly {
    name: string;
    schema: unknown;
    direction?: Direction;
    value: unknown;
    want: readonly string[];
  }[] = [
    {
      name: 'readOnly is not required of a request',
      schema: account,
      direction: 'request',
      value: { secret: 1 },
      want: [],
    },
    { name: 'writeOnly is not required of a response', schema: account, value: { id: 1 }, want: [] },
    { name: 'each is required in its own direction', schema: account, value: {}, want: ['S/required'] },
    {
      name: 'required and readOnly in two parts of allOf',
      schema: { allOf: [{ required: ['id'] }, { properties: { id: { readOnly: true } } }] },
      direction: 'request',
      value: {},
      want: [],
    },
    { name: 'an open enum is open in a response', schema: { enum: ['a'], 'x-open-enum': true }, value: 'b', want: [] },
    {
      name: 'and closed in a request',
      schema: { enum: ['a'], 'x-open-enum': true },
      direction: 'request',
      value: 'b',
      want: ['S/enum'],
    },
    {
      name: 'through a reference',
      schema: { type: 'array', items: { $ref: '#/components/schemas/O' } },
      value: [{ a: 1 }, { a: 'x' }],
      want: ['O/properties/a/type /1/a'],
    },
    {
      name: 'all faults, not the first',
      schema: { type: 'object', required: ['x', 'y'], minProperties: 1 },
      value: {},
      want: ['S/minProperties', 'S/required', 'S/required'],
    },
    {
      name: 'the only branch that the value may mean',
      schema: { anyOf: [{ $ref: '#/components/schemas/O' }, { type: 'null' }] },
      value: {},
      want: ['O/required'],
    },
    {
      name: 'the whole choice if the value may mean several branches',
      schema: { anyOf: [{ $ref: '#/components/schemas/O' }, { type: 'object', required: ['b'] }] },
      value: {},
      want: ['S/anyOf'],
    },
    {
      name: 'two matching branches violate oneOf',
      schema: { oneOf: [{ type: 'integer' }, { minimum: 0 }] },
      value: 1,
      want: ['S/oneOf'],
    },
    {
      name: 'but not if a discriminator selects the branch',
      schema: { oneOf: [{ type: 'integer' }, { minimum: 0 }], discriminator: { propertyName: 'k' } },
      value: 1,
      want: [],
    },
    { name: 'decimals by decimal arithmetic', schema: { multipleOf: 0.01 }, value: 4.35, want: [] },
    { name: 'large decimals too', schema: { multipleOf: 0.01 }, value: 123456789.01, want: [] },
    { name: 'a decimal that is no multiple', schema: { multipleOf: 0.01 }, value: 4.355, want: ['S/multipleOf'] },
    { name: 'a tiny remainder', schema: { multipleOf: 0.01 }, value: 1e-13, want: ['S/multipleOf'] },
    {
      name: 'equal items, members in any order',
      schema: { uniqueItems: true },
      value: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      want: ['S/uniqueItems'],
    },
    { name: 'items of unlike types', schema: { uniqueItems: true }, value: [1, true, '1', '{}', {}, null], want: [] },
    { name: 'objects in an enum', schema: { enum: [{ a: 1, b: [] }] }, value: { b: [], a: 1 }, want: [] },
    {
      name: 'a readOnly name that a reference requires',
      schema: { allOf: [{ $ref: '#/components/schemas/O' }], properties: { a: { readOnly: true } } },
      direction: 'request',
      value: {},
      want: [],
    },
    {
      name: 'the same schema requires the name elsewhere',
      schema: { items: { $ref: '#/components/schemas/O' }, properties: { a: { readOnly: true } } },
      direction: 'request',
      value: [{}],
      want: ['O/required /0'],
    },
    {
      name: 'OpenAPI 3.0: nullable with a composition',
      schema: { nullable: true, allOf: [{ type: 'object' }] },
      value: null,
      want: [],
    },
    { name: 'OpenAPI 3.0: nullable', schema: { type: 'string', enum: ['a'], nullable: true }, value: null, want: [] },
    {
      name: 'OpenAPI 3.0: exclusiveMinimum is a flag',
      schema: { type: 'integer', minimum: 5, exclusiveMinimum: true },
      value: 5,
      want: ['S/exclusiveMinimum'],
    },
    {
      name: 'only own members count',
      schema: { type: 'object', required: ['constructor'] },
      value: {},
      want: ['S/required'],
    },
    {
      name: 'a pattern that compiles only without flag u',
      schema: { type: 'string', pattern: '^\\-$' },
      value: '-',
      want: [],
    },
    {
      name: 'a date-time that some reader accepts',
      schema: { format: 'date-time' },
      value: '2026-01-01 10:00:00z',
      want: [],
    },
    {
      name: 'but is not sent',
      schema: { format: 'date-time' },
      direction: 'request',
      value: '2026-01-01 10:00:00z',
      want: ['S/format'],
    },
    { name: '30 February', schema: { format: 'date-time' }, value: '2026-02-30T10:00:00Z', want: ['S/format'] },
    {
      name: 'a schema that contains itself',
      schema: { type: 'object', properties: { next: { $ref: '#/components/schemas/S' } }, additionalProperties: false },
      value: { next: { next: { x: 1 } } },
      want: ['S/additionalProperties /next/next'],
    },
  ];
  test.each(rows)('$name', ({ schema, direction = 'response', value, want }) => {
    expect(judge(schema, direction, value, { O: other }).broken.sort()).toEqual([...want].sort());
  });
});

describe('a part that cannot be judged is reported and omitted', () => {
  const rows = [
    { name: 'an unknown type', schema: { type: 'str', maxLength: 1 }, want: 'S/type' },
    { name: 'an empty enum', schema: { enum: [], maxLength: 1 }, want: 'S/enum' },
    { name: 'a pattern that does not compile', schema: { pattern: '(', maxLength: 1 }, want: 'S/pattern' },
    { name: 'a bound that is no number', schema: { minimum: '1', maxLength: 1 }, want: 'S/minimum' },
    { name: 'a reference without a target', schema: { $ref: '#/nowhere', maxLength: 1 }, want: 'S' },
  ];
  test.each(rows)('$name', ({ schema, want }) => {
    expect(judge(schema, 'response', 'ab')).toEqual({ broken: ['S/maxLength'], problems: [want] });
  });
});

describe('an omitted part makes no value invalid', () => {
  const far = { $ref: 'other.yaml#/A' };
  const rows: readonly [string, unknown, unknown][] = [
    ['beneath not', { not: far }, 1],
    ['deep beneath not', { not: { properties: { a: { allOf: [far] } } } }, { a: 1 }],
    ['beneath not, behind a reference', { not: { $ref: '#/components/schemas/O' } }, 1],
    ['in a branch of oneOf', { oneOf: [far, { type: 'integer' }] }, 1],
    ['in a condition', { if: { not: far }, else: false }, 1],
    ['where only so many may be contained', { contains: far, maxContains: 1 }, [1, 2]],
    ['where a part might have evaluated more', { allOf: [far], unevaluatedProperties: false }, { a: 1 }],
    ['with a type that is none', { not: { type: 'str' } }, 1],
  ];
  test.each(rows)('%s', (_, schema, value) => {
    expect(judge(schema, 'response', value, { O: far }).broken).toEqual([]);
  });
});

describe('a null of leniency makes no value invalid', () => {
  const far = { nullable: true, allOf: [{ type: 'object', required: ['a'] }] };
  const near = { nullable: true, anyOf: [{ type: 'object', required: ['b'] }] };
  const holding = (schema: unknown) => ({ type: 'object', properties: { x: schema } });
  const through = { $ref: '#/components/schemas/O' };
  const rows: readonly [string, unknown, unknown, readonly string[]][] = [
    ['in two branches', { oneOf: [far, near] }, null, []],
    ['in a branch next to null', { oneOf: [far, { type: 'null' }] }, null, []],
    ['behind a reference', { oneOf: [through, near] }, null, []],
    [
      'in two enums',
      {
        oneOf: [
          { enum: ['a'], nullable: true },
          { enum: ['b'], nullable: true },
        ],
      },
      null,
      [],
    ],
    [
      'in enums with compositions',
      {
        oneOf: [
          { enum: ['a'], nullable: true, allOf: [{}] },
          { enum: ['b'], nullable: true, allOf: [{}] },
        ],
      },
      null,
      [],
    ],
    ['deep in two branches', { oneOf: [holding(far), holding(near)] }, { x: null }, []],
    ['in an inner choice', { oneOf: [{ oneOf: [far, near] }, near] }, null, []],
    [
      'where it has been evaluated',
      { oneOf: [holding(far), holding(near)], unevaluatedProperties: false },
      { x: null },
      [],
    ],
    ['but what two branches take is one too many', { oneOf: [far, near] }, { a: 1, b: 1 }, ['S/oneOf']],
    ['with such a null too', { oneOf: [holding(far), holding(near)] }, {}, ['S/oneOf']],
    ['and what none takes is none', { oneOf: [far, near] }, { c: 1 }, ['S/oneOf']],
    ['as is null where it is let in nowhere', { oneOf: [{ type: 'object' }, holding(far)] }, null, ['S/oneOf']],
    [
      'and where two branches declare it',
      { oneOf: [{ type: ['string', 'null'] }, { type: 'null' }, far] },
      null,
      ['S/oneOf'],
    ],
    [
      'the intended branch is reported',
      { oneOf: [{ type: 'string' }, { type: 'object', required: ['a'], properties: { x: far } }] },
      {},
      ['S/oneOf/1/required'],
    ],
  ];
  test.each(rows)('%s', (_, schema, value, want) => {
    expect(judge(schema, 'response', value, { O: far }).broken).toEqual(want);
  });

  test('requests have no leniency for null', () => {
    expect(judge({ oneOf: [far, near] }, 'request', null).broken).toEqual(['S/oneOf']);
  });
});

describe('properties and items that a keyword has evaluated', () => {
  const rows: readonly [string, unknown, unknown, readonly string[]][] = [
    [
      'by an if without then',
      { if: { properties: { a: true } }, unevaluatedProperties: false },
      { a: 1, b: 1 },
      ['S/unevaluatedProperties'],
    ],
    [
      'by a branch next to an empty one',
      { anyOf: [{ items: { type: 'string' } }, true], unevaluatedItems: false },
      ['a'],
      [],
    ],
    [
      'not by a branch that does not hold',
      { anyOf: [{ items: { type: 'string' } }, true], unevaluatedItems: false },
      ['a', 1],
      ['S/unevaluatedItems'],
    ],
    ['by contains', { contains: { const: 1 }, unevaluatedItems: false }, [1, 2], ['S/unevaluatedItems']],
    [
      'through a reference',
      { $ref: '#/components/schemas/O', unevaluatedProperties: { type: 'string' } },
      { a: 1, b: 'x' },
      [],
    ],
  ];
  test.each(rows)('%s', (_, schema, value, want) => {
    expect(judge(schema, 'response', value, { O: other }).broken).toEqual(want);
  });
});

describe('a reference is resolved', () => {
  const whole = { type: 'integer' };
  const rows: readonly [string, unknown, Record<string, unknown>, readonly string[]][] = [
    ['by an anchor', { $ref: '#whole' }, { O: { $anchor: 'whole', ...whole } }, ['O/type']],
    ['by an id', { $ref: 'whole.json' }, { O: { $id: 'whole.json', ...whole } }, ['O/type']],
    [
      'by a pointer within an id',
      { $ref: 'o.json#/$defs/a' },
      { O: { $id: 'o.json', $defs: { a: whole } } },
      ['O/$defs/a/type'],
    ],
    [
      'by a pointer of the whole document all the same',
      { $id: 's.json', $ref: '#/components/schemas/O' },
      { O: whole },
      ['O/type'],
    ],
    ['by the only dynamic anchor', { $dynamicRef: '#node' }, { O: { $dynamicAnchor: 'node', ...whole } }, ['O/type']],
  ];
  test.each(rows)('%s', (_, schema, more, want) => {
    expect(judge(schema, 'response', 'x', more)).toEqual({ broken: want, problems: [] });
  });
});

describe('a hostile contract neither stops nor stalls the judge', () => {
  const nested = (levels: number, leaf: unknown): unknown =>
    Array.from({ length: levels }).reduce<unknown>(
      (inner) => ({ type: 'object', required: ['a'], properties: { a: inner } }),
      leaf,
    );
  const deep = (levels: number, leaf: unknown): unknown =>
    Array.from({ length: levels }).reduce<unknown>((inner) => ({ a: inner }), leaf);
  const at = (index: number): string => `#/components/schemas/R${index}`;
  const chain = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [
      `R${index}`,
      index === 999 ? { type: 'integer' } : { $ref: at(index + 1) },
    ]),
  );
  const many = Array.from({ length: 5_000 }, (_, index) => `p${index}`);
  const self = { $ref: '#/components/schemas/S' };

  test('nested 500 deep', () => {
    const found = judge(nested(500, { type: 'integer' }), 'response', deep(500, 'x')).broken;
    expect(found).toEqual([`S${'/properties/a'.repeat(500)}/type ${'/a'.repeat(500)}`]);
  });

  test('a chain of 1,000 references', () => {
    expect(judge({ $ref: at(0) }, 'response', 'x', chain).broken).toEqual(['R999/type']);
  });

  test('5,000 properties', () => {
    const schema = {
      type: 'object',
      required: many,
      properties: Object.fromEntries(many.map((name) => [name, { type: 'integer' }])),
    };
    const value = Object.fromEntries(many.map((name) => [name, 1]));
    expect(judge(schema, 'response', { ...value, p4999: 'x' })).toEqual({
      broken: ['S/properties/p4999/type /p4999'],
      problems: [],
    });
  });

  test('10,000 members of an enum, asked 10,000 times', () => {
    const members = Array.from({ length: 10_000 }, (_, index) => ({ id: index }));
    expect(judge({ items: { enum: members } }, 'response', [...members, { id: -1 }]).broken).toEqual([
      'S/items/enum /10000',
    ]);
  });

  test('10,000 unique objects', () => {
    const items = Array.from({ length: 10_000 }, (_, index) => ({ id: index, name: 'x' }));
    expect(judge({ uniqueItems: true }, 'response', [...items, { name: 'x', id: 0 }]).broken).toEqual([
      'S/uniqueItems',
    ]);
  });

  test('an answer nested deeper than the stack', () => {
    const value = Array.from({ length: 200_000 }).reduce<unknown>((inner) => ({ next: inner }), {});
    expect(judge({ properties: { next: self } }, 'response', value).broken).toEqual([]);
  });

  test('an answer whose every level doubles the work has no verdict', () => {
    const ways = { properties: { a: self } };
    expect(judge({ allOf: [ways, ways] }, 'response', deep(60, {})).broken).toEqual([]);
    expect(judge({ allOf: [ways, ways, { type: 'object' }] }, 'response', deep(6, 'x')).broken).not.toEqual([]);
  });

  test('10,000 faults in one list', () => {
    const items = { anyOf: [{ type: 'object', required: ['a'] }, { type: 'null' }] };
    const found = judge(
      { items },
      'response',
      Array.from({ length: 10_000 }, () => ({})),
    ).broken;
    expect(found.length).toBeGreaterThan(100);
  });

  const circles: readonly [string, unknown, unknown, readonly string[]][] = [
    ['by allOf', { allOf: [self, { type: 'integer' }] }, 'x', ['S/allOf/1/type']],
    ['by a reference alone', self, 'x', []],
    ['by not', { not: self }, 'x', []],
    ['by anyOf', { anyOf: [self, { type: 'integer' }] }, 'x', []],
  ];
  test.each(circles)('a schema that leads back to itself for the same value, %s', (_, schema, value, want) => {
    const found = judge(schema, 'response', value);
    expect(found.broken).toEqual(want);
    expect(found.problems).toEqual(['S']);
  });
});

describe('a request has a polarity for every reader of the contract', () => {
  const readOnly = { type: 'object', required: ['id'], properties: { id: { type: 'string', readOnly: true } } };
  const strings = { type: 'array', items: { type: 'string' } };
  const member = (schema: unknown) => ({ type: 'object', properties: { a: schema } });
  const mapped = {
    oneOf: [{ $ref: '#/components/schemas/Cat' }],
    discriminator: { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat' } },
  };
  const rows: readonly { name: string; version?: string; schema: unknown; value: unknown; want: Polarity }[] = [
    { name: 'valid', schema: strings, value: ['a'], want: 'valid' },
    { name: 'another type', schema: strings, value: [1], want: 'invalid' },
    { name: 'a plain format', schema: { format: 'date-time' }, value: '2026-11-22T09:00:00Z', want: 'valid' },
    {
      name: 'a format in a rare spelling',
      schema: { format: 'date-time' },
      value: '2026-11-22t09:00:00z',
      want: 'grey',
    },
    { name: 'a word for a date', schema: { format: 'date' }, value: 'tomorrow', want: 'invalid' },
    { name: 'an omitted readOnly property', schema: readOnly, value: {}, want: 'valid' },
    { name: 'a readOnly property of another type', schema: readOnly, value: { id: 1 }, want: 'grey' },
    {
      name: 'another fault next to it',
      schema: { ...readOnly, maxProperties: 1 },
      value: { id: 1, b: 1 },
      want: 'invalid',
    },
    {
      name: 'a null that only nullable of 3.0 allows',
      schema: member({ type: 'string', nullable: true }),
      value: { a: null },
      want: 'grey',
    },
    { name: 'its other values', schema: member({ type: 'string', nullable: true }), value: { a: 'x' }, want: 'valid' },
    { name: 'a declared null', schema: member({ type: ['string', 'null'] }), value: { a: null }, want: 'valid' },
    {
      name: 'a keyword next to a reference',
      version: '3.1.0',
      schema: { $ref: '#/components/schemas/Cat', maxProperties: 1 },
      value: { a: 1, b: 1 },
      want: 'invalid',
    },
    {
      name: 'which 3.0 ignores',
      version: '3.0.3',
      schema: { $ref: '#/components/schemas/Cat', maxProperties: 1 },
      value: { a: 1, b: 1 },
      want: 'grey',
    },
    { name: 'a discriminator that names no branch', schema: mapped, value: { kind: 'dog' }, want: 'grey' },
    {
      name: 'a schema with an unreadable part',
      schema: { type: 'array', items: { $ref: '#/nowhere' } },
      value: [1],
      want: 'grey',
    },
    {
      name: 'a fault of its readable part',
      schema: { type: 'array', items: { $ref: '#/nowhere' } },
      value: 1,
      want: 'invalid',
    },
  ];
  test.each(rows)('$name', ({ version = '3.1.0', schema, value, want }) => {
    const cat = { type: 'object', properties: { kind: { type: 'string' } } };
    const document = {
      openapi: version,
      info: { title: 'T', version: '1' },
      paths: { '/a': { get: { responses: {} } } },
    };
    const components = { schemas: { S: schema, Cat: cat } };
    const contract = readContract('api.json', JSON.stringify({ ...document, components }));
    expect(createJudge(contract).polarityOf('#/components/schemas/S', value)).toBe(want);
  });
});
