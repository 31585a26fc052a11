import { museumContract, museumOperations } from '@lockstep/runtime/fixtures/museum';
import { expect, test } from 'vitest';
import { findBadExamples } from './find-bad-examples.ts';
import { hardContract, hardOperations } from './fixtures/hard-contract.ts';

const place = (id: string, status = '200'): string =>
  `#/paths/~1${id}/get/responses/${status}/content/application~1json`;

test('reports examples that their schema rejects, with their location, and schemas that allow no value', async () => {
  expect(await findBadExamples(hardContract, hardOperations)).toEqual([
    {
      operationId: 'badExample',
      status: '200',
      example: 'default',
      pointer: `${place('badExample')}/example`,
      why: '/n: type integer',
    },
    {
      operationId: 'textOfJson',
      status: '200',
      example: 'default',
      pointer: `${place('textOfJson')}/example`,
      why: 'type object',
    },
    {
      operationId: 'oneGoodExample',
      status: '200',
      example: 'bad',
      pointer: `${place('oneGoodExample')}/examples/bad/value`,
      why: 'type integer',
    },
    {
      operationId: 'contradiction',
      status: '200',
      example: undefined,
      pointer: `${place('contradiction')}/schema`,
      why: 'minimum 2',
    },
    {
      operationId: 'endless',
      status: '200',
      example: undefined,
      pointer: '#/components/schemas/Endless',
      why: 'it asks for a value in itself without end',
    },
  ]);
});

test('a sound contract has none', async () => {
  expect(await findBadExamples(museumContract, museumOperations)).toEqual([]);
});

test('a shared example is reported once', async () => {
  const shared = { content: { 'application/json': { schema: { type: 'integer' }, example: 'x' } } };
  const contract = {
    paths: Object.fromEntries(
      ['a', 'b'].map((id) => [`/${id}`, { get: { responses: { 200: { $ref: '#/components/responses/Shared' } } } }]),
    ),
    components: { responses: { Shared: shared } },
  };
  const { nothing } = hardOperations;
  if (nothing === undefined) throw new Error('the fixture has changed');
  const operations = Object.fromEntries(
    ['a', 'b'].map((id) => [id, { ...nothing, operationId: id, pointer: `#/paths/~1${id}/get` }]),
  );
  expect(await findBadExamples(contract, operations)).toMatchObject([
    { operationId: 'a', pointer: '#/components/responses/Shared/content/application~1json/example' },
  ]);
});

test('forms that lead back to what they are forms of are judged in time', async () => {
  const kinds = Array.from({ length: 10 }, (_, index) => `Kind${index}`);
  const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const formOf = (kind: string) => ({ allOf: [refTo('Pet'), { properties: { kind: { const: kind } } }] });
  const { paths, operations } = oneAnswer(refTo('Pet'), { good: { kind: 'Kind7' }, bad: { kind: 'none' } });
  const schemas = {
    Pet: { type: 'object', required: ['kind'], oneOf: kinds.map(refTo) },
    ...Object.fromEntries(kinds.map((kind) => [kind, formOf(kind)])),
  };
  const found = await findBadExamples({ paths, components: { schemas } }, operations);
  // Beyond 300,000 steps of validation, an example is reported as bad for that reason, and not for its `oneOf`.
  expect(found).toEqual([expect.objectContaining({ example: 'bad', why: expect.stringMatching(/^oneOf/) })]);
});

test('it stops when the signal aborts', async () => {
  expect(await findBadExamples(hardContract, hardOperations, AbortSignal.abort())).toEqual([]);
});

function oneAnswer(schema: object, values: Readonly<Record<string, unknown>>) {
  const { nothing } = hardOperations;
  if (nothing === undefined) throw new Error('the fixture has changed');
  const examples = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
  const paths = { '/a': { get: { responses: { 200: { content: { 'application/json': { schema, examples } } } } } } };
  return { paths, operations: { a: { ...nothing, operationId: 'a', pointer: '#/paths/~1a/get' } } };
}
