import { expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import type { NumberedExchange } from '../execute/exchange.ts';
import { plainIntent } from '../planted/apis.ts';
import { createJudge } from '../schema/create-judge.ts';
import { bodySchema } from './body-schema.ts';

const types = ['application/json', 'text/plain', 'text/xml', 'application/xml', 'text/csv'];
const content = Object.fromEntries(types.map((type) => [type, { schema: { type: 'object', required: ['a'] } }]));
const paths = { '/a': { get: { operationId: 'readA', responses: { 200: { description: 'OK', content } } } } };
const contract = readContract(
  'api.json',
  JSON.stringify({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths }),
);

test.each([
  { type: 'application/json', body: '{}', isDefect: true },
  { type: 'application/json', body: '{"a":1}', isDefect: false },
  { type: 'text/plain', body: '{"a":1}', isDefect: true },
  { type: 'text/xml', body: '<a/>', isDefect: false },
  { type: 'application/xml', body: '<a/>', isDefect: false },
  { type: 'text/csv; charset=utf-8', body: 'a,b', isDefect: false },
])('$body as $type breaks the schema of an object: $isDefect', ({ type, body, isDefect }) => {
  const [operation] = contract.operations;
  if (operation === undefined) throw new Error('no operation');
  const exchange: NumberedExchange = {
    operation,
    intent: plainIntent,
    request: { method: 'GET', base: '', path: '/a', headers: [], body: undefined },
    outcome: { kind: 'answer', status: 200, headers: [['content-type', type]], body: Buffer.from(body), durationMs: 1 },
    seen: { path: {}, query: {}, requestHeaders: {}, requestBody: undefined },
    isPause: false,
    atMs: 0,
    number: 1,
  };
  const context = { contract, judge: createJudge(contract), slowMs: undefined, secretsSeen: [] };
  expect(bodySchema.judge(exchange, context).some(({ failures }) => failures.length > 0)).toBe(isDefect);
});
