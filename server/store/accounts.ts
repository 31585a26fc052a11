import type { Database } from './database.ts';
import { prepareQuery } from './prepared-query.ts';
import type { Account } from './records.ts';
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
    put: async ({ id, name, trialEndsAt }) => {
      await database
        .insertInto('account')
        .values({ id, name, trial_ends_at: trialEndsAt })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ name }))
        .execute();
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
