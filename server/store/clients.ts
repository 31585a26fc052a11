import { addAuditEntry } from './audit.ts';
import type { Database, Spelling } from './database.ts';
import { prepareQuery } from './prepared-query.ts';
import { type ClientRecord, type ClientStore, StoreConflict } from './store.ts';
import { transact, transactAlone } from './transact.ts';

const columns = [
  'client_id as clientId',
  'metadata',
  'disabled_at as disabledAt',
  'tokens_valid_after as tokensValidAfter',
] as const;

export function createClientStore(database: Database, spelling: Spelling): ClientStore {
  const findById = prepareQuery<{ clientId: string }, ClientRecord>(database, ({ clientId }) =>
    database.selectFrom('oauth_client').select(columns).where('client_id', '=', clientId),
  );
  return {
    find: async (clientId) => (await findById({ clientId }))[0],
    list: () => database.selectFrom('oauth_client').select(columns).orderBy('client_id').execute(),
    create: ({ clientId, metadata }) =>
      // An import creates accounts, and no account may have the id of a client (RFC 9068, 5).
      transactAlone(database, spelling, 'import', async (transaction) => {
        const account = transaction.selectFrom('account').select('id').where('id', '=', clientId);
        if ((await account.execute()).length > 0) throw new StoreConflict(`${clientId} is the id of an account`);
        const { numInsertedOrUpdatedRows } = await transaction
          .insertInto('oauth_client')
          .values({ client_id: clientId, metadata })
          .onConflict((conflict) => conflict.column('client_id').doNothing())
          .executeTakeFirstOrThrow();
        return numInsertedOrUpdatedRows === 1n;
      }),
    setDisabled: async (clientId, atSeconds) => {
      const { numUpdatedRows } = await database
        .updateTable('oauth_client')
        .set({ disabled_at: atSeconds })
        .where('client_id', '=', clientId)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },
    replaceMetadata: ({ clientId, from, to }, audit) =>
      transact(database, async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('oauth_client')
          .set({ metadata: to })
          .where('client_id', '=', clientId)
          .where('metadata', '=', from)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows !== 1n) return false;
        await addAuditEntry(transaction, audit);
        return true;
      }),
  };
}
