import { describe, expect, test } from 'vitest';
import { createResponseCheck } from './check-response.ts';
import type { Operation } from './operation.ts';

const document = { paths: { '/thing': { get: { responses: { 401: { description: 'Who?' } } } } } };
const operation: Operation = {
  operationId: 'getThing',
  method: 'get',
  basePath: '',
  path: '/thing',
  pointer: '#/paths/~1thing/get',
  parameters: [],
  requestBody: null,
  security: [],
  extensions: {},
};

const check = createResponseCheck(document, [operation]);
const judge = (headers: Record<string, string>) =>
  check(operation, { status: 401, headers, mediaType: undefined, content: undefined });

describe('headers that a response does not declare', () => {
  test.each(['Content-Type', 'X-Request-Id', 'Cache-Control', 'WWW-Authenticate'])('%s is let through', (name) => {
    expect(judge({ [name]: 'x' })).toBeUndefined();
  });

  test('any other is a fault', () => {
    expect(judge({ 'X-Colour': 'red' })).toEqual({
      pointer: '#/paths/~1thing/get/responses/401/headers',
      reason: 'x-colour is not declared',
    });
  });
});
