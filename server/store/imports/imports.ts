import { sql } from 'kysely';
import { putAccount } from '../accounts.ts';
import { addAuditEntry } from '../audit.ts';
import { takeBatches } from '../batches.ts';
import type { Database, DatabaseTransaction, Spelling } from '../database.ts';
import { readDevice, selectDevices } from '../devices/device-rows.ts';
import { searchForm, sortForm } from '../devices/text-forms.ts';
import type { Device, Property } from '../records.ts';
import type { Import, ImportCounts, ImportScope, ImportStore } from '../store.ts';
import { refuseClientId, refuseTakenIds } from './import-conflicts.ts';
import { writeLinks, writePlaces } from './import-links.ts';

export function createImportStore(database: Database, spelling: Spelling): ImportStore {
  return {
    write: (data) => database.transaction().execute((transaction) => writeAll(transaction, spelling, data)),
    rebuild: (scope, build) =>
      database
        .transaction()
        .execute(async (transaction) =>
          writeAll(transaction, spelling, build(await readStored(transaction, spelling, scope))),
        ),
  };
}

async function writeAll(transaction: DatabaseTransaction, spelling: Spelling, data: Import): Promise<ImportCounts> {
  if (data.account !== undefined) {
    await refuseClientId(transaction, data.account);
    await putAccount(transaction, data.account);
  }
  await refuseTakenIds(transaction, spelling, data);
  await writeProperties(transaction, data.properties);
  await writeDevices(transaction, data.devices);
  await writePlaces(transaction, spelling, data.devices);
  await writeLinks(transaction, spelling, data.devices);
  if (data.audit !== undefined) await addAuditEntry(transaction, data.audit);
  return { properties: data.properties.length, devices: data.devices.length };
}

/** The rows stay as they are read until the transaction ends: on SQLite it holds the one lock, elsewhere each row is locked first. */
async function readStored(
  transaction: DatabaseTransaction,
  spelling: Spelling,
  { accountId, propertyIds, deviceIds }: ImportScope,
): Promise<Import> {
  const among = (ids: readonly string[]) => spelling.jsonTexts(sql`${JSON.stringify(ids)}`);
  const properties = await transaction
    .selectFrom('property')
    .select(['id', 'account_id as accountId', 'name', 'timezone'])
    .where('account_id', '=', accountId)
    .where('id', 'in', among(propertyIds))
    .modifyEnd(spelling.rowLock)
    .execute();
  const ofScope = await transaction
    .selectFrom('device')
    .select('device_id')
    .where('account_id', '=', accountId)
    .where('device_id', 'in', among(deviceIds))
    .modifyEnd(spelling.rowLock)
    .execute();
  const devices = await selectDevices(transaction, spelling)
    .where('device.device_id', 'in', among(ofScope.map(({ device_id }) => device_id)))
    .execute();
  return { properties, devices: devices.map(readDevice) };
}

async function writeProperties(transaction: DatabaseTransaction, properties: readonly Property[]): Promise<void> {
  for (const batch of takeBatches(properties)) {
    await transaction
      .insertInto('property')
      .values(batch.map(({ id, accountId, name, timezone }) => ({ id, account_id: accountId, name, timezone })))
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet(({ ref }) => ({ name: ref('excluded.name'), timezone: ref('excluded.timezone') })),
      )
      .execute();
  }
}

async function writeDevices(transaction: DatabaseTransaction, devices: readonly Device[]): Promise<void> {
  for (const batch of takeBatches(devices)) {
    await transaction
      .insertInto('device')
      .values(batch.map(toRow))
      .onConflict((conflict) =>
        conflict.column('device_id').doUpdateSet(({ ref }) => ({
          name: ref('excluded.name'),
          name_sort: ref('excluded.name_sort'),
          name_search: ref('excluded.name_search'),
          type: ref('excluded.type'),
          battery_level: ref('excluded.battery_level'),
          paired_at: ref('excluded.paired_at'),
          last_sync_at: ref('excluded.last_sync_at'),
          takes_algo_pin: ref('excluded.takes_algo_pin'),
          takes_passage_pin: ref('excluded.takes_passage_pin'),
          online: ref('excluded.online'),
        })),
      )
      .execute();
  }
}

function toRow(device: Device) {
  return {
    device_id: device.deviceId,
    id: device.id,
    account_id: device.accountId,
    name: device.deviceName,
    name_sort: sortForm(device.deviceName),
    name_search: searchForm(device.deviceName),
    type: device.type,
    battery_level: device.batteryLevel,
    paired_at: device.pairedAt,
    last_sync_at: device.lastSyncAt,
    takes_algo_pin: toFlag(device.supportsAlgoPin),
    takes_passage_pin: toFlag(device.supportsPassagePin),
    online: device.online === null ? null : toFlag(device.online),
  };
}

function toFlag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}
