import { describe, expect, test } from 'vitest';
import { createPrism, type PrismAsk } from './prism.ts';

const dot = { $ref: '#/components/schemas/Dot' };
const line = { $ref: '#/components/schemas/Line' };
const ownself = { $ref: '#/components/schemas/Self' };
const objectOf = (properties: object) => ({ type: 'object', required: Object.keys(properties), properties });
const schemas = {
  Dot: objectOf({ x: { type: 'integer', minimum: 1, maximum: 1_000_000 } }),
  Line: objectOf({ to: { type: 'boolean' } }),
  Self: { type: 'object', properties: { next: ownself } },
};
const prism = createPrism({ components: { schemas } });
const usual = { method: 'get', path: '/a', status: 200, mediaType: 'application/json', examples: [], dynamic: false };
const ask = (asked: Partial<PrismAsk>) => prism({ ...usual, schema: dot, ...asked });

const examples = [
  { name: 'a', value: 'A' },
  { name: 'b', value: 'B' },
];
const listOf = (minItems: number) => ({ type: 'array', minItems, items: { const: 1 } });
/** A schema with this number of nodes. */
const wide = (nodes: number) =>
  objectOf(Object.fromEntries(Array.from({ length: nodes - 3 }, (_, index) => [`m${index}`, { type: 'null' }])));

describe('Prism answers', () => {
  test.each<{ name: string; asked: Partial<PrismAsk>; want: unknown }>([
    { name: 'with the first example', asked: { examples }, want: 'A' },
    { name: 'with the example that is named', asked: { examples, example: 'b' }, want: 'B' },
    { name: 'with an example in spite of a seed', asked: { examples, seed: 's' }, want: 'A' },
    { name: 'with what a reference leads to', asked: {}, want: { x: 1 } },
    {
      name: 'with one part at two places',
      asked: { schema: objectOf({ p: dot, q: dot }) },
      want: { p: { x: 1 }, q: { x: 1 } },
    },
    {
      name: 'with what composed objects ask for',
      asked: { schema: { allOf: [dot, { type: 'object' }] } },
      want: { x: 1 },
    },
    { name: 'with a list of twenty', asked: { schema: listOf(20), seed: 's' }, want: Array(20).fill(1) },
    { name: 'no name that no example has', asked: { examples, example: 'c' }, want: undefined },
    { name: 'no schema that leads back to itself', asked: { schema: ownself }, want: undefined },
    { name: 'no list of more than twenty', asked: { schema: listOf(21), seed: 's' }, want: undefined },
    { name: 'no composed list', asked: { schema: { allOf: [{ type: 'array' }] } }, want: undefined },
    { name: 'no schema of more than 2,000 nodes', asked: { schema: wide(2_001) }, want: undefined },
  ])('$name', async ({ asked, want }) => expect(await ask(asked)).toEqual(want));

  test('a schema of nearly 2,000 nodes', async () => expect(await ask({ schema: wide(1_990) })).toBeDefined());

  test('with an invented value whatever the examples, the same for the same seed, also of a referenced part', async () => {
    const schema = objectOf({ p: dot, q: dot, r: { anyOf: [line] } });
    const [one, again, other] = await Promise.all(
      ['s', 's', 't'].map((seed) => ask({ schema, examples, dynamic: true, seed })),
    );
    expect(one).toEqual({ p: { x: expect.any(Number) }, q: { x: expect.any(Number) }, r: { to: expect.any(Boolean) } });
    expect(again).toEqual(one);
    expect(other).not.toEqual(one);
  });

  test('with another value after each seed: a seed holds for its own answer', async () => {
    const afterSeed = async () => {
      await ask({ dynamic: true, seed: 's' });
      return ask({ dynamic: true });
    };
    expect(await afterSeed()).not.toEqual(await afterSeed());
  });
});
