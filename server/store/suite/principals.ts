import { beforeAll, describe, expect, test } from 'vitest';
import type { Store, Subject } from '../store.ts';
import { addAccount, addOwner } from './records.ts';

/** The principals of a client, and the changes that revoke them at once. */
export function describePrincipals(get: () => Store): void {
  describe('as whom a client may act', () => {
    const [clientId, otherClient] = ['client-of-principals', 'client-beside'];
    const [grantId, otherGrant] = ['grant-of-principals', 'grant-beside'];
    const at = 1_790_000_000_000;
    const entry = { at, accountId: 'a', clientId: 'operator', deviceId: null, requestId: null, action: 'set_disabled' };

    beforeAll(async () => {
      for (const id of [clientId, otherClient]) await get().clients.create({ clientId: id, metadata: '{}' });
    });

    /** An account with two owners, for both of whom a client may act. */
    async function addFixture() {
      const accountId = await addAccount(get());
      const [ownerId, otherOwner] = [await addOwner(get(), accountId), await addOwner(get(), accountId)];
      const own: Subject = { kind: 'own', accountId };
      const owner: Subject = { kind: 'owner', ownerId, grantId: `${grantId} of ${ownerId}` };
      const grants = { mine: owner.grantId, other: `${otherGrant} of ${ownerId}` };
      const find = (subject: Subject, id = clientId) => get().principals.find(id, subject);
      return { accountId, ownerId, otherOwner, own, owner, grants, find };
    }

    test('is its own account, or that of the owner who logged in, as it is now', async () => {
      const { accountId, own, owner, find } = await addFixture();
      await addFixture();
      for (const trialEndsAt of [null, at, null]) {
        await get().accounts.setTrialEnd(accountId, trialEndsAt);
        for (const subject of [own, owner])
          expect(await find(subject)).toEqual({ accountId, trialEndsAt, tokensValidAfter: 0 });
      }
    });

    test('is nobody where client, account or owner is unknown', async () => {
      const { own, owner, find } = await addFixture();
      for (const subject of [own, owner]) expect(await find(subject, 'client-unknown')).toBeUndefined();
      expect(await find({ kind: 'own', accountId: 'account-unknown' })).toBeUndefined();
      expect(await find({ ...owner, ownerId: 'owner-unknown' } as Subject)).toBeUndefined();
    });

    test('is nobody any more once a grant is revoked, whatever other grants there are', async () => {
      const { own, owner, ownerId, grants, find } = await addFixture();
      const other: Subject = { kind: 'owner', ownerId, grantId: grants.other };
      await get().oidc.revokeGrant(grants.mine, 'hash', at / 1000, at / 1000 + 60);
      expect(await find(owner)).toBeUndefined();
      for (const subject of [own, other]) expect(await find(subject)).toBeDefined();
    });

    test('is nobody while the owner is disabled, and another owner goes on', async () => {
      const { own, owner, ownerId, otherOwner, find } = await addFixture();
      const beside: Subject = { kind: 'owner', ownerId: otherOwner, grantId: otherGrant };
      for (const disabledAt of [at, null]) {
        await get().owners.setDisabled(ownerId, disabledAt, entry);
        expect((await find(owner)) === undefined).toBe(disabledAt !== null);
        for (const subject of [own, beside]) expect(await find(subject)).toBeDefined();
      }
    });

    test('is nobody while the account is disabled', async () => {
      const { accountId, own, owner, find } = await addFixture();
      const beside = await addFixture();
      for (const disabledAt of [at, null]) {
        await get().accounts.setDisabled(accountId, disabledAt);
        for (const subject of [own, owner]) expect((await find(subject)) === undefined).toBe(disabledAt !== null);
        for (const subject of [beside.own, beside.owner]) expect(await find(subject)).toBeDefined();
      }
    });

    test('is nobody while the client is disabled, and another client goes on', async () => {
      const { own, owner, find } = await addFixture();
      for (const disabledAt of [at / 1000, null]) {
        await get().clients.setDisabled(clientId, disabledAt);
        for (const subject of [own, owner]) {
          expect((await find(subject)) === undefined).toBe(disabledAt !== null);
          expect(await find(subject, otherClient)).toBeDefined();
        }
      }
    });
  });
}
