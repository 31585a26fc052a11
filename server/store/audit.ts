import type { Database } from './database.ts';
import type { AuditEntry, AuditStore } from './store.ts';

export function createAuditStore(database: Database): AuditStore {
  return {
    add: (entry) => addAuditEntry(database, entry),
    // In the order of writing: a clock may go back, the counter does not.
    list: (accountId) =>
      database
        .selectFrom('audit_entry')
        .select([
          'at',
          'account_id as accountId',
          'client_id as clientId',
          'action',
          'device_id as deviceId',
          'request_id as requestId',
        ])
        .where('account_id', '=', accountId)
        .orderBy('id')
        .execute(),
  };
}

export async function addAuditEntry(
  database: Database,
  { at, accountId, clientId, action, deviceId, requestId }: AuditEntry,
): Promise<void> {
  await database
    .insertInto('audit_entry')
    .values({ at, account_id: accountId, client_id: clientId, action, device_id: deviceId, request_id: requestId })
    .execute();
}
