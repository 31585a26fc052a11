import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDialect } from './dialect.ts';
import { judgeAtSight } from './judge-at-sight.ts';

const dialect = createDialect({}, 'response', () => undefined);

function judge(schema: unknown, value: unknown): boolean | undefined {
  return judgeAtSight(schema, value, { dialect, side: 'lenient', depth: 0, left: { schemas: 500 } });
}

test('one rejecting part decides, even if others are undecided', () => {
  expect(judge({ allOf: [{ not: {} }, { type: 'string' }] }, 1)).toBe(false);
  expect(judge({ anyOf: [{ not: {} }, { type: 'string' }] }, 1)).toBe(undefined);
});

describe('accepts a value that every keyword accepts, rejects one that a keyword rejects, and is undecided in doubt', () => {
  test.each([
    {
      schema: { type: 'object', required: ['a'], properties: { a: { type: 'integer', minimum: 1 } } },
      yes: { a: 1 },
      no: { a: 0 },
    },
    { schema: { type: ['string', 'null'], maxLength: 1 }, yes: '😀', no: 'ab' },
    { schema: { items: { enum: ['a', 1] } }, yes: ['a', 1], no: ['b'] },
    { schema: { additionalProperties: false, properties: { a: true } }, yes: { a: 1 }, no: { b: 1 } },
    { schema: { additionalProperties: { type: 'string' } }, yes: { b: 'x' }, no: { b: 1 } },
    { schema: { allOf: [{ minimum: 1 }, { maximum: 2 }] }, yes: 2, no: 3 },
    { schema: { anyOf: [{ type: 'string' }, { type: 'null' }] }, yes: null, no: 1 },
    { schema: { pattern: '^a+$' }, yes: 'aa', no: 'b' },
    { schema: { format: 'date' }, yes: '2026-02-28', no: '2026-02-30' },
    { schema: { required: ['__proto__'] }, yes: JSON.parse('{"__proto__":1}'), no: {} },
    { schema: { type: 'integer', default: 1, readOnly: true }, yes: 2, no: 'a' },
    { schema: { exclusiveMinimum: 1, exclusiveMaximum: 3 }, yes: 2, no: 1 },
  ])('$schema', ({ schema, yes, no }) => {
    expect([judge(schema, yes), judge(schema, no)]).toEqual([true, false]);
  });

  test.each([
    { name: 'an unknown keyword', schema: { not: { type: 'string' } }, value: 1 },
    { name: 'items after the first ones', schema: { prefixItems: [true], items: { type: 'string' } }, value: [1, 'a'] },
    { name: 'an object among the members', schema: { enum: [{ a: 1 }] }, value: { a: 1 } },
    { name: 'a reference without a target', schema: { $ref: 's9' }, value: 1 },
    {
      name: 'more schemas than the limit',
      schema: { items: { type: 'integer' } },
      value: Array.from({ length: 600 }, () => 1),
    },
  ])('$name is in doubt', ({ schema, value }) => {
    expect(judge(schema, value)).toBe(undefined);
  });
});

test('the interpreter never contradicts the compiled validator', () => {
  const leaf = fc.oneof(
    fc.record({ type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'array', 'object') }),
    fc.record({ minimum: fc.integer({ min: -2, max: 2 }) }),
    fc.record({ maxLength: fc.integer({ min: 0, max: 3 }) }),
    fc.record({ enum: fc.array(fc.jsonValue({ maxDepth: 0 }), { minLength: 1, maxLength: 3 }) }),
  );
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.record({
        properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')),
        required: fc.subarray(['a', 'b']),
      }),
      fc.record({ items: tie('schema'), maxItems: fc.integer({ min: 0, max: 3 }) }),
      fc.record({ additionalProperties: tie('schema') }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    ),
  }));
  const key = fc.constantFrom('a', 'b', 'c');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 2 },
      fc.jsonValue({ maxDepth: 0 }),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value')),
    ),
  }));
  const engine = new Ajv2020({ strict: false, ownProperties: true, validateSchema: false });
  fc.assert(
    fc.property(schema, value, (given, candidate) => {
      const found = judge(given, candidate);
      fc.pre(found !== undefined);
      expect(engine.compile(given as object)(candidate)).toBe(found);
    }),
    { numRuns: 300 },
  );
});
