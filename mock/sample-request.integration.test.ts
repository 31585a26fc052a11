import type { ContractDocument } from '@lockstep/json/json-pointer';
import { museumContract, museumOperations } from '@lockstep/runtime/fixtures/museum';
import type { Operation, OperationTable } from '@lockstep/runtime/operation';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { sampleRequest } from './sample-request.ts';
import { startContractMock } from './start-contract-mock.ts';

// The service must accept the first line that a user pastes.

const schemas: Readonly<Record<string, object>> = {
  integer: { type: 'integer', minimum: 3, multipleOf: 4 },
  pattern: { type: 'string', pattern: '^[A-Z]{3}-\\d+$' },
  format: { type: 'string', format: 'uuid' },
  boolean: { type: 'boolean' },
  list: { type: 'array', minItems: 2, uniqueItems: true, items: { type: 'integer' } },
  badExample: { type: 'integer', example: 'many' },
  condition: { type: 'integer', not: { maximum: 9 } },
};

const pointer = '#/paths/~1hard~1{id}/post';
const parameters = (['path', 'query', 'header'] as const).flatMap((place) =>
  Object.entries(schemas).map(([name, schema]) => ({ name: `${place}-${name}`, in: place, required: true, schema })),
);
const path = `/hard/${parameters
  .filter((parameter) => parameter.in === 'path')
  .map(({ name }) => `{${name}}`)
  .join('/')}`;
const body = {
  type: 'object',
  required: [...Object.keys(schemas), 'pet', 'id'],
  properties: { ...schemas, pet: { $ref: '#/components/schemas/Pet' }, id: { type: 'integer', readOnly: true } },
  additionalProperties: false,
};
const formOf = (kind: string) => ({
  allOf: [{ $ref: '#/components/schemas/Pet' }, { properties: { kind: { const: kind } } }],
});
const hardContract = {
  paths: {
    '/hard/{id}': {
      post: {
        parameters,
        requestBody: { required: true, content: { 'application/json': { schema: body } } },
        responses: { 204: {} },
      },
    },
  },
  components: {
    schemas: {
      Pet: {
        type: 'object',
        required: ['kind'],
        oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
      },
      Cat: formOf('cat'),
      Dog: formOf('dog'),
    },
  },
};
const hard: Operation = {
  operationId: 'hard',
  method: 'post',
  basePath: '',
  path,
  pointer,
  parameters: parameters.map(({ name, in: place }, index) => ({
    name,
    in: place,
    required: true,
    style: place === 'query' ? 'form' : 'simple',
    explode: place === 'query',
    allowEmptyValue: false,
    schema: `${pointer}/parameters/${index}/schema`,
  })),
  requestBody: {
    required: true,
    content: { 'application/json': `${pointer}/requestBody/content/application~1json/schema` },
  },
  security: [],
  extensions: {},
};

const contracts: readonly { name: string; contract: ContractDocument; operations: OperationTable }[] = [
  { name: 'museum', contract: museumContract, operations: museumOperations },
  { name: 'hard', contract: hardContract, operations: { hard } },
];

describe('every sample is taken by the mock', () => {
  for (const { name, contract, operations } of contracts) {
    test(`of ${name}`, async () => {
      const logger = pino({ level: 'silent' });
      const mock = await startContractMock({
        contract,
        operations,
        logger,
        port: 0,
        host: '127.0.0.1',
        unchecked: () => undefined,
      });
      const refused: string[] = [];
      try {
        for (const operation of Object.values<Operation>(operations)) {
          const { method, target, headers, body: sent } = sampleRequest(contract, operation);
          const given = { method, headers, redirect: 'manual', ...(sent !== undefined && { body: sent }) } as const;
          const answer = await fetch(mock.origin + target, given);
          const text = await answer.text();
          if (answer.status >= 400) refused.push(`${method} ${target} ${answer.status} ${text}`);
        }
      } finally {
        await mock.close();
      }
      expect(refused).toEqual([]);
    });
  }
});
