import { describe, expect, test } from 'vitest';
import type { OidcArtifact, Store } from '../store.ts';

let names = 0;

/** An artifact that no other test has. */
function makeArtifact(given: Partial<OidcArtifact> = {}): OidcArtifact {
  names += 1;
  return {
    model: 'AuthorizationCode',
    idHash: `hash-${names}`,
    grantId: `grant-${names}`,
    uid: null,
    payload: `{"kind":"é🐢","b":1,"a":2,"a":3}`,
    expiresAt: 1_790_000_060,
    purgeAt: 1_790_086_460,
    ...given,
  };
}

export function describeOidc(get: () => Store): void {
  describe('OAuth artifacts', () => {
    test('read back as they were put, to the byte; a second put replaces the first', async () => {
      const { oidc } = get();
      const code = makeArtifact();
      await oidc.put(code);
      expect(await oidc.find(code.model, code.idHash)).toEqual({ ...code, consumedAt: null });
      const changed = { ...code, grantId: null, payload: '{}', expiresAt: null, purgeAt: null };
      await oidc.put(changed);
      expect(await oidc.find(code.model, code.idHash)).toEqual({ ...changed, consumedAt: null });
      expect(await oidc.find('RefreshToken', code.idHash)).toBeUndefined();
    });

    test('are consumed by exactly one of 20 callers at once', async () => {
      const { oidc } = get();
      for (let round = 0; round < 10; round += 1) {
        const code = makeArtifact();
        await oidc.put(code);
        const calls = Array.from({ length: 20 }, (_, index) => oidc.consume(code.model, code.idHash, 1000 + index));
        expect((await Promise.all(calls)).filter((consumed) => consumed)).toHaveLength(1);
      }
      expect(await oidc.consume('AuthorizationCode', 'unknown', 1)).toBe(false);
    });

    test('once spent stay spent through any number of puts', async () => {
      const { oidc } = get();
      const code = makeArtifact();
      await oidc.put(code);
      expect(await oidc.consume(code.model, code.idHash, 1_790_000_001)).toBe(true);
      await Promise.all([oidc.put(code), oidc.put({ ...code, payload: '{"late":true}' }), oidc.put(code)]);
      expect(await oidc.find(code.model, code.idHash)).toMatchObject({ consumedAt: 1_790_000_001 });
      expect(await oidc.consume(code.model, code.idHash, 1_790_000_002)).toBe(false);
    });

    test('of one uid give the session written last', async () => {
      const { oidc } = get();
      const uid = 'uid-1';
      const [older, newer] = [makeArtifact({ model: 'Session', uid }), makeArtifact({ model: 'Session', uid })];
      await oidc.put(older);
      await oidc.put({ ...newer, expiresAt: 1 });
      await oidc.put(makeArtifact({ model: 'Interaction', uid }));
      expect(await oidc.findSession(uid)).toEqual({ ...newer, expiresAt: 1 });
      await oidc.remove('Session', newer.idHash);
      expect(await oidc.findSession(uid)).toEqual(older);
      expect(await oidc.findSession('unknown')).toBeUndefined();
    });

    test('go by grant and model', async () => {
      const { oidc } = get();
      const code = makeArtifact();
      const token = makeArtifact({ model: 'RefreshToken', grantId: code.grantId });
      await oidc.put(code);
      await oidc.put(token);
      await oidc.removeOfGrant(`${code.grantId}`, 'RefreshToken');
      expect(await oidc.find('RefreshToken', token.idHash)).toBeUndefined();
      expect(await oidc.find(code.model, code.idHash)).toMatchObject(code);
    });
  });

  describe('a revoked grant', () => {
    test('takes along all that came of it and is told until its end, however often it is revoked', async () => {
      const { oidc } = get();
      const grant = makeArtifact({ model: 'Grant', grantId: null });
      const grantId = `id of ${grant.idHash}`;
      const family = ['AuthorizationCode', 'RefreshToken'].map((model) => makeArtifact({ model, grantId }));
      const stranger = makeArtifact();
      for (const artifact of [grant, ...family, stranger]) await oidc.put(artifact);
      expect(await oidc.isGrantRevoked(grantId)).toBe(false);
      const revoke = (keepUntil: number) => oidc.revokeGrant(grantId, grant.idHash, 1_790_000_000, keepUntil);
      await Promise.all([revoke(1_790_086_460), revoke(1_790_086_461), revoke(1_790_086_459)]);
      expect(await oidc.isGrantRevoked(grantId)).toBe(true);
      for (const { model, idHash } of [grant, ...family]) expect(await oidc.find(model, idHash)).toBeUndefined();
      expect(await oidc.find(stranger.model, stranger.idHash)).toMatchObject(stranger);
      await purgeAll(get(), 1_790_086_460);
      expect(await oidc.isGrantRevoked(grantId)).toBe(true);
      await purgeAll(get(), 1_790_086_461);
      expect(await oidc.isGrantRevoked(grantId)).toBe(false);
    });
  });

  test('a purge takes what is due, at most so many rows, and leaves the rest', async () => {
    const { oidc } = get();
    await purgeAll(get(), Number.MAX_SAFE_INTEGER);
    const due = Array.from({ length: 5 }, (_, index) => makeArtifact({ purgeAt: 100 + index }));
    const kept = [makeArtifact({ purgeAt: 201 }), makeArtifact({ purgeAt: null })];
    for (const artifact of [...due, ...kept]) await oidc.put(artifact);
    await oidc.revokeGrant('grant-of-purge', 'none', 50, 200);
    expect(await oidc.purge(200, 4)).toBe(4);
    expect(await oidc.find('AuthorizationCode', due[4]?.idHash ?? '')).toBeDefined();
    expect(await oidc.purge(200, 4)).toBe(2);
    expect(await oidc.purge(200, 4)).toBe(0);
    expect(await oidc.isGrantRevoked('grant-of-purge')).toBe(false);
    for (const { model, idHash } of kept) expect(await oidc.find(model, idHash)).toBeDefined();
  });
}

async function purgeAll({ oidc }: Store, nowSeconds: number): Promise<void> {
  while ((await oidc.purge(nowSeconds, 500)) > 0);
}
