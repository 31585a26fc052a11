import { assert, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contracts } from '../fixtures/random-schema.ts';
import { createSchemaCompiler } from '../validation/compile-schema.ts';
import { createJudge, type JudgeValue } from '../validation/judge-value.ts';
import { createValueMaker } from './make-value.ts';

const $ref = '#/components/schemas/a';
const makeOf = (schemas: object, seed?: number) => {
  const document = { components: { schemas } };
  return createValueMaker(document, createJudge(document), 'response')({ $ref }, seed);
};

const tree = { type: 'object', required: ['kind'], properties: { kind: { const: 'leaf' } } };

const list = (minItems: number, items: object) => ({ type: 'array', minItems, items });

const wrap = (a: object) => ({ type: 'object', required: ['a'], properties: { a } });
/** Ten schemas, each of which refers to all of them. */
const meshed = (name: string) => ({
  allOf: [...'abcdefghij'].map((other) => ({ $ref: `#/components/schemas/${other}` })),
  properties: { [name]: { type: 'string' } },
  unevaluatedProperties: { type: 'integer' },
});
/** Twenty optional members, each with twenty more, down to this depth. */
const wide = (depth: number): object =>
  depth === 0
    ? { type: 'string' }
    : {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`m${i}`, wide(depth - 1)])),
      };
const pick = { type: 'object', properties: { x: {}, y: {}, z: {} }, additionalProperties: false };

const closed = (name: string) => ({
  allOf: [{ properties: { [name]: { type: 'string' } } }],
  unevaluatedProperties: false,
});

/** Schemas on which generators fail. Each must get a valid value. */
const hard: readonly { readonly name: string; readonly a: object; readonly others?: object }[] = [
  { name: 'one of three closed objects', a: { oneOf: ['p', 'q', 'r'].map(closed) } },
  { name: 'a pattern', a: { type: 'string', pattern: '^[A-Z]{3}-\\d{4}$' } },
  { name: 'a pattern and a length', a: { type: 'string', pattern: '^[a-z0-9]+$', minLength: 40, maxLength: 64 } },
  { name: 'a pattern of thousands', a: { type: 'string', pattern: '^[\\w\\-/]{1,2047}$' } },
  { name: 'two patterns', a: { type: 'string', allOf: [{ pattern: '^a' }], pattern: '^[a-z]{2}$' } },
  { name: 'a pattern that looks ahead', a: { type: 'string', pattern: '^(?!-)[a-z]+$' } },
  { name: 'a format with a pattern', a: { type: 'string', format: 'date-time', pattern: '\\.\\d{3}Z$' } },
  { name: 'a long text', a: { type: 'string', minLength: 100_000 } },
  { name: 'a base64 of even length', a: { type: 'string', format: 'byte', minLength: 4 } },
  { name: 'a step between bounds', a: { type: 'number', exclusiveMinimum: 7, maximum: 7.5, multipleOf: 0.25 } },
  { name: 'a narrow integer', a: { type: 'integer', exclusiveMinimum: 41, exclusiveMaximum: 43 } },
  { name: 'steps that meet', a: { type: 'integer', multipleOf: 6, allOf: [{ multipleOf: 4 }], minimum: 1 } },
  { name: 'different items', a: { type: 'array', minItems: 5, uniqueItems: true, items: { type: 'integer' } } },
  { name: 'all of a list', a: { type: 'array', minItems: 3, uniqueItems: true, items: { enum: ['x', 'y', 'z'] } } },
  {
    name: 'different objects',
    a: { type: 'array', minItems: 3, uniqueItems: true, items: { $ref: '#/components/schemas/b' } },
    others: { b: { type: 'object', required: ['n'], properties: { n: { type: 'string' } } } },
  },
  { name: 'very many items', a: { type: 'array', minItems: 5_000, items: { type: 'object', properties: { a: {} } } } },
  { name: 'an item that must be there', a: { type: 'array', items: { type: 'integer' }, contains: { minimum: 100 } } },
  { name: 'a tuple', a: { type: 'array', prefixItems: [{ type: 'string' }, { const: 7 }], items: false, minItems: 2 } },
  {
    name: 'exactly one alternative',
    a: { oneOf: [{ type: 'number' }, { type: 'integer' }, { type: 'string', pattern: '^x$' }] },
  },
  { name: 'excluded values', a: { type: 'string', not: { enum: ['string', 'a'] } } },
  {
    name: 'the schema of a dependent member',
    a: {
      type: 'object',
      required: ['t'],
      properties: { t: { type: 'string' } },
      dependentSchemas: { t: { required: ['p'], properties: { p: { type: 'integer' } } } },
    },
  },
  {
    name: 'a condition',
    a: {
      type: 'object',
      required: ['t'],
      properties: { t: { enum: ['p', 'q'] } },
      if: { properties: { t: { const: 'p' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['p'], properties: { p: { type: 'integer' } } },
      else: false,
    },
  },
  {
    name: 'a member that asks for another',
    a: { type: 'object', required: ['x'], dependentRequired: { x: ['y'] }, properties: { y: { type: 'integer' } } },
  },
  {
    name: 'the required number of members',
    a: { type: 'object', minProperties: 3, additionalProperties: { type: 'integer' } },
  },
  {
    name: 'names of a pattern',
    a: {
      type: 'object',
      minProperties: 1,
      additionalProperties: false,
      patternProperties: { '^x-[a-z]{2}$': { type: 'boolean' } },
    },
  },
  {
    name: 'members that are closed from outside',
    a: { allOf: [{ properties: { p: { type: 'integer' } } }], required: ['p'], unevaluatedProperties: false },
  },
  {
    name: 'a tree',
    a: { type: 'object', required: ['child'], properties: { child: { oneOf: [{ $ref }, { type: 'null' }] } } },
  },
  {
    name: 'a tree that terminates elsewhere',
    a: {
      anyOf: [
        { type: 'object', required: ['left'], properties: { left: { $ref } } },
        { $ref: '#/components/schemas/b' },
      ],
    },
    others: { b: tree },
  },
  {
    name: 'a list of itself',
    a: { type: 'object', required: ['children'], properties: { children: { type: 'array', items: { $ref } } } },
  },
  {
    name: 'a discriminator',
    a: {
      oneOf: [{ $ref: '#/components/schemas/b' }],
      discriminator: { propertyName: 'kind', mapping: { leaf: '#/components/schemas/b' } },
    },
    others: { b: { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } } },
  },
  {
    name: 'names of a pattern that escapes more than it must',
    a: {
      type: 'object',
      required: ['a-b'],
      patternProperties: { '^[\\w\\-]+$': { const: 1 } },
      additionalProperties: false,
    },
  },
  { name: 'lists of very many members', a: list(4, wide(2)) },
  {
    name: 'a member that only minProperties requires, deep inside',
    a: wrap(wrap(wrap({ type: 'object', minProperties: 1, additionalProperties: false, properties: { x: {} } }))),
  },
  {
    name: 'one of two members that exclude each other',
    a: { ...pick, minProperties: 1, not: { anyOf: [{ required: ['x'] }, { required: ['y', 'z'] }] } },
  },
  { name: 'all members but one', a: { ...pick, minProperties: 2, not: { required: ['x', 'y'] } } },
  {
    name: 'an item that must be there, behind others that are fixed',
    a: { type: 'array', prefixItems: [{ const: 1 }, { const: 2 }], minItems: 2, contains: { const: 9 } },
  },
  {
    name: 'many items behind one of their own',
    a: { ...list(200, { const: 1 }), prefixItems: [{ const: 'x' }] },
  },
  {
    name: 'steps without a common factor',
    a: { type: 'integer', multipleOf: 7, allOf: [{ multipleOf: 4 }], minimum: 1 },
  },
  { name: 'a pattern and a length before its end', a: { type: 'string', pattern: '^[a-z]+-$', minLength: 30 } },
  { name: 'two patterns that rarely meet', a: { type: 'string', allOf: [{ pattern: '^q' }], pattern: '^[a-z]{3}$' } },
  { name: 'a pattern of names and of looks around', a: { type: 'string', pattern: '^(?<y>\\d{4})-(?=\\d)\\d$' } },
  { name: 'a pattern that looks ahead for text', a: { type: 'string', pattern: '^(?=st)\\w+$' } },
  { name: 'null or text', a: { type: ['null', 'string'], minLength: 2 } },
  { name: 'anything', a: {} },
];

const text = { type: 'string' };
const named = (properties: object) => ({ type: 'object', properties });

const plainest: readonly { readonly name: string; readonly a: object; readonly b?: object; readonly want: unknown }[] =
  [
    { name: 'its example', a: { ...text, example: 'fern', examples: ['ivy'], default: 'box' }, want: 'fern' },
    { name: 'the first of its examples that fits', a: { ...text, examples: [1, 'ivy'], default: 'box' }, want: 'ivy' },
    { name: 'its default', a: { ...text, example: 1, default: 'box' }, want: 'box' },
    { name: 'any type before null', a: { type: ['null', 'boolean'] }, want: true },
    { name: 'any alternative before null', a: { anyOf: [{ type: 'null' }, { type: 'boolean' }] }, want: true },
    {
      name: 'null before one more level, deep inside',
      a: wrap(wrap(wrap(wrap({ anyOf: [{ $ref: '#/components/schemas/b' }, { type: 'null' }] })))),
      b: wrap(text),
      want: { a: { a: { a: { a: null } } } },
    },
    { name: 'an integer, which is a number', a: { type: 'integer', allOf: [{ type: 'number' }] }, want: 1 },
    { name: 'a zero without sign', a: { const: -0 }, want: 0 },
    { name: 'the type of which its keywords speak', a: { minimum: 3 }, want: 3 },
    { name: 'the next step', a: { type: 'integer', multipleOf: 5, minimum: 11, not: { const: 15 } }, want: 20 },
    {
      name: 'optional members, three deep',
      a: named({ b: named({ c: named({ d: named({ e: text }) }) }) }),
      want: { b: { c: { d: {} } } },
    },
    {
      name: 'no optional member that leads back',
      a: named({ n: text, next: { $ref }, all: { type: 'array', items: { $ref } } }),
      want: { n: 'string', all: [] },
    },
    {
      name: 'no more members than may be',
      a: { ...named({ x: text, y: text }), maxProperties: 1 },
      want: { x: 'string' },
    },
    {
      name: 'no more members of any name than required',
      a: { type: 'object', minProperties: 2, additionalProperties: { type: 'integer' } },
      want: { key: 1, key2: 1 },
    },
    {
      name: 'fourteen members of any name',
      a: { type: 'object', minProperties: 14, additionalProperties: { const: 1 } },
      want: Object.fromEntries(
        ['key', ...Array.from({ length: 13 }, (_, index) => `key${index + 2}`)].map((name) => [name, 1]),
      ),
    },
    {
      name: 'one member, where none is excluded',
      a: { type: 'object', not: { maxProperties: 0 } },
      want: { key: 'string' },
    },
    {
      name: 'a name that fits',
      a: { type: 'object', minProperties: 1, propertyNames: { minLength: 4, maxLength: 4 } },
      want: { stri: 'string' },
    },
    {
      name: 'an optional member with the one that it asks for',
      a: { ...named({ x: text }), dependentRequired: { x: ['y'] } },
      want: { x: 'string', y: 'string' },
    },
    {
      name: 'the alternative that a mapping names without its path',
      a: {
        oneOf: [{ $ref: '#/components/schemas/b' }],
        discriminator: { propertyName: 'kind', mapping: { leaf: 'b' } },
      },
      b: { type: 'object', required: ['kind'], properties: { kind: text } },
      want: { kind: 'leaf' },
    },
    { name: 'one item', a: { type: 'array', items: text }, want: ['string'] },
    { name: 'no more items than may be', a: { prefixItems: [text, text], maxItems: 1 }, want: ['string'] },
    { name: 'text that is lengthened', a: { ...text, minLength: 8 }, want: 'stringxx' },
    { name: 'text that is cut', a: { ...text, maxLength: 3 }, want: 'str' },
    {
      name: 'a member with an invalid pattern',
      a: { type: 'object', required: ['a'], patternProperties: { '(': false } },
      want: { a: 'string' },
    },
    { name: 'printable text', a: { ...text, pattern: '^[ a]$' }, want: 'a' },
  ];

const contradictions: readonly { readonly name: string; readonly a: object; readonly others?: object }[] = [
  { name: 'bounds that cross', a: { type: 'integer', minimum: 2, maximum: 1 } },
  { name: 'types that exclude', a: { allOf: [{ type: 'string' }, { type: 'integer' }] } },
  { name: 'a member that nothing fits', a: { type: 'object', required: ['x'], properties: { x: false } } },
  { name: 'itself without end', a: { type: 'object', required: ['a'], properties: { a: { $ref } } } },
  { name: 'nothing but itself', a: { allOf: [{ $ref }], not: {} } },
  { name: 'itself at once, next to a rest', a: { $ref, prefixItems: [text], unevaluatedItems: text } },
  {
    name: 'schemas that all extend each other',
    a: meshed('a'),
    others: Object.fromEntries([...'bcdefghij'].map((name) => [name, meshed(name)])),
  },
  { name: 'more than there is', a: { type: 'array', minItems: 3, uniqueItems: true, items: { type: 'boolean' } } },
  { name: 'more items than the limit', a: { type: 'array', minItems: 300_000_000 } },
  { name: 'more items of lists than the limit', a: list(9_000, list(9_000, list(9_000, {}))) },
  {
    name: 'more contained items than the limit',
    a: { type: 'array', contains: { const: 1 }, minContains: 300_000_000 },
  },
  { name: 'more members than the limit', a: { type: 'object', minProperties: 300_000_000 } },
  { name: 'more text than the limit', a: { type: 'string', minLength: 300_000_000 } },
  { name: 'more text of a pattern', a: { type: 'string', minLength: 300_000_000, pattern: '^[a-z]+$' } },
  { name: 'alternatives that are all valid', a: { oneOf: Array.from({ length: 9 }, () => ({ oneOf: [{}, {}, {}] })) } },
];

describe('a value is generated for', () => {
  for (const { name, a, others } of hard) {
    test(`${name}, the same each time`, () => {
      const made = makeOf({ ...others, a });
      expect(made).toMatchObject({ kind: 'value' });
      if (made.kind !== 'value') return;
      expect(createSchemaCompiler({ components: { schemas: { ...others, a } } })({ $ref })(made.value)).toBeUndefined();
      expect(makeOf({ ...others, a })).toEqual(made);
    });
  }

  test.each(plainest)('the plain value is $name', ({ a, b, want }) => {
    expect(makeOf({ a, ...(b && { b }) })).toEqual({ kind: 'value', value: want });
  });

  test('a discriminator names the chosen alternative', () => {
    const { a, others } = hard.find(({ name }) => name === 'a discriminator') ?? { a: {} };
    expect(makeOf({ a, ...others })).toMatchObject({ value: { kind: 'leaf' } });
  });

  test('each seed anew', () => {
    const a = { type: 'object', required: ['n'], properties: { n: { type: 'integer', minimum: 0, maximum: 1e6 } } };
    expect(makeOf({ a }, 1)).toEqual(makeOf({ a }, 1));
    expect(makeOf({ a }, 1)).not.toEqual(makeOf({ a }, 2));
  });
});

test('a pattern for thousands of characters gets a short text', () => {
  const pattern = '^arn:aws([a-z-]+)?:[a-z\\d-]+:[a-z]{1,63}:([\\w+=,.@-]{1,512}/){0,256}[\\w]{1,2048}$';
  const made = makeOf({ a: { type: 'string', pattern } });
  expect(made).toEqual({ kind: 'value', value: expect.stringMatching(new RegExp(pattern)) });
  expect(made).toEqual({ kind: 'value', value: expect.stringMatching(/^.{1,64}$/) });
});

test.each([
  { pattern: '^((a{300}){300}){300}$', made: { kind: 'hopeless' } },
  {
    pattern: '((((((a{0,300}){0,300}){0,300}){0,300}){0,300}){0,300}){0,300}',
    made: { kind: 'value', value: 'aaaaaaaa' },
  },
  // Too large for the judge to compile: it accepts any text.
  { pattern: '^(?:(?:(?:a{1,9}){9}){9}){9}$', made: { kind: 'value', value: 'string' } },
])('$pattern, which allows more text than memory holds, does not exhaust it', ({ pattern, made }) =>
  expect(makeOf({ a: { type: 'string', pattern } })).toMatchObject(made),
);

test.each([
  { name: 'each value of a list', a: { enum: ['p', 'q', 'r'] }, least: 3 },
  { name: 'true and false', a: { type: 'boolean' }, least: 2 },
  { name: 'each alternative', a: { oneOf: [{ const: 'p' }, { const: 'q' }] }, least: 2 },
  { name: 'lists of one, two and three items', a: { type: 'array', items: { const: 1 } }, least: 3 },
  { name: 'an optional member or none', a: named({ x: { const: 1 } }), least: 2 },
  { name: 'whole numbers', a: { type: 'integer', minimum: 0, maximum: 9 }, least: 10 },
  { name: 'texts', a: text, least: 99 },
  { name: 'texts of a pattern', a: { ...text, pattern: '^[a-z]{5}$' }, least: 20 },
])('a hundred seeds make $name', ({ a, least }) => {
  const made = Array.from({ length: 100 }, (_, seed) => JSON.stringify(makeOf({ a }, seed)));
  expect(made.filter((one) => one.includes('hopeless'))).toEqual([]);
  expect(new Set(made).size).toBeGreaterThanOrEqual(least);
});

describe('no value is generated, and few are tried, for', () => {
  for (const { name, a, others } of contradictions) {
    test(name, () => {
      const document = { components: { schemas: { ...others, a } } };
      const judge = createJudge(document);
      let [judged, largest] = [0, 0];
      const counting: JudgeValue = (value, schema) => {
        judged += 1;
        largest = Math.max(largest, sizeOf(value));
        return judge(value, schema);
      };
      const make = createValueMaker(document, counting, 'response');
      expect(make({ $ref })).toEqual({ kind: 'hopeless', why: expect.stringMatching(/./) });
      // Three attempts of 1,200 steps. No list is longer than the limit of the builder.
      expect(judged).toBeLessThan(4_000);
      expect(largest).toBeLessThanOrEqual(10_000);
    });
  }
});

test.each([
  { a: { $ref, prefixItems: [text], unevaluatedItems: text }, value: ['string'] },
  { a: { allOf: [{ $ref }, named({ x: text })], unevaluatedProperties: false }, value: { x: 'string' } },
])('a reference to itself next to a rest adds nothing to $a', ({ a, value }) => {
  const make = createValueMaker({ components: { schemas: { a } } }, () => undefined, 'response');
  expect(make({ $ref })).toEqual({ kind: 'value', value });
});

/** Number of items, members or characters. */
function sizeOf(value: unknown): number {
  return typeof value === 'string' ? value.length : Object.keys(Object(value)).length;
}

test('the reason for no value names the place', () => {
  const a = { const: { n: 1 }, properties: { n: text } };
  expect(makeOf({ a })).toEqual({ kind: 'hopeless', why: expect.stringMatching(/^\/n: ./) });
});

describe('for any schema', () => {
  test.each([0, 7])('with seed %d the generated value fits, or the schema is reported as hopeless', (seed) => {
    let made = 0;
    let hopeless = 0;
    assert(
      property(contracts, (contract) => {
        const { kind, ...found } = makeOf(contract.components.schemas, seed);
        if (kind === 'hopeless') hopeless += 1;
        else {
          made += 1;
          const { value } = found as { value: unknown };
          expect(createJudge(contract)(value, { $ref })).toBeUndefined();
          expect(JSON.parse(JSON.stringify(value))).toEqual(value);
        }
      }),
      { numRuns: 400 },
    );
    expect(made).toBeGreaterThan(hopeless);
  });
});
