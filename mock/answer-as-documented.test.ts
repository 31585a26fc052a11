import { expect, test } from 'vitest';
import { createAnswers } from './answer-as-documented.ts';

test.each([
  { name: 'one where the contract has none', headers: {}, want: { 'WWW-Authenticate': 'Bearer realm="api"' } },
  {
    name: 'that of the contract, however it is spelt',
    headers: { 'www-authenticate': { schema: { const: 'Basic realm="desk"' } } },
    want: { 'www-authenticate': 'Basic realm="desk"' },
  },
])('a 401 has a challenge (RFC 9110, 11.6.1): $name', async ({ headers, want }) => {
  const responses = { 401: { description: 'No', headers } };
  const contract = { openapi: '3.1.0', paths: { '/logs': { get: { operationId: 'readLogs', responses } } } };
  const operation = {
    operationId: 'readLogs',
    method: 'get',
    basePath: '',
    path: '/logs',
    pointer: '#/paths/~1logs/get',
    parameters: [],
    requestBody: null,
    security: [],
    extensions: {},
  };
  const answer = await createAnswers(contract)(operation, { dynamic: false }, { requestId: 'r', accept: undefined });
  expect(answer).toMatchObject({ status: 401, headers: want });
  expect(Object.keys(answer.headers ?? {})).toEqual(Object.keys(want));
});
