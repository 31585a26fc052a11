import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openMemoryStore } from '../store/sqlite/fixtures/open-memory-store.ts';
import type { Store } from '../store/store.ts';
import { OidcAdapter } from './adapter.ts';
import { hashSecret } from './hash-secret.ts';

let store: Store;
beforeEach(async () => {
  store = await openMemoryStore();
});
afterEach(() => store.close());

describe('single use', () => {
  test('is decided by the store: one of twenty succeeds, and the others revoke everything', async () => {
    const codes = new OidcAdapter('AuthorizationCode', store);
    const tokens = new OidcAdapter('RefreshToken', store);
    await codes.upsert('code', { kind: 'AuthorizationCode', grantId: 'grant-1' }, 60);
    await tokens.upsert('token', { kind: 'RefreshToken', grantId: 'grant-1' }, 60);
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => codes.consume('code')));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { error: 'invalid_grant' } });
    expect(await tokens.find('token')).toBeUndefined();
    expect(await store.oidc.isGrantRevoked('grant-1')).toBe(true);
  });

  test('a consumed artifact stays consumed when it is saved again', async () => {
    const codes = new OidcAdapter('AuthorizationCode', store);
    await codes.upsert('code', { kind: 'AuthorizationCode' }, 60);
    await codes.consume('code');
    await codes.upsert('code', { kind: 'AuthorizationCode' }, 60);
    expect(await codes.find('code')).toMatchObject({ jti: 'code', consumed: expect.any(Number) });
  });
});

describe('a stored artifact', () => {
  test('is restored as it was, from a row without its id', async () => {
    const interactions = new OidcAdapter('Interaction', store);
    const payload = {
      kind: 'Interaction',
      returnTo: 'http://localhost/auth/login/some-id',
      params: { state: 'some-id' },
    };
    await interactions.upsert(
      'some-id',
      { ...payload, jti: 'some-id', session: { uid: 'u', cookie: 'secret-cookie' } },
      60,
    );
    const row = await store.oidc.find('Interaction', hashSecret('some-id'));
    expect(JSON.parse(row?.payload ?? '')).toEqual({
      ...payload,
      returnTo: 'http://localhost/auth/login/',
      session: { uid: 'u' },
    });
    expect(await interactions.find('some-id')).toEqual({ ...payload, jti: 'some-id', session: { uid: 'u' } });
  });

  test('destroying a grant revokes it', async () => {
    const grants = new OidcAdapter('Grant', store);
    await grants.upsert('grant-1', { kind: 'Grant' }, 60);
    await grants.destroy('grant-1');
    expect([await grants.find('grant-1'), await store.oidc.isGrantRevoked('grant-1')]).toEqual([undefined, true]);
  });
});

describe('clients', () => {
  test('are looked up by valid client ids alone', async () => {
    const asked: string[] = [];
    const clients = { ...store.clients, find: async (id: string) => void asked.push(id) };
    const adapter = new OidcAdapter('Client', { ...store, clients });
    for (const id of ['good-ID_1', '', 'a b', "x'--", 'x'.repeat(65), 'a\0', 'ä']) await adapter.find(id);
    expect(asked).toEqual(['good-ID_1']);
  });
});
