import { createHash } from 'node:crypto';
import {
  type Arbitrary,
  array,
  assert,
  constantFrom,
  dictionary,
  integer,
  letrec,
  oneof,
  property,
  string,
  tuple,
} from 'fast-check';
import { expect, test } from 'vitest';
import type { Contract } from '../contract/contract.ts';
import { buildFrom } from '../data/value-candidates.ts';
import { requestForm } from './canonical.ts';
import { createJudge } from './create-judge.ts';

/** A schema generated around a value, so that some valid and invalid values are known without a judge. */
interface Case {
  readonly schema: unknown;
  readonly valid: unknown;
  readonly invalid: readonly unknown[];
}

const whole: Arbitrary<Case> = tuple(
  integer({ min: -1e6, max: 1e6 }),
  integer({ min: 0, max: 9 }),
  integer({ min: 1, max: 9 }),
).map(([value, below, step]) => ({
  schema: { type: 'integer', minimum: value * step - below, maximum: value * step + below, multipleOf: step },
  valid: value * step,
  invalid: [value * step - below - step, value * step + below + step, value * step + 0.5, String(value)],
}));

const decimal: Arbitrary<Case> = tuple(integer({ min: -1e9, max: 1e9 }), constantFrom(0.01, 0.1, 0.25)).map(
  ([count, step]) => {
    const hundredths = Math.round(step * 100) * count;
    const value = hundredths / 100;
    return {
      schema: { type: 'number', multipleOf: step, minimum: value - 2, exclusiveMaximum: value + 2 },
      valid: value,
      invalid: [(hundredths * 10 + 1) / 1_000, value - 4, value + 2, null],
    };
  },
);

/** OpenAPI 3.0's spellings. */
const older: Arbitrary<Case> = integer({ min: -100, max: 100 }).map((value) => ({
  schema: { type: 'integer', minimum: value, exclusiveMinimum: true, nullable: true },
  valid: value + 1,
  invalid: [value, [], 'x'],
}));

const text: Arbitrary<Case> = tuple(
  string({ minLength: 1, maxLength: 12, unit: 'grapheme' }),
  integer({ min: 0, max: 3 }),
).map(([value, slack]) => {
  const length = [...value].length;
  return {
    schema: { type: 'string', minLength: Math.max(1, length - slack), maxLength: length + slack },
    valid: value,
    invalid: ['', 'x'.repeat(length + slack + 1), 7, [value]],
  };
});

const matching: Arbitrary<Case> = tuple(constantFrom('a', 'b'), integer({ min: 1, max: 6 })).map(([letter, count]) => ({
  schema: { type: 'string', pattern: `^${letter}{${count}}[0-9]*$` },
  valid: `${letter.repeat(count)}7`,
  invalid: [letter.repeat(count + 1), `${letter.repeat(count)}x`, ''],
}));

const member: Arbitrary<Case> = constantFrom<unknown[]>(['a', 'b'], [1, 2], [null, true], [{ k: [1] }, 'x']).map(
  (values) => ({
    schema: { enum: values },
    valid: values[1],
    invalid: ['none', 3, { k: [2] }, []],
  }),
);

const names = array(constantFrom('a', 'b', 'id', '__proto__x', 'constructor', 'with space', 'ü/~'), {
  minLength: 1,
  maxLength: 3,
});

const { any } = letrec<{ any: Case; leaf: Case }>((tie) => ({
  leaf: oneof(whole, decimal, older, text, matching, member),
  any: oneof(
    { depthSize: 'small', maxDepth: 4 },
    tie('leaf'),
    tuple(tie('any'), integer({ min: 1, max: 3 })).map(([{ schema, valid, invalid }, count]): Case => {
      const list = Array.from({ length: count }, () => valid);
      return {
        schema: { type: 'array', items: schema, minItems: count, maxItems: count + 1 },
        valid: list,
        invalid: [
          list.slice(1),
          [...list, ...list, ...list].slice(0, count + 2).concat(valid),
          { 0: valid },
          ...invalid.map((bad) => [...list.slice(1), bad]),
        ],
      };
    }),
    tuple(tie('any'), tie('any')).map(
      ([one, two]): Case => ({
        schema: { type: 'array', prefixItems: [one.schema, two.schema], items: false, minItems: 2 },
        valid: [one.valid, two.valid],
        invalid: [[one.valid], [one.valid, two.valid, 1], ...two.invalid.map((bad) => [one.valid, bad])],
      }),
    ),
    tie('any').map(
      ({ schema, valid, invalid }): Case => ({
        schema: { type: 'array', contains: schema, minContains: 2, maxContains: 2 },
        valid: [valid, valid],
        invalid: [[valid], [valid, valid, valid], invalid.slice(0, 3)],
      }),
    ),
    tuple(names, tie('any'), tie('any')).map(([found, one, two]): Case => {
      const [first = 'a', ...more] = [...new Set(found)];
      const valid = Object.fromEntries([[first, one.valid], ...more.map((name) => [name, two.valid])]);
      const properties = Object.fromEntries([[first, one.schema], ...more.map((name) => [name, two.schema])]);
      return {
        schema: { type: 'object', required: [first], properties, additionalProperties: false },
        valid,
        invalid: [
          { ...valid, other: 1 },
          Object.fromEntries(Object.entries(valid).slice(1)),
          [],
          ...one.invalid.map((bad) => ({ ...valid, [first]: bad })),
        ],
      };
    }),
    tuple(dictionary(constantFrom('a', 'b', 'c'), integer(), { minKeys: 1 }), tie('any')).map(
      ([keys, { schema, valid, invalid }]): Case => {
        const map = Object.fromEntries(Object.keys(keys).map((name) => [name, valid]));
        return {
          schema: {
            type: 'object',
            minProperties: Object.keys(map).length,
            additionalProperties: schema,
            propertyNames: { maxLength: 3 },
          },
          valid: map,
          invalid: [{}, { ...map, long_name: valid }, ...invalid.map((bad) => ({ ...map, a: bad }))],
        };
      },
    ),
    tuple(
      tie('any'),
      tie('any'),
      constantFrom('allOf', 'anyOf', 'oneOf', 'not', 'if', 'ref', 'dependent', 'unevaluated'),
    ).map(([one, two, how]): Case => wrap(one, two, how)),
  ),
}));

/** Rewrites a schema with other keywords for the same values. */
function wrap({ schema, valid, invalid }: Case, other: Case, how: string): Case {
  const never = { not: {} };
  switch (how) {
    case 'allOf':
      return { schema: { allOf: [true, { allOf: [schema] }, {}] }, valid, invalid };
    case 'anyOf':
      return { schema: { anyOf: [never, schema, false] }, valid, invalid };
    case 'oneOf':
      return { schema: { oneOf: [schema, { allOf: [schema, never] }] }, valid, invalid };
    case 'not':
      return { schema: { not: { not: schema } }, valid, invalid };
    case 'if':
      return { schema: { if: schema, else: false }, valid, invalid };
    case 'ref': {
      // Two schemas with the same id are the same schema.
      const $id = `https://law.example/${createHash('sha256').update(JSON.stringify(schema)).digest('hex')}`;
      return { schema: { $id, $defs: { a: schema, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/b' }, valid, invalid };
    }
    case 'dependent':
      return {
        schema: {
          type: 'object',
          required: ['k'],
          dependentSchemas: { k: { properties: { v: schema }, required: ['v'] } },
          dependentRequired: { v: ['k'] },
        },
        valid: { k: 1, v: valid },
        invalid: [{ k: 1 }, { v: valid }, ...invalid.map((bad) => ({ k: 1, v: bad }))],
      };
    default:
      return {
        schema: {
          type: 'object',
          allOf: [{ properties: { v: schema } }, { anyOf: [{ properties: { w: other.schema }, required: ['w'] }] }],
          unevaluatedProperties: false,
        },
        valid: { v: valid, w: other.valid },
        invalid: [
          { v: valid, w: other.valid, x: 1 },
          { v: valid },
          ...invalid.map((bad) => ({ v: bad, w: other.valid })),
        ],
      };
  }
}

function read({ schema }: Case) {
  const contract = { root: { S: schema }, lineOf: () => 1 } as unknown as Contract;
  return { contract, judge: createJudge(contract) };
}

test('the judge accepts and rejects the known values of generated schemas', () => judgesAsMade(100));
test('the judge accepts and rejects the known values of generated schemas, 300 times', { tags: ['full'] }, () =>
  judgesAsMade(300),
);

function judgesAsMade(numRuns: number): void {
  assert(
    property(any, constantFrom('request' as const, 'response' as const), (made, direction) => {
      const { judge } = read(made);
      expect(judge.judge('#/S', direction, made.valid)).toEqual([]);
      for (const bad of made.invalid)
        expect([bad, judge.judge('#/S', direction, bad)?.length !== 0]).toEqual([bad, true]);
      expect(judge.problems()).toEqual([]);
    }),
    { numRuns },
  );
}

test('each generated schema with a known value gets a valid value before any filter', () => buildsForAll(100));
test(
  'each generated schema with a known value gets a valid value before any filter, 300 times',
  { tags: ['full'] },
  () => buildsForAll(300),
);

function buildsForAll(numRuns: number): void {
  assert(
    property(any, integer({ min: 0, max: 1e6 }), (made, seed) => {
      const { contract, judge } = read(made);
      const tools = { contract, judge, now: 0, tag: 'conform-1', seed };
      for (const optional of [false, true]) {
        const value = buildFrom(tools, '#/S', { optional });
        expect(judge.judge('#/S', 'request', value)).toEqual([]);
      }
    }),
    { numRuns },
  );
}

const letters = { type: 'string', pattern: '^a{1}[0-9]*$' };
const pair = { type: 'array', prefixItems: [{ enum: ['a', 'b'] }, { enum: ['a', 'b'] }], items: false, minItems: 2 };
const orNever = (schema: object) => ({ oneOf: [schema, { allOf: [schema, { not: {} }] }] });

test.each([
  { name: 'a text', schema: { type: 'object', minProperties: 1, additionalProperties: orNever(orNever(letters)) } },
  { name: 'a list', schema: { type: 'array', items: orNever(orNever(pair)), minItems: 1 } },
  { name: 'the other branch', schema: { anyOf: [false, { allOf: [letters, { not: {} }] }, pair] } },
])('a value is built where some branches have none: $name', ({ schema }) => {
  const { contract, judge } = read({ schema, valid: undefined, invalid: [] });
  const value = buildFrom({ contract, judge, now: 0, tag: 'conform-1', seed: 0 }, '#/S', { optional: false });
  expect(judge.judge('#/S', 'request', value)).toEqual([]);
});

/** The properties of a location with the most specific declaration of each, required ones, and the number of branches. */
const base = { type: 'object', required: ['kind'], properties: { kind: { type: 'string' }, id: { readOnly: true } } };
test.each([
  {
    name: 'a part of allOf that refines a property of another',
    schema: {
      allOf: [{ $ref: '#/base' }, { properties: { kind: { enum: ['a'] }, id: {} } }],
      required: ['id', 'size'],
    },
    want: { kind: '#/S/allOf/1/properties/kind', id: '#/base/properties/id' },
    required: ['kind', 'size'],
  },
  {
    name: 'the second branch',
    schema: { oneOf: [base, { type: 'object', required: ['b'], properties: { b: { type: 'string' } } }] },
    number: 1,
    want: { b: '#/S/oneOf/1/properties/b' },
    required: ['b'],
  },
  {
    name: 'a discriminator name has the location of its declaration in the branch',
    schema: {
      oneOf: [{ $ref: '#/base' }],
      discriminator: { propertyName: 'kind', mapping: { first: '#/base' } },
    },
    want: { kind: '#/base/properties/kind', id: '#/base/properties/id' },
    required: ['kind'],
  },
  {
    name: 'an unsatisfiable schema',
    schema: { $ref: '#/base', allOf: [false] },
    want: { kind: '#/base/properties/kind', id: '#/base/properties/id' },
    required: ['kind'],
  },
])('lists the properties of $name', ({ schema, number, want, required }) => {
  const form = requestForm({ root: { S: schema, base }, lineOf: () => 1 });
  const shape = form.branch(form.at('#/S'), number);
  expect(Object.fromEntries(form.declared(shape))).toEqual(want);
  expect([...shape.required]).toEqual(required);
});
