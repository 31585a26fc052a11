import BetterSqlite3 from 'better-sqlite3';
import { type CompiledQuery, Kysely } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createStore } from './create-store.ts';
import { migrate } from './migrations/migrate.ts';
import type { Tables } from './schema.ts';
import { ImmediateDialect } from './sqlite/immediate-dialect.ts';
import { sqliteSpelling } from './sqlite/sqlite-spelling.ts';
import type { Store, Subject } from './store.ts';
import { makeOwner } from './suite/records.ts';

// States that no method of the store writes: deleted rows, and the columns by which an operator revokes tokens.

let connection: BetterSqlite3.Database;
let store: Store;
let sent: CompiledQuery[];

const [accountId, clientId] = ['account-1', 'client-1'];
const owner = makeOwner(accountId);
const subjects: readonly Subject[] = [
  { kind: 'own', accountId },
  { kind: 'owner', ownerId: owner.id, grantId: 'grant-1' },
];

beforeEach(async () => {
  connection = new BetterSqlite3(':memory:');
  connection.pragma('foreign_keys = off'); // an account goes while it has owners
  sent = [];
  const database = new Kysely<Tables>({
    dialect: new ImmediateDialect(connection),
    log: ({ query }) => void sent.push(query),
  });
  store = createStore(database, sqliteSpelling, () => database.destroy());
  await migrate(database, sqliteSpelling, () => 0);
  await store.accounts.put({ id: accountId, name: 'Account', trialEndsAt: null });
  await store.owners.create(owner);
  await store.clients.create({ clientId, metadata: '{}' });
});

afterEach(() => store.close());

test.each([
  { account: null, client: null, want: 0 },
  { account: 1_790_000_000_001, client: null, want: 1_790_000_000_001 },
  { account: null, client: 1_790_000_000, want: 1_790_000_000_000 },
  { account: 1_790_000_000_001, client: 1_790_000_000, want: 1_790_000_000_001 },
  { account: 1_790_000_000_001, client: 1_790_000_001, want: 1_790_000_001_000 },
])('tokens are valid after the later end: account $account, client $client', async ({ account, client, want }) => {
  connection.prepare('update account set tokens_valid_after = ?').run(account);
  connection.prepare('update oauth_client set tokens_valid_after = ?').run(client);
  for (const subject of subjects)
    expect(await store.principals.find(clientId, subject)).toEqual({
      accountId,
      trialEndsAt: null,
      tokensValidAfter: want,
    });
});

test.each([
  { gone: 'account', takes: ['own', 'owner'] },
  { gone: 'oauth_client', takes: ['own', 'owner'] },
  { gone: 'owner', takes: ['owner'] },
])('a deleted $gone revokes $takes', async ({ gone, takes }) => {
  connection.exec(`delete from ${gone}`);
  for (const subject of subjects)
    expect((await store.principals.find(clientId, subject)) === undefined).toBe(takes.includes(subject.kind));
});

// Every request runs this: if the test fails, its time grows with the number of accounts, owners or clients.
test('is one statement, in which each row is found by its key', async () => {
  for (const subject of subjects) {
    sent.length = 0;
    await store.principals.find(clientId, subject);
    expect(sent).toHaveLength(1);
    const [{ sql, parameters }] = sent as [CompiledQuery];
    const steps = connection.prepare(`explain query plan ${sql}`).all(...parameters) as { detail: string }[];
    const searches = steps.map(({ detail }) => detail).filter((step) => !step.startsWith('SCALAR SUBQUERY'));
    expect(searches.length).toBe(subject.kind === 'own' ? 2 : 4);
    for (const step of searches) expect(step).toMatch(/^SEARCH \w+ USING PRIMARY KEY \(\w+=\?\)$/);
  }
});
