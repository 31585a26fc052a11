import { maxHeaderBytes } from '@lockstep/runtime/security/scheme';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { generateKeys } from '../key-file.ts';
import type { Keys } from '../keys.ts';
import { openMemoryStore } from '../store/sqlite/fixtures/open-memory-store.ts';
import type { Store } from '../store/store.ts';
import { createClientMetadata } from './create-client-metadata.ts';
import { createToken, hostileTokens, ownerId, type TokenMaker } from './fixtures/hostile-tokens.ts';
import { createTestKeys } from './fixtures/keys.ts';
import { createTokenVerifier, type TokenVerifier, type TokenVerifierOptions } from './verify-token.ts';

const issuer = 'http://localhost:8080/auth';
const audience = 'http://localhost:8080/v1';
const start = Date.UTC(2026, 11, 1, 12);
const nowSeconds = start / 1000;
const account = { id: 'acc-harbour', name: 'Harbour Stays', trialEndsAt: null };
/** The owner of the tokens of a login. */
const owner = {
  id: ownerId,
  accountId: account.id,
  email: 'owner@harbour.example',
  name: 'Harbour Owner',
  passwordHash: '',
  createdAt: start,
};
const partner = {
  kind: 'partner',
  clientId: 'test-partner',
  name: 'Partner',
  redirectUris: ['https://partner.example/cb'],
} as const;
const own = { kind: 'own', clientId: 'test-own', name: 'Own', ownerAccount: account.id } as const;

let keys: Keys;
let otherKeys: Keys;
let maker: TokenMaker;
let store: Store;
let now: number;
let verify: TokenVerifier;

const invalid = { kind: 'bad', reason: 'invalid' };
const expired = { kind: 'bad', reason: 'expired' };
const revoked = { kind: 'bad', reason: 'revoked' };
const accepted = expect.objectContaining({ kind: 'good' });

beforeAll(async () => {
  [keys, otherKeys] = await Promise.all([createTestKeys(), generateKeys()]);
  const [[key], [otherKey]] = [keys.jwks.keys, otherKeys.jwks.keys];
  if (key === undefined || otherKey === undefined) throw new Error('no key');
  maker = { issuer, audience, key, otherKey, nowSeconds };
});

beforeEach(async () => {
  store = await openMemoryStore();
  await store.accounts.put(account);
  await store.owners.create(owner);
  for (const client of [partner, own]) await store.clients.create(createClientMetadata(client));
  now = start;
  verify = create();
});

afterEach(() => store.close());

function create(changes: Partial<TokenVerifierOptions> = {}): TokenVerifier {
  return createTokenVerifier({ store, issuer, audience, jwks: keys.jwks, clock: { now: () => now }, ...changes });
}

describe('the principal of a token', () => {
  test('takes the account of a login from the owner, who is its subject', async () => {
    expect(await verify(createToken(maker).good())).toEqual({
      kind: 'good',
      principal: {
        accountId: account.id,
        clientId: 'test-partner',
        trialEndsAt: null,
      },
      scopes: new Set(['openid', 'serviceapi/get-devices']),
    });
  });

  test('takes the account of an own-account token from `own`, and the trial from the account as it is now', async () => {
    const token = createToken(maker).good({ sub: 'test-own', client_id: 'test-own', own: account.id, gid: undefined });
    await verify(token);
    await store.accounts.setTrialEnd(account.id, start + 5);
    expect(await verify(token)).toMatchObject({
      kind: 'good',
      principal: { accountId: account.id, clientId: 'test-own', trialEndsAt: start + 5 },
    });
  });
});

describe('hostile tokens', () => {
  test('all are refused, none as anything but invalid', async () => {
    // A longer header is not read.
    const tokens = hostileTokens(maker).filter(([, token]) => token.length < maxHeaderBytes);
    expect(tokens.length).toBeGreaterThanOrEqual(32);
    const answers = await Promise.all(tokens.map(async ([name, token]) => [name, await verify(token)]));
    expect(answers).toEqual(tokens.map(([name]) => [name, invalid]));
  });

  test('an expired one is rejected as expired, but only if everything else is right', async () => {
    const { good, signed, header, claims, rs256 } = createToken(maker);
    const ended = { iat: nowSeconds - 90_000, exp: nowSeconds - 3600 };
    expect(await verify(good(ended))).toEqual(expired);
    expect(await verify(good({ ...ended, aud: 'https://other.example' }))).toEqual(invalid);
    const forged = signed(header(), claims(ended), (text) => rs256(text, maker.otherKey));
    expect(await verify(forged)).toEqual(invalid);
  });

  test('unusual but valid tokens are accepted', async () => {
    const { good, signed, header, claims } = createToken(maker);
    expect(await verify(signed(header({ typ: 'application/at+jwt' }), claims()))).toEqual(accepted);
    expect(await verify(good({ aud: ['https://other.example', audience] }))).toEqual(accepted);
    expect(await verify(respell(good()))).toEqual(accepted);
  });
});

describe('key rotation', () => {
  test('an old token is valid while its key exists, first or not, and then invalid', async () => {
    const [key, newKey] = [maker.key, maker.otherKey];
    const old = createToken(maker).good();
    const fresh = createToken({ ...maker, key: newKey }).good();
    for (const order of [
      [key, newKey],
      [newKey, key],
    ]) {
      const during = create({ jwks: { keys: order } });
      expect([await during(old), await during(fresh)]).toEqual([accepted, accepted]);
    }
    const after = create({ jwks: { keys: [newKey] } });
    expect([await after(old), await after(fresh)]).toEqual([invalid, accepted]);
  });
});

describe('a token becomes invalid at once, cached or not, by', () => {
  const own = { sub: 'test-own', client_id: 'test-own', own: account.id, gid: undefined };
  const cases: readonly {
    name: string;
    claims?: object;
    act?: () => unknown;
    change?: Store['principals']['find'];
  }[] = [
    { name: 'a revoked grant', act: () => store.oidc.revokeGrant('grant-1', 'hash', nowSeconds, nowSeconds + 86_400) },
    { name: 'a disabled client', act: () => store.clients.setDisabled('test-partner', nowSeconds) },
    {
      name: 'a disabled own-account client',
      claims: own,
      act: () => store.clients.setDisabled('test-own', nowSeconds),
    },
    { name: 'a disabled account', act: () => store.accounts.setDisabled(account.id, start) },
    {
      name: 'a disabled account behind an own-account token',
      claims: own,
      act: () => store.accounts.setDisabled(account.id, start),
    },
    { name: 'a deleted record', change: async () => undefined },
    { name: 'the revocation of all earlier tokens', change: withEnd(start + 1) },
  ];

  test.each(cases)('$name', async ({ claims = {}, act, change }) => {
    const token = createToken(maker).good({ ...claims });
    let { find } = store.principals;
    const live: TokenVerifierOptions['store'] = { principals: { find: (...asked) => find(...asked) } };
    const cached = create({ store: live });
    expect(await cached(token)).toEqual(accepted);
    await act?.();
    find = change ?? find;
    expect(await cached(token)).toEqual(revoked);
    expect(await create({ store: live })(token)).toEqual(revoked);
  });

  test('a client that was deleted', async () => {
    expect(await verify(createToken(maker).good({ client_id: 'gone' }))).toEqual(revoked);
  });

  test('except a token from after logging out everywhere, which is valid', async () => {
    const principals = { find: withEnd(start) };
    expect(await create({ store: { principals } })(createToken(maker).good())).toEqual(accepted);
  });

  function withEnd(tokensValidAfter: number): Store['principals']['find'] {
    return async (...asked) => {
      const found = await store.principals.find(...asked);
      return found && { ...found, tokensValidAfter };
    };
  }
});

describe('the cache', () => {
  test('another spelling of the signature does not escape revocation', async () => {
    const token = createToken(maker).good();
    expect([await verify(token), await verify(respell(token))]).toEqual([accepted, accepted]);
    await store.oidc.revokeGrant('grant-1', 'hash', nowSeconds, nowSeconds + 86_400);
    expect([await verify(token), await verify(respell(token))]).toEqual([revoked, revoked]);
  });

  test('a hit is not verified again, as a clock before `nbf` shows', async () => {
    const token = createToken(maker).good({ nbf: nowSeconds });
    expect(await verify(token)).toEqual(accepted);
    now = start - 60_000;
    expect([await verify(token), await create()(token)]).toEqual([accepted, invalid]);
  });

  test('a cached token expires at its own time', async () => {
    const token = createToken(maker).good({ exp: nowSeconds + 60 });
    expect(await verify(token)).toEqual(accepted);
    now = start + 65_000;
    expect(await verify(token)).toEqual(expired);
  });
});

describe('skew', () => {
  test.each([
    ['1 s before its end', -1000, accepted],
    ['at its end', 0, accepted],
    ['4.999 s after it', 4999, accepted],
    ['5 s after it', 5000, expired],
    ['an hour after it', 3_600_000, expired],
  ])('%s', async (_, milliseconds, want) => {
    const token = createToken(maker).good({ exp: nowSeconds + 60 });
    await verify(token);
    now = start + 60_000 + milliseconds;
    expect([await verify(token), await create()(token)]).toEqual([want, want]);
  });

  test('the issuer may be 5 s ahead', async () => {
    const { good } = createToken(maker);
    expect(await verify(good({ nbf: nowSeconds + 5 }))).toEqual(accepted);
    expect(await verify(good({ nbf: nowSeconds + 6 }))).toEqual(invalid);
  });
});

/** The same signature in another spelling: 256 bytes leave four spare bits in the last of 342 characters. */
function respell(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const other = `${token.slice(0, -1)}${alphabet[alphabet.indexOf(token.at(-1) ?? '') + 1]}`;
  const bytes = (text: string) => Buffer.from(text.split('.')[2] ?? '', 'base64url').toString('hex');
  if (bytes(other) !== bytes(token)) throw new Error('another signature');
  return other;
}
