import { contracts } from '@lockstep/runtime/fixtures/random-schema';
import { createSchemaCompiler } from '@lockstep/runtime/form/compile-schema';
import { createJudge } from '@lockstep/runtime/form/judge-value';
import { assert, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boundPattern } from './make-text.ts';
import { createValueMaker } from './make-value.ts';

const $ref = '#/components/schemas/a';
const makeOf = (schemas: object, seed?: number) => {
  const document = { components: { schemas } };
  return createValueMaker(document, createJudge(document))({ $ref }, seed);
};

const tree = { type: 'object', required: ['kind'], properties: { kind: { const: 'leaf' } } };

/** Schemas that generators fail at. Each must be filled, and never by what it refuses. */
const hard: readonly { readonly name: string; readonly a: object; readonly others?: object }[] = [
  { name: 'a pattern', a: { type: 'string', pattern: '^[A-Z]{3}-\\d{4}$' } },
  { name: 'a pattern and a length', a: { type: 'string', pattern: '^[a-z0-9]+$', minLength: 40, maxLength: 64 } },
  { name: 'a pattern of thousands', a: { type: 'string', pattern: '^[\\w\\-/]{1,2047}$' } },
  { name: 'two patterns', a: { type: 'string', allOf: [{ pattern: '^a' }], pattern: '^[a-z]{2}$' } },
  { name: 'a pattern that looks ahead', a: { type: 'string', pattern: '^(?!-)[a-z]+$' } },
  { name: 'a format beside a pattern', a: { type: 'string', format: 'date-time', pattern: '\\.\\d{3}Z$' } },
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
    name: 'one form alone',
    a: { oneOf: [{ type: 'number' }, { type: 'integer' }, { type: 'string', pattern: '^x$' }] },
  },
  { name: 'what is excluded', a: { type: 'string', not: { enum: ['string', 'a'] } } },
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
    name: 'as many members as are asked for',
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
    name: 'a tree that ends elsewhere',
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
  { name: 'null beside text', a: { type: ['null', 'string'], minLength: 2 } },
  { name: 'anything', a: {} },
];

const list = (minItems: number, items: object) => ({ type: 'array', minItems, items });

const contradictions = [
  { name: 'bounds that cross', a: { type: 'integer', minimum: 2, maximum: 1 } },
  { name: 'types that exclude', a: { allOf: [{ type: 'string' }, { type: 'integer' }] } },
  { name: 'a member that nothing fits', a: { type: 'object', required: ['x'], properties: { x: false } } },
  { name: 'itself without end', a: { type: 'object', required: ['a'], properties: { a: { $ref } } } },
  { name: 'nothing but itself', a: { allOf: [{ $ref }], not: {} } },
  { name: 'more than there is', a: { type: 'array', minItems: 3, uniqueItems: true, items: { type: 'boolean' } } },
  { name: 'more items than are made', a: { type: 'array', minItems: 300_000_000 } },
  { name: 'more items of lists than are made', a: list(9_000, list(9_000, list(9_000, {}))) },
  { name: 'more items that must be there', a: { type: 'array', contains: { const: 1 }, minContains: 300_000_000 } },
  { name: 'more members than are made', a: { type: 'object', minProperties: 300_000_000 } },
  { name: 'more text than is made', a: { type: 'string', minLength: 300_000_000 } },
  { name: 'more text of a pattern', a: { type: 'string', minLength: 300_000_000, pattern: '^[a-z]+$' } },
  { name: 'forms that all fit', a: { oneOf: Array.from({ length: 9 }, () => ({ oneOf: [{}, {}, {}] })) } },
];

describe('a value is made for', () => {
  for (const { name, a, others } of hard) {
    test(`${name}, the same each time`, () => {
      const made = makeOf({ ...others, a });
      expect(made).toMatchObject({ kind: 'value' });
      if (made.kind !== 'value') return;
      expect(createSchemaCompiler({ components: { schemas: { ...others, a } } })({ $ref })(made.value)).toBeUndefined();
      expect(makeOf({ ...others, a })).toEqual(made);
    });
  }

  test('a discriminator names the form that is taken', () => {
    const { a, others } = hard.find(({ name }) => name === 'a discriminator') ?? { a: {} };
    expect(makeOf({ a, ...others })).toMatchObject({ value: { kind: 'leaf' } });
  });

  test('each seed anew', () => {
    const a = { type: 'object', required: ['n'], properties: { n: { type: 'integer', minimum: 0, maximum: 1e6 } } };
    expect(makeOf({ a }, 1)).toEqual(makeOf({ a }, 1));
    expect(makeOf({ a }, 1)).not.toEqual(makeOf({ a }, 2));
  });
});

test('of a pattern of thousands, a text of few repetitions is made, without groups that may be left out', () => {
  const pattern = '^arn:aws([a-z-]+)?:[a-z\\d-]+:[a-z]{1,63}:([\\w+=,.@-]{1,512}/){0,256}[\\w]{1,2048}$';
  const bounded = '^arn:aws([a-z-]+):[a-z\\d-]+:[a-z]{1,9}:([\\w+=,.@-]{1,9}/){0,8}[\\w]{1,9}$';
  expect(boundPattern(pattern)).toBe(bounded);
  expect(makeOf({ a: { type: 'string', pattern } })).toEqual({
    kind: 'value',
    value: expect.stringMatching(new RegExp(bounded)),
  });
});

describe('no value is made, and few are tried, for', () => {
  for (const { name, a } of contradictions) {
    test(name, () => {
      const document = { components: { schemas: { a } } };
      const judge = createJudge(document);
      let [judged, largest] = [0, 0];
      const make = createValueMaker(document, (value, schema) => {
        judged += 1;
        largest = Math.max(largest, sizeOf(value));
        return judge(value, schema);
      });
      expect(make({ $ref })).toEqual({ kind: 'hopeless', why: expect.stringMatching(/./) });
      // Three attempts of 1,200 steps, and no longer list than is ever made.
      expect(judged).toBeLessThan(4_000);
      expect(largest).toBeLessThanOrEqual(10_000);
    });
  }
});

/** Items, members and characters. */
function sizeOf(value: unknown): number {
  return typeof value === 'string' ? value.length : Object.keys(Object(value)).length;
}

describe('whatever the schema', () => {
  test.each([0, 7])('with seed %d the value that is made fits, or it is told that none was found', (seed) => {
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
