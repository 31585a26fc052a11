import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Answer, Exchange } from './exchange.ts';
import type { Operation } from './operation.ts';
import { createReply } from './reply.ts';

const text = { type: 'string', 'x-fault': 'text' };
const trouble = { type: 'object', properties: { text, trace: { type: 'string', 'x-fault': 'request-id' } } };
const document = {
  paths: {
    '/thing': {
      get: {
        responses: {
          200: { content: { 'text/csv': {} } },
          201: { content: { 'application/json': {}, 'text/csv': {} } },
          202: { content: { 'image/*': {} } },
          203: { content: { 'application/xml': { schema: { properties: { n: { xml: { name: 'number' } } } } } } },
          '4XX': { content: { 'application/problem+json': { schema: trouble } } },
          default: { content: { 'application/vnd.thing+json': { schema: trouble } } },
        },
      },
    },
  },
};
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

async function send(answer: Answer, method = 'GET', reported: unknown[] = []) {
  const reply = createReply<Exchange>({
    document,
    operations: [operation],
    ambient: () => ({}),
    checkResponse: undefined,
    answered: undefined,
    logger: { error: (context) => void reported.push(context) },
    answerError: (error) => {
      if (error !== undefined) throw error;
      return { status: 500, body: { text: 'bug' } };
    },
  });
  const request = Object.assign(new IncomingMessage(new Socket()), { method });
  const response = new ServerResponse(request);
  const written: unknown[] = [];
  response.end = (content?: unknown) => {
    if (content !== undefined) written.push(content);
    return response;
  };
  await reply({ request, requestId: 'r-1', operation }, response, answer);
  const { 'content-type': type, 'content-length': length } = response.getHeaders();
  return { type, length, content: written[0] };
}

describe('the media type of an answer that names none', () => {
  test.each([
    {
      name: 'XML for a value',
      status: 203,
      body: { n: 1 },
      type: 'application/xml',
      content: '<?xml version="1.0" encoding="UTF-8"?>\n<root><number>1</number></root>',
    },
    { name: 'XML that a handler wrote', status: 203, body: '<a/>', type: 'application/xml', content: '<a/>' },
    { name: 'that of its status', status: 200, body: 'a,b', type: 'text/csv', content: 'a,b' },
    { name: 'JSON where there are several', status: 201, body: 'a', type: 'application/json', content: '"a"' },
    { name: 'JSON where it is a range', status: 202, body: 'a', type: 'application/json', content: '"a"' },
    {
      name: 'that of its range of statuses, whose marked member has the id of the request',
      status: 404,
      body: { text: 'no' },
      type: 'application/problem+json',
      content: '{"text":"no","trace":"r-1"}',
    },
    {
      name: 'that of its range of statuses, where bytes stay bytes though a member is marked',
      status: 404,
      body: Buffer.from('{}'),
      type: 'application/problem+json',
      content: Buffer.from('{}'),
    },
    {
      name: 'that of all other statuses',
      status: 500,
      body: { text: 'no' },
      type: 'application/vnd.thing+json',
      content: '{"text":"no","trace":"r-1"}',
    },
  ])('is $name', async ({ status, body, type, content }) => {
    expect(await send({ status, body })).toMatchObject({ type, content });
  });
});

test.each([
  { given: undefined, reason: 'the handler returned nothing: return { status, body }' },
  { given: null, reason: 'the handler returned null: return { status, body }' },
  { given: 'no', reason: 'the handler returned a string: return { status, body }' },
  { given: {}, reason: 'the handler returned no valid status: return a number from 100 to 599' },
  { given: { status: '200' }, reason: 'the handler returned no valid status: return a number from 100 to 599' },
])('a handler that gives $given is logged in a line, and answered 500', async ({ given, reason }) => {
  const reported: unknown[] = [];
  expect(await send(given as never, 'GET', reported)).toMatchObject({ content: '{"text":"bug","trace":"r-1"}' });
  expect(reported).toEqual([{ requestId: 'r-1', operationId: 'getThing', reason }]);
});

test.each([
  [1e21, '1000000000000000000000'],
  [-2e21, '-2000000000000000000000'],
  [1.5e-7, '1.5e-7'],
  ['1e+21', '"1e+21"'],
])('the number %j is written as %s', async (size, written) => {
  expect((await send({ status: 201, body: { size } })).content).toBe(`{"size":${written}}`);
});

describe('an answer without content', () => {
  test.each([
    { method: 'GET', status: 200, length: 0 },
    { method: 'HEAD', status: 200, length: undefined },
    { method: 'GET', status: 204, length: undefined },
    { method: 'GET', status: 304, length: undefined },
  ])('to $method, $status, has the length $length', async ({ method, status, length }) => {
    expect(await send({ status }, method)).toEqual({ type: undefined, length, content: undefined });
  });

  test('leaves the length of GET to HEAD', async () => {
    expect(await send({ status: 200, body: 'a,b' }, 'HEAD')).toMatchObject({ length: 3 });
  });
});
