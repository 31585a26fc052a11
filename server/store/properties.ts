import { sql } from 'kysely';
import type { Database, Spelling } from './database.ts';
import { prepareQuery } from './prepared-query.ts';
import type { Property } from './records.ts';
import type { PropertyStore } from './store.ts';

export function createPropertyStore(database: Database, { jsonTexts }: Spelling): PropertyStore {
  const findByIds = prepareQuery<{ accountId: string; ids: string }, Property>(database, ({ accountId, ids }) =>
    database
      .selectFrom('property')
      .select(['id', 'account_id as accountId', 'name', 'timezone'])
      .where('account_id', '=', accountId)
      .where('id', 'in', jsonTexts(sql`${ids}`)),
  );
  return {
    findAll: (accountId, ids) => findByIds({ accountId, ids: JSON.stringify(ids) }),
    setTimezone: async (id, timezone) => {
      const { numUpdatedRows } = await database
        .updateTable('property')
        .set({ timezone })
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },
  };
}
