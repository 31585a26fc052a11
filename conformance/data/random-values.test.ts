import { createRandom } from '@lockstep/values/random';
import { describe, expect, test } from 'vitest';
import { contextOf, contractOf } from '../seeded/by-hand.ts';
import { randomValue } from './random-values.ts';

const schemas: Readonly<Record<string, object>> = {
  integer: { type: 'integer', minimum: 1, maximum: 10_000 },
  'number without bounds': { type: 'number' },
  'multiples of a decimal': { type: 'number', minimum: 0, maximum: 1, multipleOf: 0.05 },
  'exclusive bounds': { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
  text: { type: 'string', minLength: 2, maxLength: 12 },
  pattern: { type: 'string', pattern: '^[a-z]{3}-[0-9]+$' },
  enum: { enum: ['a', 'b', 'c', 4] },
  object: {
    type: 'object',
    required: ['kind'],
    properties: {
      kind: { type: 'string' },
      size: { type: 'integer' },
      tags: { type: 'array', items: { type: 'string' } },
    },
  },
  branches: {
    oneOf: [{ type: 'integer' }, { type: 'string', maxLength: 3 }, { type: 'array', items: { type: 'boolean' } }],
  },
  'unique items': { type: 'array', uniqueItems: true, maxItems: 4, items: { type: 'integer', minimum: 1, maximum: 5 } },
};

const contract = contractOf({ '/a': { get: { responses: { 200: { description: '' } } } } }, { schemas });
const { judge } = contextOf(contract);

function draw(name: string, seed: number, keep: (tokens: readonly string[]) => unknown = () => undefined): unknown {
  const tools = { contract, judge, now: 0, tag: 'conform', seed };
  return randomValue(tools, `#/components/schemas/${name}`, '', createRandom(seed), keep);
}

const seeds = Array.from({ length: 60 }, (_, seed) => seed + 1);

describe.each(Object.keys(schemas))('random values: %s', (name) => {
  test('are valid, differ by seed, and are the same for the same seed', () => {
    const values = seeds.map((seed) => draw(name, seed));
    for (const value of values) expect(judge.accepts(`#/components/schemas/${name}`, 'request', value)).toBe(true);
    expect(new Set(values.map((value) => JSON.stringify(value))).size).toBeGreaterThan(3);
    expect(seeds.map((seed) => draw(name, seed))).toEqual(values);
  });
});

test('numbers are spread over their range, its bounds included', () => {
  const values = seeds.map((seed) => Number(draw('integer', seed)));
  expect(values).toContain(10_000);
  expect(new Set(values).size).toBeGreaterThan(12);
});

test('a member that must exist keeps its value', () => {
  const keep = (tokens: readonly string[]): unknown => (tokens.join('/') === 'kind' ? 'known' : undefined);
  expect(new Set(seeds.map((seed) => Object(draw('object', seed, keep)).kind))).toEqual(new Set(['known']));
});
