import type { Database } from './database.ts';
import type { KeyCheckStore } from './store.ts';

export function createKeyCheckStore(database: Database): KeyCheckStore {
  const read = () => database.selectFrom('key_check').select('value').executeTakeFirst();
  return {
    keep: async (check) => {
      // A server starts beside a process that writes: there is nothing to keep but the first time.
      const kept = await read();
      if (kept !== undefined) return kept.value;
      await database
        .insertInto('key_check')
        .values({ id: 1, value: check })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
      return (await read())?.value ?? check;
    },
  };
}
