import { expect, test } from 'vitest';
import { listOperations } from './list-operations.ts';
import type { OpenApiDocument, OperationObject } from './openapi-document.ts';

const answer = { responses: { '200': { description: 'OK' } } };

function operation(operationId: string, more: Partial<OperationObject> = {}): OperationObject {
  return { operationId, ...answer, ...more } as OperationObject;
}

test('literal paths come before templates, whatever the order of the source', () => {
  const paths = {
    '/devices/{id}/{part}': { get: operation('part') },
    '/devices/{id}': { put: operation('update'), get: operation('read') },
    '/devices/search': { get: operation('search') },
    '/devices': { get: operation('list') },
    '/devices/{id}/parts': { get: operation('parts') },
  };
  const document: OpenApiDocument = { openapi: '3.1.1', info: { title: 'T', version: '1' }, paths };
  expect(listOperations(document).map(({ operationId }) => operationId)).toEqual([
    'list',
    'search',
    'read',
    'update',
    'parts',
    'part',
  ]);
});

test.each([
  {
    name: 'a path and a variable',
    servers: [{ url: 'http://h:{port}/{stage}/', variables: { port: { default: '1' }, stage: { default: 'v1' } } }],
    want: '/v1',
  },
  { name: 'a relative address', servers: [{ url: '/api' }], want: '/api' },
  { name: 'a bare host', servers: [{ url: 'https://h' }], want: '' },
  { name: 'none', servers: undefined, want: '' },
])('the base path of $name is "$want"', ({ servers, want }) => {
  const document = {
    openapi: '3.1.1',
    info: { title: 'T', version: '1' },
    ...(servers === undefined ? {} : { servers }),
    paths: { '/a': { get: operation('a') } },
  } as OpenApiDocument;
  expect(listOperations(document)[0]?.basePath).toBe(want);
});

test('the nearest servers, security and parameters win', () => {
  const item = {
    servers: [{ url: '/item' }],
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'page', in: 'query', schema: { type: 'integer' } },
    ],
    get: operation('read', { parameters: [{ $ref: '#/components/parameters/Page' }], security: [] }),
    put: operation('write', { servers: [{ url: '/write' }] }),
  } as const;
  const document = {
    openapi: '3.1.1',
    info: { title: 'T', version: '1' },
    servers: [{ url: '/root' }],
    security: [{ key: [] }],
    paths: { '/a/{id}': item },
    components: { parameters: { Page: { name: 'page', in: 'query', required: true } } },
  } as unknown as OpenApiDocument;
  const [read, write] = listOperations(document);
  expect(read).toMatchObject({ operationId: 'read', basePath: '/item', security: [] });
  expect(read?.parameters.map(({ value, pointer }) => [value.name, value.required, pointer])).toEqual([
    ['id', true, '#/paths/~1a~1{id}/parameters/0'],
    ['page', true, '#/components/parameters/Page'],
  ]);
  expect(write).toMatchObject({ operationId: 'write', basePath: '/write', security: [{ key: [] }] });
});

test('parameters are keyed by place and name, and one that is declared twice is required if either is', () => {
  const parameters = [
    { name: 'type', in: 'path', required: true },
    { name: 'type', in: 'query' },
    { name: 'X-A', in: 'header', required: true },
    { name: 'x-a', in: 'header' },
    { name: 'gone', in: 'path', required: true },
  ];
  const item = { parameters: [{ name: 'X-a', in: 'header' }], get: { operationId: 'a', parameters, responses: {} } };
  const document = { openapi: '3.1.1', info: { title: 'T', version: '1' }, paths: { '/a/{type}': item } };
  const [operation] = listOperations(document as never);
  expect(operation?.parameters.map(({ value }) => value)).toEqual([
    { name: 'x-a', in: 'header', required: true },
    { name: 'type', in: 'path', required: true },
    { name: 'type', in: 'query' },
  ]);
});
