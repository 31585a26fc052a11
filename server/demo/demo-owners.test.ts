import { afterEach, beforeEach, expect, test } from 'vitest';
import { setOwnerPassword, switchOwner } from '../commands/owner.ts';
import { createPasswords } from '../oauth/passwords.ts';
import { openMemoryStore } from '../store/sqlite/fixtures/open-memory-store.ts';
import type { Store } from '../store/store.ts';
import { demoAccounts } from './demo-data.ts';
import { demoOwners, deriveDemoPassword, seedDemoOwners } from './demo-owners.ts';
import { deriveDemoSecret, seedDemo } from './seed-demo.ts';

const firstStart = Date.UTC(2026, 10, 20, 18, 22, 0, 345);
const keys = { demoKey: new Uint8Array(32).fill(1) };
const passwords = createPasswords({ ln: 1 });

let store: Store;
beforeEach(async () => {
  store = await openMemoryStore();
  await seedDemo(store, { keys, now: firstStart });
});
afterEach(() => store.close());

const seed = (now = firstStart, hash = passwords.hash) => seedDemoOwners(store, { keys, now, passwords: { hash } });

test('each account has an owner, whose password is valid and stored as a hash alone', async () => {
  const printed = await seed();
  expect(printed.map(({ email, account }) => [email, account])).toEqual([
    ['owner@harbour.example', 'Harbour Stays'],
    ['owner@meadow.example', 'Meadow Lodge'],
    ['owner@lapsed.example', 'Lapsed Rentals'],
  ]);
  expect(demoOwners.map(({ accountId }) => accountId).toSorted()).toEqual(demoAccounts.map(({ id }) => id).toSorted());
  for (const { email, password } of printed) {
    expect(password).toMatch(/^\w{5}(-\w{5}){3}$/);
    const owner = await store.owners.findByEmail(email);
    expect(owner).toMatchObject({ id: expect.stringMatching(/^owner-[0-9a-f]{24}$/), createdAt: firstStart });
    expect(await passwords.matches(password, owner?.passwordHash)).toBe(true);
    expect(JSON.stringify(owner)).not.toContain(password);
  }
});

test('a second start prints the same, hashes nothing and changes nothing', async () => {
  const printed = await seed();
  await switchOwner(store, 'owner@lapsed.example', 'disable', firstStart + 1);
  const before = await store.owners.list({ limit: 9 });
  expect(await seed(firstStart + 1e9, async () => expect.fail('nothing is to be hashed'))).toEqual(printed);
  expect(await store.owners.list({ limit: 9 })).toEqual(before);
});

test('an owner whose password was changed is left out, and keeps it', async () => {
  const printed = await seed();
  await setOwnerPassword(store, 'owner@meadow.example', {
    passwords,
    now: firstStart + 1,
    readPassword: async () => 'correct horse battery',
  });
  expect(await seed(firstStart + 2)).toEqual(printed.filter(({ account }) => account !== 'Meadow Lodge'));
  const kept = (await store.owners.findByEmail('owner@meadow.example'))?.passwordHash;
  expect(await passwords.matches('correct horse battery', kept)).toBe(true);
});

test('another owner with the e-mail stays, and is not printed', async () => {
  const other = { id: 'owner-other', accountId: demoAccounts[0].id, email: 'OWNER@meadow.example', name: 'Other' };
  await store.owners.create({ ...other, passwordHash: 'theirs', createdAt: 1 });
  expect((await seed()).map(({ account }) => account)).toEqual(['Harbour Stays', 'Lapsed Rentals']);
  expect(await store.owners.findByEmail('owner@meadow.example')).toMatchObject({ id: 'owner-other' });
});

test('a password depends on owner and key, and differs from everything else that is derived', () => {
  const other = new Uint8Array(32).fill(2);
  const [email, another] = ['owner@harbour.example', 'owner@meadow.example'];
  const derived = [
    deriveDemoPassword(keys.demoKey, email),
    deriveDemoPassword(keys.demoKey, another),
    deriveDemoPassword(other, email),
  ];
  expect(new Set(derived).size).toBe(3);
  expect(deriveDemoPassword(keys.demoKey, email)).toBe(derived[0]);
  expect(deriveDemoSecret(keys.demoKey, email)).not.toContain(derived[0]?.slice(0, 5));
});
