import { describe, expect, test } from 'vitest';
import { createResponseCheck } from './check-response.ts';
import type { Operation } from './operation.ts';

const content = {
  'image/*': {},
  'text/plain': { schema: { type: 'integer' } },
  'application/xml': { schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } },
  'model/gltf+json': { schema: { type: 'object' } },
};
const headers = {
  'X-Ids': { schema: { type: 'array', maxItems: 2, items: { type: 'integer' } } },
  'X-Size': { explode: true, schema: { type: 'object', properties: { w: { type: 'integer' } } } },
  'X-Json': { content: { 'application/json': { schema: { type: 'array' } } } },
};
const responses = {
  204: { description: 'Headers', headers },
  200: { description: 'Good', content },
  401: { description: 'Who?' },
};
const document = { paths: { '/thing': { get: { responses } } } };
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

test('what does not compile is left unchecked where somebody tolerates that, and all else is checked', () => {
  const broken = {
    200: {
      headers: { A: { schema: { pattern: '(' } } },
      content: { 'application/json': { schema: { type: 'object' } } },
    },
  };
  const contract = { paths: { '/thing': { get: { responses: broken } } } };
  expect(() => createResponseCheck(contract, [operation])).toThrow();
  const tolerated: unknown[] = [];
  const tolerant = createResponseCheck(contract, [operation], {
    isLazy: true,
    tolerate: (compile) => (of) => (schema) => {
      try {
        return compile(schema);
      } catch {
        tolerated.push(of?.operationId);
        return () => undefined;
      }
    },
  });
  expect(tolerated).toEqual([]);
  const answer = { status: 200, headers: { A: 'x' }, mediaType: 'application/json' };
  expect(tolerant(operation, { ...answer, content: '{}' })).toBeUndefined();
  expect(tolerant(operation, { ...answer, content: '[]' })?.reason).toBe('must be object');
  expect(tolerated).toEqual(['getThing']);
});

describe('a header of several values', () => {
  test.each([
    { sent: { 'X-Ids': '1,2' }, fault: undefined },
    { sent: { 'X-Ids': '1,2,3' }, fault: 'must NOT have more than 2 items' },
    { sent: { 'X-Ids': '1,b' }, fault: 'must be integer' },
    { sent: { 'X-Size': 'w=3' }, fault: undefined },
    { sent: { 'X-Size': 'w' }, fault: 'does not have its form' },
    { sent: { 'X-Json': '[1]' }, fault: undefined },
    { sent: { 'X-Json': '{}' }, fault: 'must be array' },
    { sent: { 'X-Json': '{' }, fault: 'does not have its form' },
  ])('$sent is judged: $fault', ({ sent, fault }) => {
    const outgoing = { status: 204, headers: { ...sent }, mediaType: undefined, content: undefined };
    expect(check(operation, outgoing)?.reason).toBe(fault);
  });
});

describe('a body', () => {
  test.each([
    { name: 'of a range', mediaType: 'image/png', body: new Uint8Array([1]), fault: undefined },
    { name: 'of no range', mediaType: 'audio/ogg', body: new Uint8Array([1]), fault: 'audio/ogg is not declared' },
    { name: 'of text that is a number', mediaType: 'text/plain; charset=utf-8', body: '5', fault: undefined },
    { name: 'of XML', mediaType: 'application/xml', body: '<a><n>5</n></a>', fault: undefined },
    {
      name: 'of XML with a wrong member',
      mediaType: 'application/xml',
      body: '<a><n>x</n></a>',
      fault: 'must be integer',
    },
    { name: 'of no XML', mediaType: 'application/xml', body: '<a><n>', fault: 'must be object' },
    { name: 'of text that should be a number', mediaType: 'text/plain', body: 'five', fault: 'must be integer' },
    { name: 'of JSON of another tree of types', mediaType: 'model/gltf+json', body: '{}', fault: undefined },
    { name: 'of such JSON that breaks its schema', mediaType: 'model/gltf+json', body: '[]', fault: 'must be object' },
  ])('$name is judged: $fault', ({ mediaType, body, fault }) => {
    const outgoing = { status: 200, headers: { 'Content-Type': mediaType }, mediaType, content: body };
    expect(check(operation, outgoing)?.reason).toBe(fault);
  });

  test.each([
    { method: 'get', fault: 'the body is missing' },
    { method: 'head', fault: undefined },
  ])('may be missing in an answer to $method: $fault', ({ method, fault }) => {
    const outgoing = { status: 200, headers: {}, mediaType: undefined, content: undefined };
    expect(check({ ...operation, method }, outgoing)?.reason).toBe(fault);
  });
});
