import type { NotNull } from 'kysely';
import { rowsPerRead, takeBatches } from './batches.ts';
import type { Database, Spelling } from './database.ts';
import { prepareQuery } from './prepared-query.ts';
import type { Property } from './records.ts';
import type { PropertyStore } from './store.ts';

const columns = ['id', 'account_id as accountId', 'name', 'timezone'] as const;

export function createPropertyStore(database: Database, { isAmong }: Spelling): PropertyStore {
  const findByIds = prepareQuery<{ accountId: string; ids: string }, Property>(database, ({ accountId, ids }) =>
    database.selectFrom('property').select(columns).where('account_id', '=', accountId).where(isAmong('id', ids)),
  );
  return {
    findAll: async (accountId, ids) => {
      const found: Property[] = [];
      for (const batch of takeBatches(ids, rowsPerRead))
        found.push(...(await findByIds({ accountId, ids: JSON.stringify(batch) })));
      return found;
    },
    list: ({ accountId, limit }) =>
      database
        .selectFrom('property')
        .select(columns)
        .select(({ selectFrom, fn }) =>
          selectFrom('device_property')
            .select(fn.countAll<number>().as('count'))
            .whereRef('device_property.property_id', '=', 'property.id')
            .as('devices'),
        )
        .$narrowType<{ devices: NotNull }>()
        .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
        .orderBy('account_id')
        .orderBy('name')
        .orderBy('id')
        .limit(limit)
        .execute(),
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
