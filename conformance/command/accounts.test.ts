import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import { readAccounts } from './accounts.ts';
import { readOptions } from './options.ts';

const contract = readContract(
  'api.json',
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: { '/a': { get: { security: [{ oauth: ['items:read', 'items:write'] }], responses: {} } } },
    components: {
      securitySchemes: {
        oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/t', scopes: { admin: 'all' } } } },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Key' },
        login: { type: 'http', scheme: 'basic' },
        tls: { type: 'mutualTLS' },
      },
    },
  }),
);

let folder: string;
let authFile: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-conform-'));
  authFile = join(folder, 'auth.yaml');
  const users = ['ada', 'bob', 'cleo'].map(
    (name) => `  - {name: ${name}, fixedHeaders: [{name: X-Key, value: ${name}}]}`,
  );
  await writeFile(authFile, `auth:\n${users.join('\n')}\n`);
});

afterAll(() => rm(folder, { recursive: true }));

async function accountsOf(raw: Parameters<typeof readOptions>[0]) {
  const { values, faults } = readOptions({ contract: 'x', baseUrl: 'http://a', ...raw }, true);
  const read = await readAccounts(values, contract);
  return { ...read, faults: [...faults, ...read.faults] };
}

describe('tokens by scope', () => {
  test.each([
    { given: ['abc'], want: { token: 'abc', scopedTokens: [] } },
    { given: ['ZGVm=='], want: { token: 'ZGVm==', scopedTokens: [] } },
    { given: ['user=ada'], want: { token: 'user=ada', scopedTokens: [] } },
    {
      given: ['items:read items:write=a=b', 'plain', 'admin=c'],
      want: {
        token: 'plain',
        scopedTokens: [
          { scopes: ['items:read', 'items:write'], text: 'a=b' },
          { scopes: ['admin'], text: 'c' },
        ],
      },
    },
  ])('$given', async ({ given, want }) => {
    const { own, second, faults } = await accountsOf({ token: given });
    expect(faults).toEqual([]);
    expect(own).toMatchObject(want);
    expect(second).toBeUndefined();
  });
});

test('credentials by the name of their scheme, and a second account by its own options', async () => {
  const { own, second, faults } = await accountsOf({
    credential: ['apiKey=k=1', 'login=ada:pw'],
    secondToken: ['admin=other'],
    secondUser: 'bob:p:w',
  });
  expect(faults).toEqual([]);
  expect(own.byScheme).toEqual({ apiKey: 'k=1', login: 'ada:pw' });
  expect(second).toMatchObject({
    scopedTokens: [{ scopes: ['admin'], text: 'other' }],
    user: { name: 'bob', password: 'p:w' },
  });
});

test.each([
  { given: {}, want: ['ada', 'bob'] },
  { given: { account: 'bob' }, want: ['bob', 'ada'] },
  { given: { secondAccount: 'cleo' }, want: ['ada', 'cleo'] },
])('users of a file: $given', async ({ given, want }) => {
  const { own, second, faults } = await accountsOf({ authFile, ...given });
  expect(faults).toEqual([]);
  expect([own.login?.name, second?.login?.name]).toEqual(want);
});

describe('names each fault', () => {
  test.each([
    {
      given: { token: ['items:raed=t'] },
      message:
        '--token: the contract has no scope items:raed. Did you mean items:read? There are: admin, items:read, items:write. Pass a token that contains = with --credential.',
    },
    { given: { secondToken: ['a b=t'] }, message: '--second-token: the contract has no scope a.' },
    {
      given: { token: ['a', 'b'] },
      message: "--token is given 2 times without scopes: give one token, or write 'scope=TOKEN'.",
    },
    {
      given: { credential: ['apikey=x'] },
      message:
        '--credential: the contract has no security scheme apikey. Did you mean apiKey? There are: oauth, apiKey, login, tls.',
    },
    { given: { credential: ['secret-alone'] }, message: "--credential: write 'scheme=value'." },
    { given: { credential: ['login=ada'] }, message: "--credential login is HTTP Basic: write 'login=name:password'." },
    { given: { credential: ['tls=x'] }, message: '--credential tls is a client certificate: give --cert and --key.' },
    { given: { user: 'ada' }, message: "--user: write 'name:password'." },
    { given: { clientSecret: 's' }, message: '--client-secret needs --client-id too.' },
    { given: { cert: 'c.pem' }, message: '--cert needs --key too.' },
    { given: { account: 'ada' }, message: '--account needs --auth-file too.' },
    { given: { authFile: 'gone.yaml' }, message: '--auth-file gone.yaml cannot be read: ENOENT' },
    { given: { waitForTarget: 'long' }, message: '--wait-for-target long is not a duration: write 30s, 2m or 500ms.' },
  ])('$given', async ({ given, message }) => {
    const { faults } = await accountsOf(given);
    expect(faults[0]).toContain(message);
  });
  test('unknown users, and one used for both accounts', async () => {
    const missing = await accountsOf({ authFile, account: 'bbo' });
    expect(missing.faults).toEqual(['--account bbo: the file has no such user. There are: ada, bob, cleo.']);
    const twice = await accountsOf({ authFile, secondAccount: 'ada' });
    expect(twice.faults).toEqual(['--second-account ada is the account of the run: name another user of the file.']);
  });
});
