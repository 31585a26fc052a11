import { describe, expect, test } from 'vitest';
import { ClientFault, createClientMetadata } from './create-client-metadata.ts';
import { hashSecret } from './hash-secret.ts';

const own = { kind: 'own', clientId: 'test-own', name: 'Own', ownerAccount: 'acc-1' } as const;
const partner = {
  kind: 'partner',
  clientId: 'test-partner',
  name: 'Żółta 🐢',
  redirectUris: ['https://partner.example/cb'],
} as const;

describe('a new client', () => {
  test('has a secret of 256 random bits, kept as its hash', () => {
    const [one, other] = [createClientMetadata(own), createClientMetadata(own)];
    expect(one.secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(one.secret).not.toBe(other.secret);
    expect(one.metadata).not.toContain(one.secret);
    expect(JSON.parse(one.metadata).client_secret).toBe(hashSecret(one.secret));
  });

  test('of an own account has its own credentials alone', () => {
    expect(JSON.parse(createClientMetadata(own).metadata)).toMatchObject({
      client_id: 'test-own',
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      owner_account: 'acc-1',
    });
  });

  test('of a partner belongs to no account', () => {
    const metadata = JSON.parse(createClientMetadata({ ...partner, requirePkce: true }).metadata);
    expect(metadata).toMatchObject({
      redirect_uris: partner.redirectUris,
      require_pkce: true,
      rotate_refresh_token: false,
    });
    expect(metadata).not.toHaveProperty('owner_account');
  });

  test.each([
    ['left out: all', undefined, undefined],
    ['empty: none', [], ''],
    ['each once', ['serviceapi/get-devices', 'serviceapi/get-devices'], 'serviceapi/get-devices'],
  ])('has the scopes it is given, %s', (_, scopes, want) => {
    const client = createClientMetadata({ ...own, ...(scopes && { scopes }) });
    expect(JSON.parse(client.metadata).api_scopes).toBe(want);
  });
});

describe('callbacks that cannot be registered', () => {
  test.each([
    'http://partner.example/cb',
    'http://localhost/cb',
    'https://localhost:8080/*',
    'https://*.partner.example/cb',
    'https://user@partner.example/cb',
    'https://user:secret@partner.example/cb',
    'https://@partner.example/cb',
    'https://partner.example/cb#fragment',
    'https://partner.example\\@evil.example/cb',
    'https://partner.example/c b',
    'https://pärtner.example/cb',
    'HTTPS://partner.example/cb',
    'com.partner.app:/cb',
    'javascript:alert(1)',
    '//partner.example/cb',
    '/cb',
    '',
    `https://partner.example/${'x'.repeat(512)}`,
  ])('refuses %j', (uri) => {
    expect(() => createClientMetadata({ ...partner, redirectUris: [...partner.redirectUris, uri] })).toThrow(
      ClientFault,
    );
  });

  test('accepts ports, paths and queries', () => {
    const redirectUris = ['https://partner.example', 'https://partner.example:8443/a/b?c=d@e', 'https://127.0.0.1/cb'];
    expect(JSON.parse(createClientMetadata({ ...partner, redirectUris }).metadata).redirect_uris).toEqual(redirectUris);
  });
});

describe("callbacks on the caller's own machine", () => {
  test.each([
    'https://localhost/cb',
    'http://partner.example/cb',
    'http://localhost.partner.example/cb',
    'http://127.0.0.1@partner.example/cb',
    'http://127.0.0.1:3000/*',
    'http://127.0.0.1:3000/cb#fragment',
    'http://0.0.0.0:3000/cb',
    'http://2130706433/cb',
    '127.0.0.1:3000',
  ])('refuses %j', (uri) => {
    expect(() => createClientMetadata({ ...partner, loopbackCallbacks: [uri] })).toThrow('loopbackCallbacks must be');
  });

  test('accepts http with a loopback name, after the https ones', () => {
    const loopbackCallbacks = ['http://localhost:3000/cb', 'http://127.0.0.1/cb', 'http://[::1]:8080/a?b=c'];
    expect(JSON.parse(createClientMetadata({ ...partner, loopbackCallbacks }).metadata).redirect_uris).toEqual([
      ...partner.redirectUris,
      ...loopbackCallbacks,
    ]);
  });
});

describe('all faults are reported at once', () => {
  test.each([
    ['clientId', { clientId: '' }],
    ['clientId', { clientId: 'a:b' }],
    ['clientId', { clientId: 'x'.repeat(65) }],
    ['clientId', { clientId: 'acc-1' }],
    ['clientId', { clientId: `owner-${'a1'.repeat(12)}` }],
    ['name', { name: '' }],
    ['name', { name: ' Own' }],
    ['name', { name: 'a\nb' }],
    ['scopes', { scopes: ['serviceapi/nothing'] }],
    ['scopes', { scopes: ['openid'] }],
    ['secret', { secret: 'short' }],
    ['ownerAccount', { ownerAccount: '' }],
  ])('%s: %j', (name, change) => {
    const fault = catchFault(() => createClientMetadata({ ...own, ...change }));
    expect(fault.faults).toHaveLength(1);
    expect(fault.faults[0]).toContain(name);
  });

  test('several, and a partner without callbacks', () => {
    const fault = catchFault(() => createClientMetadata({ ...partner, clientId: 'ä', name: '', redirectUris: [] }));
    expect(fault.faults.map((text) => text.split(' ')[0])).toEqual(['clientId', 'name', 'redirectUris']);
  });
});

function catchFault(act: () => unknown): ClientFault {
  try {
    act();
  } catch (error) {
    if (error instanceof ClientFault) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
