import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createClientMetadata } from '../oauth/create-client-metadata.ts';
import { accessTokenSeconds } from '../oauth/lifetimes.ts';
import type { AuditEntry } from '../store/records.ts';
import { openMemoryStore } from '../store/sqlite/fixtures/open-memory-store.ts';
import { revocationKeptSeconds, type Store } from '../store/store.ts';
import { type GrantChoice, type GrantListOptions, listGrants, revokeGrants } from './grant.ts';

const now = Date.UTC(2026, 10, 21, 8, 0, 0, 345);
const nowSeconds = Math.floor(now / 1000);
const day = 86_400;
const [anna, ben, carl] = ['anna@acme.example', 'ben@acme.example', 'carl@other.example'];

let store: Store;
beforeEach(async () => {
  store = await openMemoryStore();
  for (const accountId of ['acme', 'other'])
    await store.accounts.put({ id: accountId, name: accountId, trialEndsAt: null });
  for (const [email, accountId] of [
    [anna, 'acme'],
    [ben, 'acme'],
    [carl, 'other'],
  ] as const)
    await store.owners.create({ id: ownerId(email), accountId, email, name: email, passwordHash: '', createdAt: now });
  for (const clientId of ['keys-app', 'stays-app'])
    await store.clients.create(
      createClientMetadata({ kind: 'partner', clientId, name: clientId, redirectUris: ['https://p.example/'] }),
    );
  await connect('grant-1', anna, 'keys-app', 3 * day);
  await connect('grant-2', anna, 'stays-app', 2 * day);
  await connect('grant-3', ben, 'keys-app', day);
  await connect('grant-4', carl, 'keys-app', 0);
});
afterEach(() => store.close());

/** The rows of a login of that age, and of a refresh an hour ago that rotated its token. */
async function connect(grantId: string, email: string, clientId: string, agoSeconds: number): Promise<void> {
  const iiat = nowSeconds - agoSeconds;
  const scope = 'openid serviceapi/get-devices';
  const common = { grantId, uid: null, purgeAt: null, ownerId: ownerId(email), clientId };
  for (const model of ['Grant', 'RefreshToken'])
    await store.oidc.put({
      ...common,
      model,
      idHash: `${model} of ${grantId}`,
      payload: JSON.stringify({ scope, iiat, iat: nowSeconds - 3600 }),
      expiresAt: iiat + 365 * day,
    });
}

function ownerId(email: string): string {
  return `owner of ${email}`;
}

const list = (options: Partial<GrantListOptions> = {}) => listGrants(store, { limit: 10, now, ...options });
const ids = async (options: Partial<GrantListOptions> = {}) => {
  const { json } = await list(options);
  return (json as { grants: { grant: string }[] }).grants.map(({ grant }) => Number(grant.slice(-1)));
};
const revoke = (choice: GrantChoice, at = now) => revokeGrants(store, choice, at);

describe('grant list', () => {
  test('shows the newest first: who gave what to whom, since and until when', async () => {
    const { kind, text, json } = await list();
    expect([kind, ...text.split('\n')]).toEqual([
      'done',
      'GRANT    OWNER               ACCOUNT  CLIENT     SINCE                 UNTIL                 SCOPES',
      'grant-4  carl@other.example  other    keys-app   2026-11-21T08:00:00Z  2027-11-21T08:00:00Z  2',
      'grant-3  ben@acme.example    acme     keys-app   2026-11-20T08:00:00Z  2027-11-20T08:00:00Z  2',
      'grant-2  anna@acme.example   acme     stays-app  2026-11-19T08:00:00Z  2027-11-19T08:00:00Z  2',
      'grant-1  anna@acme.example   acme     keys-app   2026-11-18T08:00:00Z  2027-11-18T08:00:00Z  2',
    ]);
    const { grants, more } = json as { grants: unknown[]; more: boolean };
    expect([grants.length, grants[3], more]).toEqual([
      4,
      {
        grant: 'grant-1',
        owner: anna,
        account: 'acme',
        client: 'keys-app',
        scopes: ['openid', 'serviceapi/get-devices'],
        since: '2026-11-18T08:00:00.000Z',
        until: '2027-11-18T08:00:00.000Z',
      },
      false,
    ]);
  });

  test('is narrowed to an account, an owner, a client, a number, and reports that there are more', async () => {
    expect(await ids({ account: 'acme' })).toEqual([3, 2, 1]);
    expect(await ids({ owner: anna.toUpperCase() })).toEqual([2, 1]);
    expect(await ids({ client: 'keys-app' })).toEqual([4, 3, 1]);
    expect(await ids({ owner: anna, client: 'keys-app' })).toEqual([1]);
    expect(await ids({ account: 'other', owner: anna })).toEqual([]);
    expect(await ids({ limit: 2 })).toEqual([4, 3]);
    expect((await list({ limit: 3 })).text).toContain('The first 3. There are more: --limit 6');
    expect((await list({ account: 'other', owner: anna })).text).toBe('No grants.');
  });

  test('shows what lives alone', async () => {
    expect(await ids({ now: now + 362 * day * 1000 })).toEqual([4, 3, 2]);
    await store.oidc.consume('RefreshToken', 'RefreshToken of grant-4', nowSeconds);
    expect(await ids()).toEqual([3, 2, 1]);
  });

  test.each([
    [{ account: 'acm' }, 'There is no account acm; nearest: acme'],
    [{ owner: 'ann@acme.example' }, 'There is no owner ann@acme.example; nearest: anna@acme.example'],
    [{ owner: 'ann' }, 'The e-mail is "ann": it needs one @'],
    [{ client: 'key-app' }, 'There is no client key-app; nearest: keys-app'],
  ])('names what comes nearest to %o', async (options, message) => {
    expect(await list(options)).toMatchObject({ kind: 'refused', text: expect.stringContaining(message) });
  });
});

describe('grant revoke', () => {
  type Audited = Required<Pick<AuditEntry, 'accountId' | 'clientId' | 'ownerId'>>;
  test.each<{ choice: GrantChoice; left: number[]; text: string; json: object; audited: Audited[] }>([
    {
      choice: { grant: 'grant-1' },
      left: [4, 3, 2],
      text: 'Revoked the grant grant-1, which anna@acme.example gave keys-app.',
      json: { grant: 'grant-1', owner: anna, client: 'keys-app', revoked: 1 },
      audited: [{ accountId: 'acme', clientId: 'keys-app', ownerId: ownerId(anna) }],
    },
    {
      choice: { owner: 'Anna@ACME.example' },
      left: [4, 3],
      text: 'Revoked 2 grants that anna@acme.example gave.',
      json: { owner: anna, revoked: 2 },
      audited: [{ accountId: 'acme', clientId: 'operator', ownerId: ownerId(anna) }],
    },
    {
      choice: { client: 'keys-app' },
      left: [2],
      text: 'Revoked 3 grants given to keys-app.',
      json: { client: 'keys-app', revoked: 3 },
      audited: [
        { accountId: 'acme', clientId: 'keys-app', ownerId: ownerId(ben) },
        { accountId: 'acme', clientId: 'keys-app', ownerId: ownerId(anna) },
        { accountId: 'other', clientId: 'keys-app', ownerId: ownerId(carl) },
      ],
    },
    {
      choice: { account: 'acme' },
      left: [4],
      text: 'Revoked 3 grants of acme.',
      json: { account: 'acme', revoked: 3 },
      audited: [
        { accountId: 'acme', clientId: 'operator', ownerId: ownerId(anna) },
        { accountId: 'acme', clientId: 'operator', ownerId: ownerId(ben) },
      ],
    },
    {
      choice: { account: 'acme', client: 'keys-app' },
      left: [4, 2],
      text: 'Revoked 2 grants of acme given to keys-app.',
      json: { account: 'acme', client: 'keys-app', revoked: 2 },
      audited: [
        { accountId: 'acme', clientId: 'keys-app', ownerId: ownerId(anna) },
        { accountId: 'acme', clientId: 'keys-app', ownerId: ownerId(ben) },
      ],
    },
    {
      choice: { account: 'other', owner: anna },
      left: [4, 3, 2, 1],
      text: 'There is no grant of other that anna@acme.example gave.',
      json: { account: 'other', owner: anna, revoked: 0 },
      audited: [],
    },
    {
      choice: { client: 'keys-app', owner: anna },
      left: [4, 3, 2],
      text: 'Revoked 1 grant that anna@acme.example gave keys-app.',
      json: { owner: anna, client: 'keys-app', revoked: 1 },
      audited: [{ accountId: 'acme', clientId: 'keys-app', ownerId: ownerId(anna) }],
    },
  ])('$choice: prints the number, leaves the others, and is audited', async ({ choice, left, text, json, audited }) => {
    expect(await revoke(choice)).toEqual({ kind: 'done', text, json });
    expect(await ids()).toEqual(left);
    const revoked = [1, 2, 3, 4].filter((number) => !left.includes(number));
    for (const number of revoked) expect(await store.oidc.isGrantRevoked(`grant-${number}`)).toBe(true);
    expect(await listAudit()).toEqual(
      audited.map((entry) => ({ at: now, action: 'revoke_grants', deviceId: null, requestId: null, ...entry })),
    );
  });

  const listAudit = async () =>
    (await Promise.all(['acme', 'other', 'keys-app'].map((accountId) => store.audit.list(accountId)))).flat();

  test('also revokes a login under way, which has no refresh token with an owner yet', async () => {
    await store.oidc.put({
      model: 'AuthorizationCode',
      idHash: 'code',
      grantId: 'grant-5',
      uid: null,
      purgeAt: null,
      ownerId: ownerId(ben),
      clientId: 'stays-app',
      payload: '{}',
      expiresAt: nowSeconds + 60,
    });
    expect(await revoke({ client: 'stays-app' })).toMatchObject({ json: { revoked: 1 } });
    expect(await store.oidc.isGrantRevoked('grant-5')).toBe(true);
    expect(await store.audit.list('stays-app')).toMatchObject([{ clientId: 'stays-app', action: 'revoke_grants' }]);
  });

  test('twice is done once', async () => {
    await revoke({ grant: 'grant-1' });
    expect(await revoke({ grant: 'grant-1' })).toEqual({
      kind: 'done',
      text: 'The grant grant-1 is revoked already; nothing changed.',
      json: { grant: 'grant-1', revoked: 0 },
    });
    await revoke({ owner: anna });
    expect(await revoke({ owner: anna })).toEqual({
      kind: 'done',
      text: 'There is no grant that anna@acme.example gave.',
      json: { owner: anna, revoked: 0 },
    });
    expect((await revoke({ owner: anna, client: 'keys-app' })).text).toBe(
      'There is no grant that anna@acme.example gave keys-app.',
    );
    expect(await store.audit.list('acme')).toHaveLength(2);
  });

  test.each<[GrantChoice, string]>([
    [{ grant: 'grant-9' }, 'There is no grant grant-9, or it has expired.'],
    [{ owner: 'ann@acme.example' }, 'There is no owner ann@acme.example; nearest: anna@acme.example'],
    [{ client: 'key-app' }, 'There is no client key-app; nearest: keys-app'],
    [{ account: 'acm' }, 'There is no account acm; nearest: acme'],
    [{ client: 'keys-app', owner: 'ann@acme.example' }, 'nearest: anna@acme.example'],
    [{ client: 'key-app', owner: anna }, 'nearest: keys-app'],
  ])('%o is refused, and nothing is revoked', async (choice, message) => {
    expect(await revoke(choice)).toMatchObject({ kind: 'refused', text: expect.stringContaining(message) });
    expect(await ids()).toEqual([4, 3, 2, 1]);
  });

  test('is reported as long as one of its access tokens could still be used', async () => {
    // The store also revokes grants when it disables an owner. The clocks differ by a minute.
    expect(revocationKeptSeconds).toBeGreaterThanOrEqual(accessTokenSeconds + 60);
    await revoke({ grant: 'grant-1' });
    await store.oidc.purge(nowSeconds + accessTokenSeconds + 59, 500);
    expect(await store.oidc.isGrantRevoked('grant-1')).toBe(true);
    await store.oidc.purge(nowSeconds + revocationKeptSeconds, 500);
    expect(await store.oidc.isGrantRevoked('grant-1')).toBe(false);
  });
});
