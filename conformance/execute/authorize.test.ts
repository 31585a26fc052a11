import { describe, expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import { authorize } from './authorize.ts';

const schemes = {
  one: { type: 'oauth2', flows: {} },
  other: { type: 'oauth2', flows: {} },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  basic: { type: 'http', scheme: 'basic' },
};

describe('one alternative of several schemes', () => {
  test.each([
    {
      name: 'two of OAuth: one token in one header',
      security: [{ one: ['a'], other: ['b'] }],
      want: [['authorization', 'Bearer t']],
    },
    {
      name: 'a token and a key',
      security: [{ one: [], key: [] }],
      want: [
        ['authorization', 'Bearer t'],
        ['X-Key', 't'],
      ],
    },
    {
      name: 'a token and Basic, which no request can carry at once',
      security: [{ one: [], basic: [] }],
      want: undefined,
    },
    {
      name: 'the next alternative after one that cannot be sent',
      security: [{ one: [], basic: [] }, { key: [] }],
      want: [['X-Key', 't']],
    },
  ])('$name', async ({ security, want }) => {
    const paths = { '/a': { get: { security, responses: {} } } };
    const document = {
      openapi: '3.1.0',
      info: { title: 'T', version: '1' },
      paths,
      components: { securitySchemes: schemes },
    };
    const contract = readContract('api.json', JSON.stringify(document));
    const [operation] = contract.operations;
    if (operation === undefined) throw new Error('no operation');
    const tokens = { tokenFor: async () => 't', renew: () => false, problems: () => [] };
    const credentials = { token: 't', clientId: 'c', clientSecret: 's' };
    const authorization = await authorize({ contract, credentials, tokens }, operation, []);
    expect(authorization?.headers).toEqual(want);
  });
});
