import { afterEach, describe, expect, test } from 'vitest';
import type { Store } from '../store/store.ts';
import { issueCode } from './fixtures/issue-code.ts';
import { accountId, owner, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { type Answer, basic, loginTokens, post } from './fixtures/talk.ts';
import { exchangeCode, refresh } from './fixtures/token-requests.ts';

// A disabled or deleted owner, account or client can't use earlier grants. Others are not affected.

let running: RunningAuth | undefined;
afterEach(() => running?.close());

const other = { ...owner, id: `owner-${'b2'.repeat(12)}`, email: 'second@harbour.example', name: 'Second Owner' };
const entry = { accountId, clientId: owner.id, deviceId: null, requestId: null, action: 'set_disabled' };

interface Case {
  readonly who: string;
  /** Whether it affects all owners of the account. */
  readonly isForAll: boolean;
  readonly go: (store: Store, gone: Set<string>) => Promise<unknown>;
  /** Undefined if it can't be undone. */
  readonly comeBack?: (store: Store) => Promise<unknown>;
  readonly want: readonly [status: number, error: string];
  /** Whether earlier grants are valid again afterwards. */
  readonly isGoodAgain?: boolean;
}

const refusedGrant = [400, 'invalid_grant'] as const;
const cases: readonly Case[] = [
  {
    who: 'a disabled owner',
    isForAll: false,
    go: ({ owners }) => owners.setDisabled(owner.id, Date.now(), { ...entry, at: Date.now() }),
    comeBack: ({ owners }) => owners.setDisabled(owner.id, null, { ...entry, at: Date.now() }),
    want: refusedGrant,
    isGoodAgain: false,
  },
  { who: 'a deleted owner', isForAll: false, go: async (_, gone) => gone.add(owner.id), want: refusedGrant },
  {
    who: 'an owner of a disabled account',
    isForAll: true,
    go: ({ accounts }) => accounts.setDisabled(accountId, Date.now()),
    comeBack: ({ accounts }) => accounts.setDisabled(accountId, null),
    want: refusedGrant,
    isGoodAgain: true,
  },
  {
    who: 'an owner of a deleted account',
    isForAll: true,
    go: async (_, gone) => gone.add(accountId),
    want: refusedGrant,
  },
  {
    who: 'a disabled client',
    isForAll: true,
    go: ({ clients }) => clients.setDisabled('test-partner', 1),
    comeBack: ({ clients }) => clients.setDisabled('test-partner', null),
    want: [401, 'invalid_client'],
    isGoodAgain: true,
  },
  {
    who: 'a deleted client',
    isForAll: true,
    go: async (_, gone) => gone.add('test-partner'),
    want: [401, 'invalid_client'],
  },
];

/** Two owners of one account. Records in `gone` are no longer found. */
async function begin() {
  const gone = new Set<string>();
  running = await startAuth({
    faultyStore: (store) => {
      const hide = <Part extends { find(id: string): Promise<unknown> }>(part: Part): Part => ({
        ...part,
        find: async (id: string) => (gone.has(id) ? undefined : part.find(id)),
      });
      return { ...store, owners: hide(store.owners), accounts: hide(store.accounts), clients: hide(store.clients) };
    },
  });
  const { passwordHash = '' } = (await running.store.owners.find(owner.id)) ?? {};
  await running.store.owners.create({ ...other, passwordHash, createdAt: Date.now() });
  return { auth: running, gone };
}

describe.each(cases)('$who', ({ isForAll, go, comeBack, want, isGoodAgain }) => {
  const say = ({ status, body }: Answer) => [status, body?.error];

  test('cannot refresh, exchanges no code, and has no valid access token', async () => {
    const { auth, gone } = await begin();
    const tokens = await loginTokens(auth);
    const code = await issueCode(auth.auth.provider, auth.resource);
    await go(auth.store, gone);
    const refreshed = await refresh(auth, tokens.refresh_token);
    expect(say(refreshed)).toEqual(want);
    expect(say(await exchangeCode(auth, code))).toEqual(want);
    // In this test the rows of a deleted record still exist: the verifier has its own tests for that.
    if (comeBack === undefined) return;
    expect(await auth.verify(tokens.access_token)).toEqual({ kind: 'bad', reason: 'revoked' });

    await comeBack(auth.store);
    expect((await refresh(auth, tokens.refresh_token)).status).toBe(isGoodAgain ? 200 : 400);
    expect(await auth.verify(tokens.access_token)).toMatchObject({ kind: isGoodAgain ? 'good' : 'bad' });
  });

  test(`${isForAll ? 'takes' : 'does not take'} another owner of the account along`, async () => {
    const { auth, gone } = await begin();
    const tokens = await loginTokens(auth, undefined, { email: other.email });
    const code = await issueCode(auth.auth.provider, auth.resource, { ownerId: other.id });
    await go(auth.store, gone);
    const answers = [await refresh(auth, tokens.refresh_token), await exchangeCode(auth, code)];
    expect(answers.map(say)).toEqual(
      isForAll
        ? [want, want]
        : [
            [200, undefined],
            [200, undefined],
          ],
    );
    for (const { body } of answers) {
      if (!isForAll) expect(await auth.verify(String(body?.access_token))).toMatchObject({ kind: 'good' });
    }
  });
});

describe("an account's own client", () => {
  const ask = (auth: RunningAuth) => post(auth, '/oauth2/token', { grant_type: 'client_credentials' }, basic(auth.own));

  test('gets no token while its account is disabled, and its earlier tokens are invalid', async () => {
    const { auth } = await begin();
    const { body } = await ask(auth);
    await auth.store.accounts.setDisabled(accountId, Date.now());
    const refused = await ask(auth);
    expect([refused.status, refused.body?.error]).toEqual([401, 'invalid_client']);
    expect(await auth.verify(String(body?.access_token))).toEqual({ kind: 'bad', reason: 'revoked' });
    await auth.store.accounts.setDisabled(accountId, null);
    expect((await ask(auth)).status).toBe(200);
  });

  test('gets none if there is no such account', async () => {
    const { auth, gone } = await begin();
    gone.add(accountId);
    expect((await ask(auth)).body?.error).toBe('invalid_client');
  });

  test('is not affected if an owner of the account is disabled', async () => {
    const { auth } = await begin();
    await auth.store.owners.setDisabled(owner.id, Date.now(), { ...entry, at: Date.now() });
    expect((await ask(auth)).status).toBe(200);
  });
});

describe('a change of the password', () => {
  test('revokes a login whose code was not exchanged yet, and leaves connected apps', async () => {
    const { auth } = await begin();
    const tokens = await loginTokens(auth);
    const code = await issueCode(auth.auth.provider, auth.resource);
    const { passwordHash = '' } = (await auth.store.owners.find(owner.id)) ?? {};
    // In the next second, since a login of the same second is ended too.
    const at = Date.now() + 1000;
    await auth.store.owners.setPassword(owner.id, { passwordHash, at }, { ...entry, at, action: 'set_password' });
    expect((await exchangeCode(auth, code)).body?.error).toBe('invalid_grant');
    expect((await refresh(auth, tokens.refresh_token)).status).toBe(200);
  });
});
