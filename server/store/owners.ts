import { addAuditEntry } from './audit.ts';
import type { Database, DatabaseTransaction, Spelling } from './database.ts';
import { revokeGrants } from './oidc.ts';
import { prepareQuery } from './prepared-query.ts';
import type { AuditEntry } from './records.ts';
import { emailKey, type Owner } from './records.ts';
import {
  type KnownBrowser,
  mostKnownBrowsers,
  type NewOwner,
  type OwnerStore,
  revocationKeptSeconds,
  StoreConflict,
} from './store.ts';
import { transact } from './transact.ts';

const columns = [
  'id',
  'account_id as accountId',
  'email',
  'name',
  'password_hash as passwordHash',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'password_set_at as passwordSetAt',
  'disabled_at as disabledAt',
  'logins_valid_after as loginsValidAfter',
] as const;

export function createOwnerStore(database: Database, spelling: Spelling): OwnerStore {
  const findById = prepareQuery<{ id: string }, Owner>(database, ({ id }) =>
    database.selectFrom('owner').select(columns).where('id', '=', id),
  );
  /** Until the end of the transaction, no other changes the owner or adds a browser. */
  const lock = prepareQuery<{ id: string }, { after: number | null }>(database, ({ id }) =>
    database.selectFrom('owner').select('logins_valid_after as after').where('id', '=', id).modifyEnd(spelling.rowLock),
  );
  /** @returns the result of `act`; undefined, and nothing changed, when there is no such owner */
  const change = <Result>(
    id: string,
    audit: AuditEntry,
    act: (transaction: DatabaseTransaction) => Promise<Result>,
  ): Promise<Result | undefined> =>
    transact(database, async (transaction) => {
      if ((await lock({ id }, transaction)).length === 0) return undefined;
      await addAuditEntry(transaction, audit);
      return act(transaction);
    });
  return {
    find: async (id) => (await findById({ id }))[0],
    findByEmail: (email) =>
      database.selectFrom('owner').select(columns).where('email_key', '=', emailKey(email)).executeTakeFirst(),
    list: ({ accountId, limit }) =>
      database
        .selectFrom('owner')
        .select(columns)
        .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
        .orderBy('account_id')
        .orderBy('email_key')
        .limit(limit)
        .execute(),
    create: (owner, audit) => transact(database, (transaction) => create(transaction, owner, audit)),
    setPassword: async (id, { passwordHash, at }, audit) => {
      const done = await change(id, audit, async (transaction) => {
        await endSessions(transaction, id, at);
        await transaction
          .updateTable('owner')
          .set({ password_hash: passwordHash, password_set_at: at })
          .where('id', '=', id)
          .execute();
        return true;
      });
      return done ?? false;
    },
    setDisabled: async (id, at, audit) => {
      const done = await change(id, audit, async (transaction) => {
        if (at !== null) await endAll(transaction, id, at);
        await transaction.updateTable('owner').set({ disabled_at: at }).where('id', '=', id).execute();
        return true;
      });
      return done ?? false;
    },
    logOutEverywhere: async (id, at, audit) =>
      (await change(id, audit, (transaction) => endAll(transaction, id, at))) ?? 0,
    rememberBrowser: (browser, replaces) =>
      transact(database, async (transaction) => {
        const [owner] = await lock({ id: browser.ownerId }, transaction);
        if (owner === undefined || browser.loggedInAt < (owner.after ?? 0)) return;
        await rememberBrowser(transaction, browser, replaces);
      }),
    isKnownBrowser: async (email, browserHash, now) => {
      const found = await database
        .selectFrom('known_browser')
        .innerJoin('owner', 'owner.id', 'known_browser.owner_id')
        .select('owner.id')
        .where('browser_hash', '=', browserHash)
        .where('email_key', '=', emailKey(email))
        .where('ends_at', '>', now)
        .where(({ eb, or }) =>
          or([eb('logins_valid_after', 'is', null), eb('logged_in_at', '>=', eb.ref('logins_valid_after'))]),
        )
        .executeTakeFirst();
      return found !== undefined;
    },
  };
}

async function create(
  transaction: DatabaseTransaction,
  { id, accountId, email, name, passwordHash, createdAt }: NewOwner,
  audit: AuditEntry | undefined,
): Promise<boolean> {
  const account = await transaction.selectFrom('account').select('id').where('id', '=', accountId).executeTakeFirst();
  if (account === undefined) throw new StoreConflict(`there is no account ${accountId}`);
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('owner')
    .values({
      id,
      account_id: accountId,
      email: email.normalize('NFC'),
      email_key: emailKey(email),
      name,
      password_hash: passwordHash,
      created_at: createdAt,
      updated_at: createdAt,
      password_set_at: createdAt,
    })
    .onConflict((conflict) => conflict.column('email_key').doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows !== 1n) return false;
  if (audit !== undefined) await addAuditEntry(transaction, audit);
  return true;
}

/** @returns the number of revoked grants that could be refreshed */
async function endAll(transaction: DatabaseTransaction, id: string, at: number): Promise<number> {
  await endSessions(transaction, id, at);
  const atSeconds = Math.floor(at / 1000);
  const keepUntilSeconds = atSeconds + revocationKeptSeconds;
  return revokeGrants(transaction, { ownerId: id }, { atSeconds, keepUntilSeconds });
}

async function rememberBrowser(
  transaction: DatabaseTransaction,
  { ownerId, browserHash, loggedInAt, endsAt }: KnownBrowser,
  replaces: string | undefined,
): Promise<void> {
  const ofOwner = transaction.deleteFrom('known_browser').where('owner_id', '=', ownerId);
  if (replaces !== undefined) await ofOwner.where('browser_hash', '=', replaces).execute();
  await transaction
    .insertInto('known_browser')
    .values({ browser_hash: browserHash, owner_id: ownerId, logged_in_at: loggedInAt, ends_at: endsAt })
    .execute();
  const others = await transaction
    .selectFrom('known_browser')
    .select('browser_hash as hash')
    .where('owner_id', '=', ownerId)
    .where('browser_hash', '!=', browserHash)
    .orderBy('logged_in_at', 'desc')
    .execute();
  const tooMany = others.slice(mostKnownBrowsers - 1).map(({ hash }) => hash);
  if (tooMany.length > 0) await ofOwner.where('browser_hash', 'in', tooMany).execute();
}

async function endSessions(transaction: DatabaseTransaction, id: string, at: number): Promise<void> {
  await transaction
    .deleteFrom('oidc_artifact')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('model', 'id_hash'),
        'in',
        // With direct conditions, SQLite would read the sessions of all owners.
        selectFrom('oidc_artifact as session')
          .select(['session.model', 'session.id_hash'])
          .where('session.owner_id', '=', id)
          .where('session.model', '=', 'Session')
          .$asTuple('model', 'id_hash'),
      ),
    )
    .execute();
  await transaction.deleteFrom('known_browser').where('owner_id', '=', id).execute();
  await transaction.updateTable('owner').set({ logins_valid_after: at }).where('id', '=', id).execute();
}
