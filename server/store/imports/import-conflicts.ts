import { readByPages, rowsPerRead, takeBatches } from '../batches.ts';
import type { Database, DatabaseTransaction, Spelling } from '../database.ts';
import type { NewAccount } from '../records.ts';
import { StoreConflict } from '../store.ts';
import type { ImportPart, ImportScope, NamesTaken } from './import-store.ts';

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
  { isAmong }: Spelling,
  { properties, devices }: ImportPart,
): Promise<void> {
  const among = (column: string, ids: Iterable<string>) => isAmong(column, JSON.stringify([...ids]));
  const propertyOwners = new Map(properties.map(({ id, accountId }) => [id, accountId]));
  const deviceById = new Map(devices.map((device) => [device.deviceId, device]));
  const deviceIdOf = new Map(devices.map(({ id, deviceId }) => [id, deviceId]));
  if (propertyOwners.size < properties.length) throw new StoreConflict('a property occurs twice');
  if (deviceById.size < devices.length) throw new StoreConflict('a device occurs twice');
  if (deviceIdOf.size < devices.length) throw new StoreConflict('two devices share one id');

  const accountIds = new Set([...properties, ...devices].map(({ accountId }) => accountId));
  const accounts = await transaction.selectFrom('account').select('id').where(among('id', accountIds)).execute();
  for (const { id } of accounts) accountIds.delete(id);
  for (const id of accountIds) throw new StoreConflict(`there is no account ${id}`);

  const takenProperties = await transaction
    .selectFrom('property')
    .select(['id', 'account_id'])
    .where(among('id', propertyOwners.keys()))
    .execute();
  for (const { id, account_id } of takenProperties)
    if (propertyOwners.get(id) !== account_id) throw new StoreConflict(`the property ${id} belongs to another account`);

  const takenDevices = await transaction
    .selectFrom('device')
    .select(['device_id', 'id', 'account_id'])
    .where(({ or }) => or([among('device_id', deviceById.keys()), among('id', deviceIdOf.keys())]))
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
  { isAmong }: Spelling,
  { accountId, propertyIds, deviceIds }: ImportScope,
  objectIds: readonly string[],
): Promise<NamesTaken> {
  const among = (column: string, ids: readonly string[]) => isAmong(column, JSON.stringify(ids));
  const account = await database.selectFrom('account').select('id').where('id', '=', accountId).executeTakeFirst();
  const client = await database
    .selectFrom('oauth_client')
    .select('client_id')
    .where('client_id', '=', accountId)
    .executeTakeFirst();
  const properties = new Map<string, NamesTaken['properties'][number]>();
  const devices = new Map<string, NamesTaken['devices'][number]>();
  const keep = <Key extends string, Row extends Record<Key, string>>(
    into: Map<string, Row>,
    key: Key,
    rows: readonly Row[],
  ) => {
    for (const row of rows) into.set(row[key], row);
  };
  const ofProperties = database.selectFrom('property').select(['id', 'account_id as accountId']);
  keep(properties, 'id', await ofProperties.where('account_id', '=', accountId).execute());
  for (const ids of takeBatches(propertyIds, rowsPerRead))
    keep(properties, 'id', await ofProperties.where(among('id', ids)).execute());
  const ofDevices = database
    .selectFrom('device')
    .select(['device_id as deviceId', 'id', 'account_id as accountId', 'type']);
  const own = await readByPages(({ name_sort, device_id }) =>
    ofDevices
      .select(['name_sort', 'device_id'])
      .where('account_id', '=', accountId)
      .where(({ eb, refTuple, tuple }) => eb(refTuple('name_sort', 'device_id'), '>', tuple(name_sort, device_id)))
      .orderBy('name_sort')
      .orderBy('device_id')
      .limit(rowsPerRead)
      .execute(),
  );
  keep(
    devices,
    'deviceId',
    own.map(({ deviceId, id, type }) => ({ deviceId, id, accountId, type })),
  );
  for (const ids of takeBatches(deviceIds, rowsPerRead))
    keep(devices, 'deviceId', await ofDevices.where(among('device_id', ids)).execute());
  for (const ids of takeBatches(objectIds, rowsPerRead))
    keep(devices, 'deviceId', await ofDevices.where(among('id', ids)).execute());
  return {
    account: account ? 'stored' : client ? 'client' : 'new',
    properties: [...properties.values()],
    devices: [...devices.values()],
  };
}
