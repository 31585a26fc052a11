import { expect, test } from 'vitest';
import { changeCredentials } from './change-credentials.ts';
import type { CredentialChange } from './exchange.ts';

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = `${encode({ alg: 'RS256', kid: '1' })}.${encode({ sub: 'ada', scope: 'read' })}.c2lnbmF0dXJlLW9m`;
const basic = `Basic ${Buffer.from('ada:not-a-secret').toString('base64')}`;
const none = undefined;

const table: readonly (readonly [change: CredentialChange, bearer: string | undefined, key: string | undefined])[] = [
  ['empty', 'Bearer', ''],
  ['nonsense', 'Bearer fgh-678-fgh', 'fgh-678-fgh'],
  ['other scheme', `Basic ${Buffer.from('conform-nobody:wrong').toString('base64')}`, none],
  ['as Basic', 'Basic abc-123-abc', none],
  ['as Token', 'Token abc-123-abc', none],
  ['longer', 'Bearer abc-123-abcconform', 'abc-123-abcconform'],
  ['other case', none, none],
  ['all in other case', none, none],
  ['scheme in lower case', 'bearer abc-123-abc', none],
  ['altered end', 'Bearer abc-178-abc', 'abc-178-abc'],
  ['altered payload', none, none],
  ['alg none', none, none],
  ['expired', 'Bearer old', 'old'],
];

test.each(table)('%s: a bearer token, and a key', (change, bearer, key) => {
  const given = { expired: 'old' };
  expect(changeCredentials('Bearer abc-123-abc', change, { ...given, hasScheme: true })).toBe(bearer);
  expect(changeCredentials('abc-123-abc', change, { ...given, hasScheme: false })).toBe(key);
});

test('a key in Authorization without a scheme is changed like any other key', () => {
  const change = (name: CredentialChange) => changeCredentials('abc-123-abc', name, { hasScheme: true, expired: none });
  expect([change('nonsense'), change('altered end'), change('empty')]).toEqual(['fgh-678-fgh', 'abc-178-abc', '']);
});

test.each([
  ['Key-7g', 'kEY-7G', none],
  ['key-7g', none, 'KEY-7G'],
  ['0E8400-e29b', none, none],
  [jwt, none, none],
])('the letters of %s change their case, unless both cases are equal in it', (key, mixed, single) => {
  const change = (name: CredentialChange) => changeCredentials(key, name, { hasScheme: false, expired: none });
  expect([change('other case'), change('all in other case')]).toEqual([mixed, single]);
});

test('a JWT keeps its signature with another payload, and loses it with alg none', () => {
  const change = (name: CredentialChange): string[] =>
    changeCredentials(`Bearer ${jwt}`, name, { hasScheme: true, expired: none })?.slice(7).split('.') ?? [];
  const [head, , signature] = jwt.split('.');
  const altered = change('altered payload');
  expect([altered[0], altered[2]]).toEqual([head, signature]);
  expect(JSON.parse(Buffer.from(altered[1] ?? '', 'base64url').toString())).toEqual({
    sub: 'conform-nobody',
    scope: 'read',
  });
  const unsigned = change('alg none');
  expect(JSON.parse(Buffer.from(unsigned[0] ?? '', 'base64url').toString()).alg).toBe('none');
  expect(unsigned[2]).toBe('');
});

test('of the credentials of a client, only the secret changes', () => {
  const client = `Basic ${Buffer.from('app:s3cret:x').toString('base64')}`;
  const change = (name: CredentialChange): string => {
    const changed = changeCredentials(client, name, { hasScheme: true, expired: none });
    return Buffer.from(changed?.replace('Basic ', '') ?? '', 'base64').toString();
  };
  expect([change('empty secret'), change('altered secret')]).toEqual(['app:', 'app:s3cret:y']);
});

test('no wrong password is sent for a name that may have an account', () => {
  const all = table.map(([change]) => change).filter((change) => change !== 'scheme in lower case');
  for (const change of all) {
    const changed = changeCredentials(basic, change, { hasScheme: true, expired: none }) ?? '';
    const [, credential = ''] = changed.split(' ');
    expect(Buffer.from(credential, 'base64').toString()).not.toContain('ada');
  }
});
