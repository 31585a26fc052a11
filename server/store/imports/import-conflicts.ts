import { sql } from 'kysely';
import type { Database, DatabaseTransaction, Spelling } from '../database.ts';
import { type ImportPart, type ImportScope, type NamesTaken, type NewAccount, StoreConflict } from '../store.ts';

/**
 * Rejects an account with the id of a client: the id is the subject of the client's own tokens.
 *
 * @throws StoreConflict for a new account that would have the id of a client
 * @see RFC 9068, 5
 */
export async function refuseClientId(transaction: DatabaseTransaction, { id }: NewAccount): Promise<void> {
  const client = await transaction
    .selectFrom('oauth_client')
    .select('client_id')
    .where('client_id', '=', id)
    .where(({ not, exists, selectFrom }) => not(exists(selectFrom('account').select('id').where('id', '=', id))))
    .executeTakeFirst();
  if (client !== undefined) throw new StoreConflict(`the account ${id} can't have the id of a client`);
}

/**
 * Finds conflicts before anything is written, since PostgreSQL aborts a transaction at its first error. A device keeps its object id, since
 * clients may have stored it.
 *
 * @throws StoreConflict for an unknown account, or an id that occurs twice or belongs to another account or device
 */
export async function refuseTakenIds(
  transaction: DatabaseTransaction,
  { jsonTexts }: Spelling,
  { properties, devices }: ImportPart,
): Promise<void> {
  const among = (ids: readonly string[]) => jsonTexts(sql`${JSON.stringify(ids)}`);
  const propertyOwners = new Map(properties.map(({ id, accountId }) => [id, accountId]));
  const deviceById = new Map(devices.map((device) => [device.deviceId, device]));
  const deviceIdOf = new Map(devices.map(({ id, deviceId }) => [id, deviceId]));
  if (propertyOwners.size < properties.length) throw new StoreConflict('a property occurs twice');
  if (deviceById.size < devices.length) throw new StoreConflict('a device occurs twice');
  if (deviceIdOf.size < devices.length) throw new StoreConflict('two devices share one id');

  const accountIds = new Set([...properties, ...devices].map(({ accountId }) => accountId));
  const accounts = await transaction
    .selectFrom('account')
    .select('id')
    .where('id', 'in', among([...accountIds]))
    .execute();
  for (const { id } of accounts) accountIds.delete(id);
  for (const id of accountIds) throw new StoreConflict(`there is no account ${id}`);

  const takenProperties = await transaction
    .selectFrom('property')
    .select(['id', 'account_id'])
    .where('id', 'in', among([...propertyOwners.keys()]))
    .execute();
  for (const { id, account_id } of takenProperties)
    if (propertyOwners.get(id) !== account_id) throw new StoreConflict(`the property ${id} belongs to another account`);

  const takenDevices = await transaction
    .selectFrom('device')
    .select(['device_id', 'id', 'account_id'])
    .where(({ eb, or }) =>
      or([eb('device_id', 'in', among([...deviceById.keys()])), eb('id', 'in', among([...deviceIdOf.keys()]))]),
    )
    .execute();
  for (const { device_id, id, account_id } of takenDevices) {
    const device = deviceById.get(device_id);
    if (device === undefined) throw new StoreConflict(`the id ${id} belongs to another device`);
    if (device.accountId !== account_id) throw new StoreConflict(`the device ${device_id} belongs to another account`);
    if (device.id !== id) throw new StoreConflict(`the device ${device_id} has the id ${id}, not ${device.id}`);
  }
}

/** Stored objects with the names of an import, and other objects of its account, to report all conflicts before anything is written. */
export async function findTaken(
  database: Database,
  { jsonTexts }: Spelling,
  { accountId, propertyIds, deviceIds }: ImportScope,
  objectIds: readonly string[],
): Promise<NamesTaken> {
  const among = (ids: readonly string[]) => jsonTexts(sql`${JSON.stringify(ids)}`);
  const account = await database.selectFrom('account').select('id').where('id', '=', accountId).executeTakeFirst();
  const client = await database
    .selectFrom('oauth_client')
    .select('client_id')
    .where('client_id', '=', accountId)
    .executeTakeFirst();
  const properties = await database
    .selectFrom('property')
    .select(['id', 'account_id as accountId'])
    .where(({ eb, or }) => or([eb('account_id', '=', accountId), eb('id', 'in', among(propertyIds))]))
    .execute();
  const devices = await database
    .selectFrom('device')
    .select(['device_id as deviceId', 'id', 'account_id as accountId', 'type'])
    .where(({ eb, or }) =>
      or([eb('account_id', '=', accountId), eb('device_id', 'in', among(deviceIds)), eb('id', 'in', among(objectIds))]),
    )
    .execute();
  return { account: account ? 'stored' : client ? 'client' : 'new', properties, devices };
}
