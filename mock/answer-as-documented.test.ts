import { describe, expect, test } from 'vitest';
import { answersBy, createAnswers } from './answer-as-documented.ts';
import { createPrism } from './prism.ts';

function operationOf(path: string) {
  return {
    operationId: 'readLogs',
    method: 'get',
    basePath: '',
    path,
    pointer: `#/paths/~1${path.slice(1)}/get`,
    parameters: [],
    requestBody: null,
    security: [],
    extensions: {},
  };
}

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
  const answer = await createAnswers(contract)(
    operationOf('/logs'),
    { dynamic: false },
    { requestId: 'r', accept: undefined },
  );
  expect(answer).toMatchObject({ status: 401, headers: want });
  expect(Object.keys(answer.headers ?? {})).toEqual(Object.keys(want));
});

describe('a documented answer', () => {
  const schema = { type: 'object', required: ['line'], properties: { line: { type: 'string', minLength: 3 } } };
  const examples = {
    refused: { value: { line: 'x' } },
    first: { value: { line: 'door' } },
    second: { value: { line: 'lock' } },
  };
  const describeLogs = (content: object) => {
    const responses = { 200: { description: 'Lines', content: { 'application/json': content } } };
    return { openapi: '3.1.0', paths: { '/logs': { get: { operationId: 'readLogs', responses } } } };
  };
  const [documented, bare] = [describeLogs({ schema, examples }), describeLogs({ schema })];
  const asked = { requestId: 'r', accept: undefined };

  test.each([
    {
      name: 'the first example that its schema takes',
      contract: documented,
      choice: {},
      want: { line: 'door' },
      isByPrism: false,
    },
    {
      name: 'one by its name',
      contract: documented,
      choice: { example: 'second' },
      want: { line: 'lock' },
      isByPrism: false,
    },
    {
      name: 'one with a seed that nothing needs',
      contract: documented,
      choice: { seed: '7' },
      want: { line: 'door' },
      isByPrism: false,
    },
    { name: 'an invented one', contract: documented, choice: { dynamic: true, seed: '7' }, isByPrism: true },
    {
      name: 'one by a name whose example its schema refuses',
      contract: documented,
      choice: { example: 'refused' },
      isByPrism: true,
    },
    { name: 'one without an example', contract: bare, choice: {}, isByPrism: true },
  ])('is $name: Prism is loaded for it: $isByPrism', async ({ contract, choice, want, isByPrism }) => {
    let isPrismLoaded = false;
    const answer = answersBy(contract, async (document) => {
      isPrismLoaded = true;
      return createPrism(document);
    });
    const { body } = await answer(operationOf('/logs'), { dynamic: false, ...choice }, asked);
    expect(body).toEqual(want ?? { line: expect.stringMatching(/^.{3,}$/su) });
    expect(isPrismLoaded).toBe(isByPrism);
  });
});

test('an answer has no member that clients only send, and a quoted entity tag', async () => {
  const secret = { type: 'string', writeOnly: true };
  const schema = {
    properties: { list: { items: { required: ['pin'], properties: { pin: secret, id: {} } } }, pin: secret },
  };
  const example = { pin: '1', list: [{ pin: '2', id: 3 }] };
  const headers = { ETag: { schema: { type: 'string' }, example: 'v1' } };
  const responses = { 200: { description: 'OK', headers, content: { 'application/json': { schema, example } } } };
  const contract = { openapi: '3.1.0', paths: { '/logs': { get: { operationId: 'readLogs', responses } } } };
  const answer = await createAnswers(contract)(
    operationOf('/logs'),
    { dynamic: false },
    { requestId: 'r', accept: undefined },
  );
  expect(answer).toMatchObject({ headers: { ETag: '"v1"' } });
  expect(answer.body).toEqual({ list: [{ id: 3 }] });
});
