import type { EpochMilliseconds } from '../../clock.ts';
import type { Database } from '../database.ts';
import { type PreparedWrite, prepareWrite } from '../prepared-query.ts';

/** Records when a device was last heard of. An earlier time changes nothing. */
export function prepareLastSync(
  database: Database,
): PreparedWrite<{ readonly deviceId: string; readonly at: EpochMilliseconds }> {
  return prepareWrite(database, ({ deviceId, at }) =>
    database
      .updateTable('device')
      .set({ last_sync_at: at })
      .where('device_id', '=', deviceId)
      .where('last_sync_at', '<', at),
  );
}
