import { describe, expect, test } from 'vitest';
import type { AuditEntry } from '../records.ts';
import type { NewOwner, Store } from '../store.ts';
import { makeArtifact } from './oidc.ts';
import { addAccount, addOwner, makeOwner } from './records.ts';

const at = 1_790_000_000_123;
const nowSeconds = 1_790_000_000;

export function describeOwners(get: () => Store): void {
  describe('owners', () => {
    test('are created, and found by id and by e-mail in any case', async () => {
      const { owners } = get();
      const owner = makeOwner(await addAccount(get()), { email: 'Jürgen.Ö@acme.example' });
      expect(await owners.create(owner)).toBe(true);
      expect(await owners.find(owner.id)).toEqual(stored(owner));
      for (const email of [owner.email, 'JÜRGEN.ö@ACME.example', 'jürgen.ö@acme.example'.normalize('NFD')])
        expect(await owners.findByEmail(email)).toEqual(stored(owner));
      expect(await owners.findByEmail('jurgen.o@acme.example')).toBeUndefined();
      expect(await owners.find('owner-unknown')).toBeUndefined();
    });

    test('keep their e-mail as it was given, in NFC', async () => {
      const { owners } = get();
      const owner = makeOwner(await addAccount(get()), { email: 'Zoë@nfd.example'.normalize('NFD') });
      await owners.create(owner);
      expect((await owners.find(owner.id))?.email).toBe('Zoë@nfd.example'.normalize('NFC'));
    });

    test('have an e-mail that nobody else has, in whatever case and account, of twenty at once too', async () => {
      const { owners, audit } = get();
      const [mine, other] = [await addAccount(get()), await addAccount(get())];
      const email = `one@${mine}.example`;
      const rivals = Array.from({ length: 20 }, (_, index) =>
        makeOwner(index % 2 === 0 ? mine : other, { email: index % 3 === 0 ? email.toUpperCase() : email }),
      );
      const entries = rivals.map(({ id }) => makeEntry(mine, id, 'add_owner'));
      const created = await Promise.all(rivals.map((rival, index) => owners.create(rival, entries[index])));
      expect(created.filter((one) => one)).toHaveLength(1);
      const winner = created.indexOf(true);
      expect(await owners.findByEmail(email)).toEqual(stored(rivals[winner] ?? makeOwner(mine)));
      expect(await audit.list(mine)).toEqual([entries[winner]]);
    });

    test('belong to an account that there is', async () => {
      await expect(get().owners.create(makeOwner('account-unknown'))).rejects.toMatchObject({
        name: 'StoreConflict',
        message: expect.stringContaining('account-unknown'),
      });
    });

    test('are not created without their audit entry', async () => {
      const owner = makeOwner(await addAccount(get()));
      await expect(get().owners.create(owner, unwritable(owner))).rejects.toThrow();
      expect(await get().owners.find(owner.id)).toBeUndefined();
    });

    test('are listed by account, then e-mail, to a number or of one account', async () => {
      const { owners } = get();
      const [mine, other] = [await addAccount(get()), await addAccount(get())];
      const names = ['b', 'C', 'a'];
      for (const accountId of [other, mine])
        for (const name of names) await owners.create(makeOwner(accountId, { email: `${name}@${accountId}.example` }));
      const list = async (accountId: string | undefined, limit: number) =>
        (await owners.list({ accountId, limit })).map(({ email }) => email);
      expect(await list(mine, 9)).toEqual(['a', 'b', 'C'].map((name) => `${name}@${mine}.example`));
      expect(await list(mine, 2)).toEqual(['a', 'b'].map((name) => `${name}@${mine}.example`));
      const all = await owners.list({ limit: 1000 });
      expect(all.map(({ accountId }) => accountId)).toEqual(all.map(({ accountId }) => accountId).toSorted());
      expect(all.filter(({ accountId }) => accountId === other).map(({ email }) => email)).toEqual(
        await list(other, 9),
      );
      expect(await list('account-unknown', 9)).toEqual([]);
    });
  });

  describe('a known browser', () => {
    const [loggedInAt, endsAt] = [at - 60_000, at + 60_000];
    const open = async () => {
      const owner = makeOwner(await addAccount(get()));
      await get().owners.create(owner);
      const hash = (name: string) => `${name} of ${owner.id}`;
      const remember = (name: string, changes: object = {}, replaces?: string) =>
        get().owners.rememberBrowser(
          { ownerId: owner.id, browserHash: hash(name), loggedInAt, endsAt, ...changes },
          replaces && hash(replaces),
        );
      const isKnown = (name: string, { email = owner.email, now = at } = {}) =>
        get().owners.isKnownBrowser(email, hash(name), now);
      return { owner, remember, isKnown };
    };

    test('is known by the e-mail of its owner in any case, and to its end', async () => {
      const [{ owner, remember, isKnown }, other] = [await open(), await open()];
      await remember('tablet');
      expect(await isKnown('tablet', { email: owner.email.toUpperCase() })).toBe(true);
      expect(await isKnown('tablet', { now: endsAt - 1 })).toBe(true);
      expect(await isKnown('tablet', { now: endsAt })).toBe(false);
      expect(await isKnown('tablet', { email: other.owner.email })).toBe(false);
      expect(await isKnown('phone')).toBe(false);
    });

    test('gives way to five that came after it, and to its own next one', async () => {
      const { remember, isKnown } = await open();
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      for (const [index, name] of names.entries()) await remember(name, { loggedInAt: loggedInAt + index });
      const known = async () => Promise.all([...names, 'g'].map((name) => isKnown(name)));
      expect(await known()).toEqual([false, true, true, true, true, true, false]);
      await remember('g', { loggedInAt: loggedInAt + 9 }, 'f');
      expect(await known()).toEqual([false, true, true, true, true, false, true]);
    });

    test.each([
      {
        name: 'a new password',
        act: (id: string, audit: AuditEntry) =>
          get().owners.setPassword(id, { passwordHash: '$scrypt$new', at }, audit),
      },
      { name: 'disabling', act: (id: string, audit: AuditEntry) => get().owners.setDisabled(id, at, audit) },
      {
        name: 'logging out everywhere',
        act: (id: string, audit: AuditEntry) => get().owners.logOutEverywhere(id, at, audit),
      },
    ])('does not outlive $name, nor does one whose login was under way', async ({ act }) => {
      const [{ owner, remember, isKnown }, other] = [await open(), await open()];
      await remember('before');
      await other.remember('before');
      await act(owner.id, makeEntry(owner.accountId, owner.id, 'changed'));
      await remember('under way', { loggedInAt: at - 1 });
      await remember('after', { loggedInAt: at });
      expect(await Promise.all(['before', 'under way', 'after'].map((name) => isKnown(name)))).toEqual([
        false,
        false,
        true,
      ]);
      expect(await other.isKnown('before')).toBe(true);
    });
  });

  describe('a change of an owner', () => {
    const changes: readonly {
      readonly name: string;
      readonly act: (id: string, audit: AuditEntry) => Promise<boolean | number>;
      readonly unknown: boolean | number;
      readonly gives: boolean | number;
      readonly owner: object;
      readonly sessionsEnd: boolean;
      readonly grantsEnd: boolean;
    }[] = [
      {
        name: 'a new password deletes the sessions and leaves the grants',
        act: (id, audit) => get().owners.setPassword(id, { passwordHash: '$scrypt$new', at }, audit),
        unknown: false,
        gives: true,
        owner: { passwordHash: '$scrypt$new', passwordSetAt: at, loginsValidAfter: at },
        sessionsEnd: true,
        grantsEnd: false,
      },
      {
        name: 'disabling deletes both',
        act: (id, audit) => get().owners.setDisabled(id, at, audit),
        unknown: false,
        gives: true,
        owner: { disabledAt: at, loginsValidAfter: at },
        sessionsEnd: true,
        grantsEnd: true,
      },
      {
        name: 'enabling deletes nothing',
        act: (id, audit) => get().owners.setDisabled(id, null, audit),
        unknown: false,
        gives: true,
        owner: { disabledAt: null },
        sessionsEnd: false,
        grantsEnd: false,
      },
      {
        name: 'logging out everywhere deletes both',
        act: (id, audit) => get().owners.logOutEverywhere(id, at, audit),
        unknown: 0,
        gives: 2,
        owner: { loginsValidAfter: at },
        sessionsEnd: true,
        grantsEnd: true,
      },
    ];

    test.each(changes)('$name, for this owner alone', async ({ act, gives, owner, sessionsEnd, grantsEnd }) => {
      const { owners, oidc, audit } = get();
      const accountId = await addAccount(get());
      const [mine, other] = [makeOwner(accountId), makeOwner(accountId)];
      for (const one of [mine, other]) await owners.create(one);
      const [ours, theirs] = [await addLogin(get(), mine.id), await addLogin(get(), other.id)];
      const entry = makeEntry(accountId, mine.id, 'changed');
      expect(await act(mine.id, entry)).toBe(gives);
      expect(await owners.find(mine.id)).toEqual({ ...stored(mine), ...owner });
      expect(await owners.find(other.id)).toEqual(stored(other));
      expect(await isThere(get(), ours.session)).toBe(!sessionsEnd);
      for (const artifact of ours.ofGrants) expect(await isThere(get(), artifact)).toBe(!grantsEnd);
      for (const grantId of ours.grants) expect(await oidc.isGrantRevoked(grantId)).toBe(grantsEnd);
      for (const artifact of [theirs.session, ...theirs.ofGrants]) expect(await isThere(get(), artifact)).toBe(true);
      for (const grantId of theirs.grants) expect(await oidc.isGrantRevoked(grantId)).toBe(false);
      expect(await audit.list(accountId)).toEqual([entry]);
    });

    test.each(changes)('$name, and nothing without its audit entry', async ({ act }) => {
      const owner = makeOwner(await addAccount(get()));
      await get().owners.create(owner);
      const login = await addLogin(get(), owner.id);
      await expect(act(owner.id, unwritable(owner))).rejects.toThrow();
      expect(await get().owners.find(owner.id)).toEqual(stored(owner));
      for (const artifact of [login.session, ...login.ofGrants]) expect(await isThere(get(), artifact)).toBe(true);
    });

    test.each(changes)('$name: not of one that there is not', async ({ act, unknown }) => {
      const accountId = await addAccount(get());
      expect(await act('owner-unknown', makeEntry(accountId, 'owner-unknown', 'changed'))).toBe(unknown);
      expect(await get().audit.list(accountId)).toEqual([]);
    });

    test('knows a revoked grant for as long as its last access token is valid', async () => {
      const ownerId = await addOwner(get(), await addAccount(get()));
      const { grants } = await addLogin(get(), ownerId);
      await get().owners.logOutEverywhere(ownerId, at, makeEntry('account', ownerId, 'changed'));
      const dayAndMinute = 86_460;
      for (const [after, is] of [
        [dayAndMinute - 1, true],
        [dayAndMinute, false],
      ] as const) {
        while ((await get().oidc.purge(nowSeconds + after, 500)) > 0);
        expect(await get().oidc.isGrantRevoked(`${grants[0]}`)).toBe(is);
      }
    });
  });
}

function stored({ id, accountId, email, name, passwordHash, createdAt }: NewOwner) {
  const times = { createdAt, updatedAt: createdAt, passwordSetAt: createdAt, disabledAt: null, loginsValidAfter: null };
  return { id, accountId, email, name, passwordHash, ...times };
}

function makeEntry(accountId: string, ownerId: string, action: string): AuditEntry {
  return { at, accountId, clientId: 'operator', action, deviceId: null, requestId: null, ownerId };
}

function unwritable({ accountId, id }: Pick<NewOwner, 'accountId' | 'id'>): AuditEntry {
  return { ...makeEntry(accountId, id, ''), action: null as unknown as string };
}

/** A session, and two grants of which each can be refreshed. */
async function addLogin({ oidc }: Store, ownerId: string) {
  const session = makeArtifact({ model: 'Session', grantId: null, ownerId, uid: `uid of ${ownerId}` });
  const grants = [1, 2].map((number) => `grant ${number} of ${ownerId}`);
  const ofGrants = grants.flatMap((grantId) =>
    ['Grant', 'AuthorizationCode', 'RefreshToken'].map((model) =>
      makeArtifact({ model, grantId, ownerId, clientId: 'app', expiresAt: nowSeconds + 1, purgeAt: nowSeconds + 9 }),
    ),
  );
  for (const artifact of [session, ...ofGrants]) await oidc.put(artifact);
  return { session, grants, ofGrants };
}

async function isThere({ oidc }: Store, { model, idHash }: { model: string; idHash: string }): Promise<boolean> {
  return (await oidc.find(model, idHash)) !== undefined;
}
