import { describe, expect, test } from 'vitest';
import type { Contract } from './contract.ts';
import { readContract } from './read-contract.ts';
import { baseOf, explainServer, placeOperations, type ServerPlace, unknownServers } from './servers.ts';

describe('an operation with servers of its own belongs to another party', () => {
  test.each([
    { root: 'https://api.example/v1', own: 'https://login.example', want: 'auth', address: undefined },
    { root: 'https://api.example/v1', own: 'https://api.example/v1/', want: 'api', address: undefined },
    { root: 'https://api.example/v1', own: 'http://api.example/login/', want: 'auth', address: '/login' },
    { root: 'https://api.example/v1', own: 'https://api.example', want: 'auth', address: '' },
    { root: '//api.example', own: 'https://api.example', want: 'api', address: undefined },
    { root: '/v1', own: '/auth', want: 'auth', address: '/auth' },
  ])('$own with $root: $want', ({ root, own, want, address }) => {
    const paths = { '/a': { get: { servers: [{ url: own }], responses: {} } } };
    const document = { openapi: '3.1.0', info: { title: 'T', version: '1' }, servers: [{ url: root }], paths };
    const [operation] = readContract('api.json', JSON.stringify(document)).operations;
    expect(operation).toMatchObject({ target: want });
    expect(operation?.address).toBe(address);
  });
});

describe('an operation of another server is called', () => {
  const local = 'http://localhost:3000/api';
  const rows: readonly {
    readonly name: string;
    readonly root?: string;
    readonly own: string;
    readonly given?: readonly ServerPlace[];
    readonly authUrl?: string;
    readonly want: string | undefined;
  }[] = [
    { name: 'nowhere, if no option names its server', own: 'https://files.example', want: undefined },
    { name: 'on the host of the base URL', own: 'http://localhost:3000/files', want: 'http://localhost:3000/files' },
    {
      name: 'at --server',
      own: 'https://files.example',
      given: [['https://files.example/', 'http://localhost:1/f']],
      want: 'http://localhost:1/f',
    },
    {
      name: 'there, although --auth-url is given',
      own: 'https://files.example',
      given: [['https://files.example', 'http://localhost:1']],
      authUrl: 'http://localhost:2',
      want: 'http://localhost:1',
    },
    {
      name: 'there, although it is on the host of the API',
      root: 'https://a.example/v1',
      own: 'https://a.example/files',
      given: [['https://a.example/files', 'http://localhost:1']],
      want: 'http://localhost:1',
    },
    {
      name: 'at --auth-url, if --server names another server',
      own: 'https://files.example',
      given: [['https://a.example', 'http://localhost:1']],
      authUrl: 'http://localhost:2',
      want: 'http://localhost:2',
    },
  ];
  test.each(rows)('$name', ({ root, own, given = [], authUrl, want }) => {
    const contract = placeOperations(contractOf(own, root), local, given);
    expect(contract.operations.map((operation) => baseOf(operation, { baseUrl: local, authUrl }))).toEqual([want]);
  });

  test('the named option exists, and is --auth-url only with OAuth', () => {
    const explained = [{}, { login: { type: 'http', scheme: 'bearer' } }, { login: { type: 'oauth2', flows: {} } }].map(
      (securitySchemes) => {
        const contract = contractOf('https://files.example', undefined, { securitySchemes });
        return contract.operations.map((operation) => explainServer(contract, operation));
      },
    );
    const plain = 'the operation is at another server: pass --server https://files.example=URL';
    const both = 'the operation is at another server: pass --auth-url URL, or --server https://files.example=URL';
    expect(explained).toEqual([[plain], [plain], [both]]);
  });

  test('a server without operations is reported as unknown', () => {
    const contract = contractOf('https://files.example', 'https://a.example');
    const places: readonly ServerPlace[] = [
      ['https://file.example', local],
      ['https://files.example', local],
    ];
    expect(unknownServers(contract, places)).toEqual(['https://file.example']);
  });
});

function contractOf(own: string, root?: string, components: object = {}): Contract {
  const paths = { '/a': { get: { servers: [{ url: own }], responses: {} } } };
  const servers = root === undefined ? {} : { servers: [{ url: root }] };
  return readContract(
    'a.json',
    JSON.stringify({ openapi: '3.1.0', info: { title: 'T', version: '1' }, ...servers, paths, components }),
  );
}
