import { expect, test } from 'vitest';
import { createMatch, readContract } from './operations.ts';

const contract = readContract(`
openapi: 3.0.3
paths:
  /users/{id}: { get: {}, delete: {} }
  /users/me: { get: {} }
  /users/{id}:lock: { post: {} }
  /files/{name}.{ending}: { get: {} }
  /token:
    servers: [{ url: '{HOST}/tokens', variables: { HOST: { default: 'http://localhost:1' } } }]
    post: {}
`);
const match = createMatch(contract, '/api');

test.each([
  ['GET', '/api/users/7', 'GET /users/{id}'],
  ['GET', '/api/users/7?full=1', 'GET /users/{id}'],
  ['GET', '/api/users/me', 'GET /users/me'],
  ['DELETE', '/api/users/me', 'DELETE /users/{id}'],
  ['POST', '/api/users/7:lock', 'POST /users/{id}:lock'],
  ['GET', '/api/files/a.txt', 'GET /files/{name}.{ending}'],
  ['POST', '/tokens/token', 'POST /token'],
  ['POST', '/api/token', 'POST /token'],
  ['PUT', '/api/users/7', undefined],
  ['GET', '/users/7', undefined],
  ['GET', '/api/users/7/', undefined],
  ['GET', '/api/users/7/locks', undefined],
])('%s %s is %s', (method, target, operation) => {
  expect(match(method, target)).toBe(operation);
});
