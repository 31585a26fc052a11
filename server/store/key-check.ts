import type { Database } from './database.ts';
import type { KeyCheckStore } from './store.ts';

export function createKeyCheckStore(database: Database): KeyCheckStore {
  return {
    keep: async (check) => {
      await database
        .insertInto('key_check')
        .values({ id: 1, value: check })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
      return (await database.selectFrom('key_check').select('value').executeTakeFirstOrThrow()).value;
    },
  };
}
