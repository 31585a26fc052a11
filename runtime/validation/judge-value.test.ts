import { assert, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contracts, values } from '../fixtures/random-schema.ts';
import { createSchemaCompiler } from './compile-schema.ts';
import { createJudge } from './judge-value.ts';

const $ref = '#/components/schemas/a';

describe('a value', () => {
  test('is judged as the compiled check judges it, whatever the schema', () => judgesAsCompiled(300));
  test('is judged as the compiled check judges it, whatever the schema, 1,500 times', { tags: ['full'] }, () =>
    judgesAsCompiled(1_500),
  );

  function judgesAsCompiled(numRuns: number): void {
    let good = 0;
    assert(
      property(contracts, values, (contract, value) => {
        // Ajv 8.20 accepts an empty list for `contains` next to `prefixItems`, and as an item after one that was accepted.
        if (hasBoth(contract, 'contains', 'prefixItems')) return;
        if (JSON.stringify(contract).includes('"contains":') && JSON.stringify(value).includes(',[]')) return;
        // It keeps the properties and items that an `if` evaluated which failed.
        if (['unevaluatedProperties', 'unevaluatedItems'].some((keyword) => hasBoth(contract, 'if', keyword))) return;
        const check = tryTo(() => createSchemaCompiler(contract)({ $ref }));
        if (check === undefined) return;
        // For a schema that only refers to itself (`a: { $ref: a }`), the compiled check does not terminate.
        const compiled = tryTo(() => check(value) === undefined);
        if (compiled === undefined) return;
        good += Number(compiled);
        expect(createJudge(contract)(value, { $ref }) === undefined).toBe(compiled);
      }),
      { numRuns },
    );
    expect(good).toBeGreaterThan(numRuns / 10);
  }

  test('is refused by a schema that is only itself', () => {
    const judge = createJudge({ components: { schemas: { a: { allOf: [{ $ref }] } } } });
    expect(judge(1, { $ref })).toEqual({ at: '', why: 'the schema refers to itself without end' });
  });

  test.each([
    {
      items: [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      isUnique: false,
    },
    { items: [1, '1', true, 'true', null, 'null', [1], { 1: 1 }], isUnique: true },
    { items: [0, -0], isUnique: false },
  ])('is a list of different items, or not, whatever the order of their members: $isUnique', ({ items, isUnique }) => {
    expect(createJudge({})(items, { uniqueItems: true }) === undefined).toBe(isUnique);
  });

  test('is a long list of different items, each of which is read a few times', () => {
    let reads = 0;
    const items = Array.from({ length: 50_000 }, (_, n) => ({
      get n() {
        reads += 1;
        return n;
      },
    }));
    expect(createJudge({})(items, { uniqueItems: true })).toBeUndefined();
    expect(reads / items.length).toBeLessThanOrEqual(3);
  });

  test('is judged in time by forms that lead back to what they are forms of, and by composition that doubles', () => {
    const names = Array.from({ length: 10 }, (_, index) => `f${index}`);
    const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const form = (kind: string) => ({ allOf: [refTo('a')], properties: { kind: { const: kind } } });
    const forms = Object.fromEntries(names.map((kind) => [kind, form(kind)]));
    const doubling = Object.fromEntries(
      Array.from({ length: 25 }, (_, index) => [
        `d${index}`,
        { allOf: [refTo(`d${index + 1}`), refTo(`d${index + 1}`)] },
      ]),
    );
    const judge = createJudge({
      components: { schemas: { a: { oneOf: names.map(refTo) }, ...forms, ...doubling, d25: {} } },
    });
    let reads = 0;
    const counted = {
      get kind() {
        reads += 1;
        return 'f0';
      },
    };
    expect(judge(counted, { $ref })?.why).toContain('oneOf');
    expect(judge(counted, { ...refTo('f0'), unevaluatedProperties: false })).toBeDefined();
    expect(judge(1, { not: refTo('d0') })).toEqual({ at: '', why: 'it takes too long to judge' });
    expect(reads).toBeLessThan(100);
  });

  test.each([
    {
      value: { a: [1, 'x'] },
      schema: { properties: { a: { items: { type: 'integer' } } } },
      at: '/a/1',
      why: 'type integer',
    },
    { value: {}, schema: { required: ['b'] }, at: '', why: 'required b' },
    { value: { 'a/b': 1 }, schema: { additionalProperties: { maximum: 0 } }, at: '/a~1b', why: 'maximum 0' },
    {
      value: { 'a/b': 1 },
      schema: { properties: { c: {} }, unevaluatedProperties: false },
      at: '',
      why: 'unevaluatedProperties a/b',
    },
    { value: '2026-02-30T00:00:00Z', schema: { format: 'date-time' }, at: '', why: 'format date-time' },
    { value: '😀', schema: { minLength: 2 }, at: '', why: 'minLength 2' },
  ])('has the location of its fault: $why', ({ value, schema, at, why }) => {
    expect(createJudge({})(value, schema)).toEqual({ at, why });
  });
});

function hasBoth(node: unknown, one: string, other: string): boolean {
  if (typeof node !== 'object' || node === null) return false;
  return (one in node && other in node) || Object.values(node).some((member) => hasBoth(member, one, other));
}

function tryTo<Made>(make: () => Made): Made | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
