import { expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import type { Exchange } from '../execute/exchange.ts';
import { plainIntent } from '../planted/apis.ts';
import { createRedactor } from './redact.ts';

const contract = readContract(
  'a.json',
  JSON.stringify({
    openapi: '3.1.0',
    info: {},
    paths: {
      '/a': {
        post: {
          requestBody: {
            content: {
              'application/json': {
                schema: {
                  properties: {
                    data: {
                      type: 'string',
                      contentMediaType: 'application/json',
                      contentSchema: { properties: { pin: { 'x-sensitive': true } } },
                    },
                  },
                },
              },
            },
          },
          responses: {
            200: {
              content: {
                'application/json': {
                  schema: { anyOf: [{ properties: { code: { format: 'password' } } }, { type: 'null' }] },
                },
              },
            },
          },
        },
      },
    },
  }),
);

test('what the contract calls secret is kept out, in any spelling, and whole texts that only contain it are not', () => {
  const redactor = createRedactor(contract);
  const [operation] = contract.operations;
  if (operation === undefined) throw new Error('no operation');
  const seen = {
    path: {},
    query: {},
    requestHeaders: {},
    requestBody: { data: '{"pin":"4711"}' },
    responseBody: { code: 'a b/c"d+e' },
  };
  const outcome = { kind: 'answer', status: 200, headers: [], body: Buffer.from(''), durationMs: 1 } as const;
  const request = { method: 'POST', base: '', path: '/a', headers: [], body: undefined };
  const exchange: Exchange = {
    operation,
    intent: plainIntent,
    request,
    outcome,
    seen,
    isPause: false,
    atMs: 0,
  };
  expect(redactor.learn(exchange).map(({ text }) => text)).toEqual(['a b/c"d+e']);
  expect(redactor.redact('pin 4711, id 947110, a b/c"d+e, a%20b%2Fc%22d%2Be, "a b/c\\"d+e"')).toBe(
    'pin ***, id 947110, ***, ***, "***"',
  );
});
