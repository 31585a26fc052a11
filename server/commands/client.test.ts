import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OwnClient, PartnerClient } from '../oauth/create-client-metadata.ts';
import { openMemoryStore } from '../store/sqlite/fixtures/open-memory-store.ts';
import type { Store } from '../store/store.ts';
import { createClient } from './client.ts';

const own: OwnClient = { kind: 'own', clientId: 'acme-own', name: 'Acme', ownerAccount: 'acme' };
const redirectUris = ['https://p.example/a', 'https://p.example/b'];
const partner: PartnerClient = { kind: 'partner', clientId: 'acme-own', name: 'Acme', redirectUris };
const scopes = ['serviceapi/get-devices', 'serviceapi/update-device'];

let store: Store;
beforeEach(async () => {
  store = await openMemoryStore();
  for (const id of ['acme', 'other']) await store.accounts.put({ id, name: id, trialEndsAt: null });
});
afterEach(() => store.close());

test.each<{ name: string; first: OwnClient | PartnerClient; second: OwnClient | PartnerClient; differing: string[] }>([
  { name: 'the same', first: own, second: own, differing: [] },
  { name: 'the same partner', first: partner, second: partner, differing: [] },
  {
    name: 'scopes in another order',
    first: { ...own, scopes },
    second: { ...own, scopes: scopes.toReversed() },
    differing: [],
  },
  {
    name: 'addresses in another order',
    first: partner,
    second: { ...partner, redirectUris: redirectUris.toReversed() },
    differing: [],
  },
  { name: 'fewer scopes', first: own, second: { ...own, scopes }, differing: ['--scope'] },
  {
    name: 'one scope less',
    first: { ...own, scopes },
    second: { ...own, scopes: scopes.slice(1) },
    differing: ['--scope'],
  },
  { name: 'another account', first: own, second: { ...own, ownerAccount: 'other' }, differing: ['--account'] },
  { name: 'another name', first: own, second: { ...own, name: 'Acme Two' }, differing: ['--name'] },
  { name: 'PKCE', first: partner, second: { ...partner, requirePkce: true }, differing: ['--require-pkce'] },
  {
    name: 'rotation',
    first: partner,
    second: { ...partner, rotateRefreshToken: true },
    differing: ['--rotate-refresh-token'],
  },
  {
    name: 'an address more',
    first: { ...partner, redirectUris: redirectUris.slice(1) },
    second: partner,
    differing: ['--redirect-uri'],
  },
])('client create again, with $name', async ({ first, second, differing }) => {
  expect(await createClient(store, first)).toMatchObject({ kind: 'done', json: { created: true } });
  const before = await store.clients.list();
  const again = await createClient(store, second);
  if (differing.length === 0) expect(again).toMatchObject({ kind: 'done', json: { created: false } });
  else expect(again).toMatchObject({ kind: 'refused', json: { created: false, differing } });
  for (const option of differing) expect(again.text).toContain(option);
  expect(await store.clients.list()).toEqual(before);
});

test.each([
  { ...own, clientId: 'other' },
  { ...partner, clientId: 'acme' },
])('a client can’t have the id of any account: $clientId', async (client) => {
  const { kind, text } = await createClient(store, client);
  expect([kind, text]).toEqual(['refused', expect.stringContaining(`${client.clientId} is the id of an account`)]);
  expect(await store.clients.list()).toEqual([]);
});
