import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClientMetadata } from '../oauth/create-client-metadata.ts';
import { openMemoryStore } from '../store/sqlite/fixtures/open-memory-store.ts';
import type { Store } from '../store/store.ts';
import { rotateClient, switchClient } from './client.ts';

const now = Date.UTC(2026, 10, 21, 8, 0, 0, 345);
const hour = 3600;

let store: Store;
beforeEach(async () => {
  store = await openMemoryStore();
  await store.accounts.put({ id: 'acme', name: 'Acme', trialEndsAt: null });
  const own = { kind: 'own', clientId: 'acme-own', name: 'Acme', ownerAccount: 'acme' } as const;
  const partner = { kind: 'partner', clientId: 'p', name: 'P', redirectUris: ['https://p.example/'] } as const;
  for (const client of [own, partner]) await store.clients.create(createClientMetadata(client));
});
afterEach(() => store.close());

const rotate = (clientId: string, overlapSeconds: number, at = now) =>
  rotateClient(store, clientId, { overlapSeconds, now: at });

test('prints until when the old secret works, and which secret became invalid early', async () => {
  const first = await rotate('acme-own', 24 * hour);
  const { secret } = first.json as { secret: string };
  expect(first).toMatchObject({
    kind: 'done',
    text: `Rotated the secret of acme-own. The new one, shown only now:\n${secret}\nThe old one works until 2026-11-22T08:00:00.000Z.`,
    json: { clientId: 'acme-own', previousSecretUntil: '2026-11-22T08:00:00.000Z', endedSecretUntil: null },
  });
  const second = await rotate('acme-own', 0, now + 1000);
  expect(second.text).toMatch(
    /\nThe old one is invalid now\.\nThe one before that, valid until 2026-11-22T08:00:00\.000Z, is invalid now\.$/,
  );
  expect(second.json).toMatchObject({ previousSecretUntil: null, endedSecretUntil: '2026-11-22T08:00:00.000Z' });
  expect((await rotate('acme-own', 0, now + 2000)).json).toMatchObject({ endedSecretUntil: null });
});

test('is audited: under the account of a client, under a partner’s own id', async () => {
  for (const clientId of ['acme-own', 'p']) await rotate(clientId, hour);
  const entry = { at: now, action: 'rotate_client_secret', deviceId: null, requestId: null };
  expect(await store.audit.list('acme')).toEqual([{ ...entry, accountId: 'acme', clientId: 'acme-own' }]);
  expect(await store.audit.list('p')).toEqual([{ ...entry, accountId: 'p', clientId: 'p' }]);
  expect(JSON.stringify(await store.audit.list('acme'))).not.toMatch(/[\w-]{43}/);
});

test('of ten at once each is whole: one after the other, or refused', async () => {
  const results = await Promise.all(Array.from({ length: 10 }, () => rotate('acme-own', hour)));
  const done = results.filter(({ kind }) => kind === 'done');
  expect(done.length).toBeGreaterThan(0);
  expect(await store.audit.list('acme')).toHaveLength(done.length);
  for (const { kind, text } of results)
    if (kind !== 'done')
      expect([kind, text]).toEqual(['declined', expect.stringContaining('nothing changed here. Run it again.')]);
});

test('a disabled client stays disabled, and the command reports it', async () => {
  await switchClient(store, 'p', 'disable', now);
  expect((await rotate('p', hour)).text).toContain('The client is disabled');
  expect(await store.clients.find('p')).toMatchObject({ disabledAt: Math.floor(now / 1000) });
});

test('an unknown client is refused, with the nearest name', async () => {
  expect(await rotate('acme-on', hour)).toMatchObject({
    kind: 'refused',
    text: 'There is no client acme-on; nearest: acme-own',
  });
});
