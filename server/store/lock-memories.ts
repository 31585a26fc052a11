import type { Database } from './database.ts';
import { prepareQuery, prepareWrite } from './prepared-query.ts';
import type { LockMemoryStore } from './store.ts';

export function createLockMemoryStore(database: Database): LockMemoryStore {
  const load = prepareQuery<{ deviceId: string }, { sealed: Uint8Array }>(database, ({ deviceId }) =>
    database.selectFrom('lock_memory').select('sealed').where('device_id', '=', deviceId),
  );
  const save = prepareWrite<{ deviceId: string; sealed: Uint8Array; at: number; before: Uint8Array | null }>(
    database,
    ({ deviceId, sealed, at, before }) =>
      database
        .insertInto('lock_memory')
        .values({ device_id: deviceId, sealed, saved_at: at })
        .onConflict((conflict) =>
          conflict
            .column('device_id')
            .doUpdateSet(({ ref }) => ({ sealed: ref('excluded.sealed'), saved_at: ref('excluded.saved_at') }))
            .where('lock_memory.sealed', '=', before as Uint8Array),
        ),
  );
  return {
    load: async (deviceId) => {
      const [row] = await load({ deviceId });
      return row && new Uint8Array(row.sealed);
    },
    save: async (deviceId, sealed, at, before) => (await save({ deviceId, sealed, at, before: before ?? null })) === 1,
  };
}
