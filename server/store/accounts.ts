import type { NotNull } from 'kysely';
import type { Database } from './database.ts';
import { prepareQuery } from './prepared-query.ts';
import type { Account, NewAccount } from './records.ts';
import type { AccountStore } from './store.ts';

const columns = [
  'id',
  'name',
  'trial_ends_at as trialEndsAt',
  'disabled_at as disabledAt',
  'tokens_valid_after as tokensValidAfter',
] as const;

export function createAccountStore(database: Database): AccountStore {
  const findById = prepareQuery<{ id: string }, Account>(database, ({ id }) =>
    database.selectFrom('account').select(columns).where('id', '=', id),
  );
  return {
    find: async (id) => (await findById({ id }))[0],
    list: () => database.selectFrom('account').select(columns).orderBy('id').execute(),
    listCounted: ({ accountId, limit }) =>
      database
        .selectFrom('account')
        .select(columns)
        .select(({ selectFrom, fn }) =>
          (['device', 'property'] as const).map((table) =>
            selectFrom(table)
              .select(fn.countAll<number>().as('count'))
              .whereRef(`${table}.account_id`, '=', 'account.id')
              .as(table === 'device' ? 'devices' : 'properties'),
          ),
        )
        .$narrowType<{ devices: NotNull; properties: NotNull }>()
        .$if(accountId !== undefined, (query) => query.where('id', '=', accountId ?? ''))
        .orderBy('id')
        .limit(limit)
        .execute(),
    put: (account) => putAccount(database, account),
    setDisabled: async (id, at) => {
      const { numUpdatedRows } = await database
        .updateTable('account')
        .set({ disabled_at: at })
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },
    setTrialEnd: async (id, trialEndsAt) => {
      const { numUpdatedRows } = await database
        .updateTable('account')
        .set({ trial_ends_at: trialEndsAt })
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },
  };
}

export async function putAccount(database: Database, { id, name, trialEndsAt }: NewAccount): Promise<void> {
  await database
    .insertInto('account')
    .values({ id, name, trial_ends_at: trialEndsAt })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ name }))
    .execute();
}
