import { describe, expect, test } from 'vitest';
import type { GrantFilter, OidcArtifact, Store } from '../store.ts';
import { addAccount, addOwner } from './records.ts';

let names = 0;

/** An artifact that no other test uses. */
export function makeArtifact(given: Partial<OidcArtifact> = {}): OidcArtifact {
  names += 1;
  return {
    model: 'AuthorizationCode',
    idHash: `hash-${names}`,
    grantId: `grant-${names}`,
    uid: null,
    payload: `{"kind":"é🐢","b":1,"a":2,"a":3}`,
    expiresAt: 1_790_000_060,
    purgeAt: 1_790_086_460,
    ownerId: null,
    clientId: null,
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
  });

  describe('a revoked grant', () => {
    test('deletes everything issued for it and is reported until its end, however often it is revoked', async () => {
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

  describe('grants', () => {
    test('are listed newest login first, one each, by owner, client, account or id', async () => {
      const fixture = await addGrants(get());
      const { mine, other, grants } = fixture;
      const ids = async (of: GrantFilter, limit = 10) =>
        (await get().oidc.listGrants({ ...of, nowSeconds, limit })).map(({ grantId }) => grants.indexOf(grantId));
      expect(await ids({ accountId: mine.accountId })).toEqual([4, 2, 1, 0]);
      expect(await ids({ ownerId: mine.ownerIds[0] })).toEqual([2, 1, 0]);
      expect(await ids({ ownerId: mine.ownerIds[0], clientId: fixture.clientIds[0] })).toEqual([2, 0]);
      expect(await ids({ clientId: fixture.clientIds[0] })).toEqual([3, 2, 0]);
      expect(await ids({ clientId: fixture.clientIds[0] }, 2)).toEqual([3, 2]);
      expect(await ids({ grantId: grants[1] })).toEqual([1]);
      expect(await ids({ grantId: grants[1], ownerId: other.ownerIds[0] })).toEqual([]);
      expect(await ids({ ownerId: 'owner-unknown' })).toEqual([]);
      const all = (await get().oidc.listGrants({ nowSeconds, limit: 1000 })).map(({ grantId }) => grantId);
      expect(all.filter((grantId) => grants.includes(grantId)).map((id) => grants.indexOf(id))).toEqual([
        4, 3, 2, 1, 0,
      ]);
      expect(await get().oidc.listGrants({ grantId: grants[3], nowSeconds, limit: 10 })).toEqual([
        {
          grantId: grants[3],
          ownerId: other.ownerIds[0],
          accountId: other.accountId,
          clientId: fixture.clientIds[0],
          payload: '{"of":3}',
          expiresAt: nowSeconds + 103,
        },
      ]);
    });

    test('are not listed without a refresh token that can be used, nor twice with two', async () => {
      const { mine, clientIds } = await addGrants(get());
      const of = { ownerId: mine.ownerIds[0] ?? '', clientId: clientIds[0] ?? '' };
      const listed = async (grantId: string) =>
        (await get().oidc.listGrants({ grantId, nowSeconds, limit: 9 })).map(({ payload }) => payload);
      const put = async (grantId: string, given: Partial<OidcArtifact>) => {
        const token = makeArtifact({ model: 'RefreshToken', grantId, ...of, expiresAt: nowSeconds + 9, ...given });
        await get().oidc.put(token);
        return token;
      };
      const grantId = await addGrant(get(), of);
      expect(await listed(grantId)).toEqual([]);
      const first = await put(grantId, { payload: '{"first":1}' });
      expect(await listed(grantId)).toEqual(['{"first":1}']);
      await put(grantId, { payload: '{"second":2}', expiresAt: nowSeconds + 10 });
      expect(await listed(grantId)).toEqual(['{"second":2}']);
      await put(grantId, { payload: '{"past":3}', expiresAt: nowSeconds });
      await put(grantId, { model: 'AuthorizationCode', expiresAt: nowSeconds + 99 });
      expect(await listed(grantId)).toEqual(['{"second":2}']);
      const rotated = await addGrant(get(), of);
      const old = await put(rotated, { expiresAt: nowSeconds + 20 });
      await get().oidc.consume(old.model, old.idHash, nowSeconds);
      expect(await listed(rotated)).toEqual([]);
      await put(rotated, { payload: '{"new":4}', expiresAt: nowSeconds + 20 });
      expect(await listed(rotated)).toEqual(['{"new":4}']);
      // Revoked before one of its tokens is stored.
      await get().oidc.revokeGrants({ grantId }, nowSeconds, nowSeconds);
      await get().oidc.put(first);
      expect(await listed(grantId)).toEqual([]);
    });

    test.each<{ name: string; of: (fixture: Fixture) => GrantFilter; gone: number[]; live: number }>([
      { name: 'one', of: ({ grants }) => ({ grantId: grants[1] }), gone: [1], live: 1 },
      { name: 'those of an owner', of: ({ mine }) => ({ ownerId: mine.ownerIds[0] }), gone: [0, 1, 2, 5], live: 3 },
      { name: 'those of a client', of: ({ clientIds }) => ({ clientId: clientIds[0] }), gone: [0, 2, 3], live: 3 },
      {
        name: 'those of an account',
        of: ({ mine }) => ({ accountId: mine.accountId }),
        gone: [0, 1, 2, 4, 5],
        live: 4,
      },
      {
        name: 'those that an owner gave a client',
        of: ({ mine, clientIds }) => ({ ownerId: mine.ownerIds[0], clientId: clientIds[0] }),
        gone: [0, 2],
        live: 2,
      },
      {
        name: 'one, of another owner: none',
        of: ({ other, grants }) => ({ grantId: grants[1], ownerId: other.ownerIds[0] }),
        gone: [],
        live: 0,
      },
    ])('are revoked, with all that came of them: $name', async ({ of, gone, live }) => {
      const { oidc, audit } = get();
      const fixture = await addGrants(get());
      const { accountId } = fixture.mine;
      const ownerId = fixture.mine.ownerIds[0] ?? null;
      const entry = {
        at: 1,
        accountId,
        clientId: 'operator',
        action: 'revoked',
        deviceId: null,
        requestId: null,
        ownerId,
      };
      expect(await oidc.revokeGrants(of(fixture), nowSeconds, nowSeconds + 60, entry)).toBe(live);
      const revoked = await Promise.all(fixture.grants.map((grantId) => oidc.isGrantRevoked(grantId)));
      expect(revoked.flatMap((is, index) => (is ? [index] : []))).toEqual(gone);
      for (const [index, artifacts] of fixture.artifacts.entries())
        for (const { model, idHash } of artifacts)
          expect((await oidc.find(model, idHash)) === undefined, `${model} ${index}`).toBe(gone.includes(index));
      expect(await audit.list(accountId)).toEqual(gone.length === 0 ? [] : [entry]);
      expect(await oidc.revokeGrants(of(fixture), nowSeconds, nowSeconds + 60, entry)).toBe(0);
      expect(await audit.list(accountId)).toHaveLength(gone.length === 0 ? 0 : 1);
      await purgeAll(get(), nowSeconds + 59);
      expect(await oidc.isGrantRevoked(fixture.grants[gone[0] ?? 0] ?? '')).toBe(gone.length > 0);
      await purgeAll(get(), nowSeconds + 60);
      expect(await oidc.isGrantRevoked(fixture.grants[gone[0] ?? 0] ?? '')).toBe(false);
    });

    test('are not revoked without a word about whose, and not without their audit entry', async () => {
      const { oidc } = get();
      const { grants, mine } = await addGrants(get());
      await expect(oidc.revokeGrants({}, nowSeconds, nowSeconds)).rejects.toThrow(RangeError);
      await expect(oidc.revokeGrants({ grantId: undefined }, nowSeconds, nowSeconds)).rejects.toThrow(RangeError);
      const unwritable = { at: 1, accountId: mine.accountId, clientId: 'c', action: null as unknown as string };
      await expect(
        oidc.revokeGrants({ grantId: grants[0] }, nowSeconds, nowSeconds, {
          ...unwritable,
          deviceId: null,
          requestId: null,
        }),
      ).rejects.toThrow();
      expect(await oidc.isGrantRevoked(`${grants[0]}`)).toBe(false);
      expect(await oidc.listGrants({ grantId: grants[0], nowSeconds, limit: 1 })).toHaveLength(1);
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

const nowSeconds = 1_790_000_000;

interface Fixture {
  readonly mine: { readonly accountId: string; readonly ownerIds: readonly string[] };
  readonly other: Fixture['mine'];
  readonly clientIds: readonly string[];
  readonly grants: readonly string[];
  readonly artifacts: readonly (readonly OidcArtifact[])[];
}

/** Grants of three owners in two accounts to two clients. The last can't be refreshed: its code was never exchanged. */
async function addGrants(store: Store): Promise<Fixture> {
  const [mine, other] = await Promise.all(
    [2, 1].map(async (count) => {
      const accountId = await addAccount(store);
      return {
        accountId,
        ownerIds: await Promise.all(Array.from({ length: count }, () => addOwner(store, accountId))),
      };
    }),
  );
  if (mine === undefined || other === undefined) throw new Error('two accounts were asked for');
  const clientIds = [1, 2].map((number) => `${mine.accountId}-client-${number}`);
  const given = [
    [mine.ownerIds[0], clientIds[0]],
    [mine.ownerIds[0], clientIds[1]],
    [mine.ownerIds[0], clientIds[0]],
    [other.ownerIds[0], clientIds[0]],
    [mine.ownerIds[1], clientIds[1]],
    [mine.ownerIds[0], clientIds[1]],
  ] as const;
  const grants: string[] = [];
  const artifacts: OidcArtifact[][] = [];
  for (const [index, [ownerId = '', clientId = '']] of given.entries()) {
    const grantId = await addGrant(store, { ownerId, clientId });
    const model = index === 5 ? 'AuthorizationCode' : 'RefreshToken';
    const payload = `{"of":${index}}`;
    const token = makeArtifact({ model, grantId, ownerId, clientId, payload, expiresAt: nowSeconds + 100 + index });
    await store.oidc.put(token);
    grants.push(grantId);
    artifacts.push([token, makeArtifact({ model: 'Grant', idHash: `hash of ${grantId}` })]);
  }
  return { mine, other, clientIds, grants, artifacts };
}

async function addGrant(store: Store, of: { readonly ownerId: string; readonly clientId: string }): Promise<string> {
  const grant = makeArtifact({ model: 'Grant', ...of });
  await store.oidc.put({ ...grant, idHash: `hash of ${grant.grantId}` });
  return `${grant.grantId}`;
}
