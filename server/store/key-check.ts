import type { Database } from './database.ts';
import type { KeyCheckStore } from './store.ts';

export function createKeyCheckStore(database: Database): KeyCheckStore {
  const read = () => database.selectFrom('key_check').select('value').executeTakeFirst();
  return {
    keep: async (check) => {
      // Only the first start writes: a later one must not wait for another process that writes.
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
