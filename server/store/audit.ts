import type { Database, Spelling } from './database.ts';
import type { AuditEntry } from './records.ts';
import type { AuditStore } from './store.ts';
import { transact } from './transact.ts';

export function createAuditStore(database: Database, { rowLock }: Spelling): AuditStore {
  return {
    add: (entry) => addAuditEntry(database, entry),
    addAtGeneration: (entry, generation, since) =>
      transact(database, async (transaction) => {
        const { at, accountId, clientId, action, deviceId, requestId } = entry;
        // Locked by a statement of its own: the next one sees the entry of a caller that had the lock before.
        await transaction
          .selectFrom('device')
          .select('device_id')
          .where('device_id', '=', deviceId)
          .modifyEnd(rowLock)
          .execute();
        const { numInsertedOrUpdatedRows } = await transaction
          .insertInto('audit_entry')
          .columns(['at', 'account_id', 'client_id', 'action', 'device_id', 'request_id'])
          .expression((build) =>
            build
              .selectFrom('device')
              .select(({ val }) => [
                val(at).as('at'),
                'device.account_id',
                val(clientId).as('client_id'),
                val(action).as('action'),
                'device.device_id',
                val(requestId).as('request_id'),
              ])
              .where('device.device_id', '=', deviceId)
              .where('device.account_id', '=', accountId)
              .where('device.pairing_generation', '=', generation)
              .$if(since !== undefined, (query) =>
                query.where(({ not, exists, selectFrom }) =>
                  not(
                    exists(
                      selectFrom('audit_entry as earlier')
                        .select('earlier.id')
                        .where('earlier.device_id', '=', deviceId)
                        .where('earlier.action', '=', action)
                        .where('earlier.id', '>', ({ selectFrom: from }) =>
                          from('audit_entry as last')
                            .select((last) => last.fn.coalesce(last.fn.max('last.id'), last.val(0)).as('id'))
                            .where('last.device_id', '=', deviceId)
                            .where('last.action', '=', since ?? ''),
                        ),
                    ),
                  ),
                ),
              ),
          )
          .executeTakeFirstOrThrow();
        return numInsertedOrUpdatedRows === 1n;
      }),
    // In the order of writing: a clock may go back, but the counter does not.
    list: async (accountId) => {
      const entries = await database
        .selectFrom('audit_entry')
        .select([
          'at',
          'account_id as accountId',
          'client_id as clientId',
          'action',
          'device_id as deviceId',
          'request_id as requestId',
          'owner_id as ownerId',
        ])
        .where('account_id', '=', accountId)
        .orderBy('id')
        .execute();
      return entries.map(({ ownerId, ...entry }) => (ownerId === null ? entry : { ...entry, ownerId }));
    },
  };
}

export async function addAuditEntry(
  database: Database,
  { at, accountId, clientId, action, deviceId, requestId, ownerId = null }: AuditEntry,
): Promise<void> {
  await database
    .insertInto('audit_entry')
    .values({
      at,
      account_id: accountId,
      client_id: clientId,
      action,
      device_id: deviceId,
      request_id: requestId,
      owner_id: ownerId,
    })
    .execute();
}
