import { putAccount } from '../accounts.ts';
import { addAuditEntry } from '../audit.ts';
import { takeBatches } from '../batches.ts';
import type { Database, DatabaseTransaction, Spelling } from '../database.ts';
import { readDevice, selectDevices } from '../devices/device-rows.ts';
import { searchForm, sortForm } from '../devices/text-forms.ts';
import type { Property } from '../records.ts';
import { transactAlone } from '../transact.ts';
import { findTaken, refuseClientId, refuseTakenIds } from './import-conflicts.ts';
import { endUnfitLinks, replaceLinks, writeLinks, writePlaces } from './import-links.ts';
import type { DeviceRecord, Import, ImportPart, ImportScope, ImportStore, LockTime } from './import-store.ts';

export function createImportStore(database: Database, spelling: Spelling): ImportStore {
  return {
    write: async (data) => {
      await importAlone(database, spelling, (transaction) => writeAll(transaction, spelling, data));
      return { properties: data.properties.length, devices: data.devices.length };
    },
    findTaken: (scope, objectIds) => findTaken(database, spelling, scope, objectIds),
    rebuild: (scope, build) =>
      importAlone(database, spelling, async (transaction) => {
        const stored = await readStored(transaction, spelling, scope);
        const part = build(stored);
        await writeRecords(transaction, spelling, part);
        const typeBefore = new Map(stored.devices.map(({ deviceId, type }) => [deviceId, type]));
        const changed = part.devices.filter(({ deviceId, type }) => (typeBefore.get(deviceId) ?? type) !== type);
        await endUnfitLinks(
          transaction,
          spelling,
          changed.map(({ deviceId }) => deviceId),
        );
      }),
    relink: (accountId, links) =>
      importAlone(database, spelling, (transaction) => replaceLinks(transaction, spelling, accountId, links)),
  };
}

/**
 * Runs a transaction that no other import and no new client runs next to, so that ids that it found free stay free. Measures how long the
 * lock is held, without the wait for it: from the first statement that has it to the end of the commit.
 */
async function importAlone(
  database: Database,
  spelling: Spelling,
  act: (transaction: DatabaseTransaction) => Promise<void>,
): Promise<LockTime> {
  let began = 0;
  await transactAlone(database, spelling, 'import', (transaction) => {
    began = performance.now();
    return act(transaction);
  });
  return { lockedMs: performance.now() - began };
}

async function writeAll(transaction: DatabaseTransaction, spelling: Spelling, data: Import): Promise<void> {
  await writeRecords(transaction, spelling, data);
  await writeLinks(transaction, spelling, data.devices);
}

async function writeRecords(transaction: DatabaseTransaction, spelling: Spelling, part: ImportPart): Promise<void> {
  if (part.account !== undefined) {
    await refuseClientId(transaction, part.account);
    await putAccount(transaction, part.account);
  }
  await refuseTakenIds(transaction, spelling, part);
  await writeProperties(transaction, part.properties);
  await writeDevices(transaction, part.devices);
  await writePlaces(transaction, spelling, part.devices);
  if (part.audit !== undefined) await addAuditEntry(transaction, part.audit);
}

/**
 * Reads rows that no other transaction changes until this one is finished: SQLite has one lock for writers, elsewhere each row is locked first,
 * in the order in which a settled job locks its devices.
 */
async function readStored(
  transaction: DatabaseTransaction,
  spelling: Spelling,
  { accountId, propertyIds, deviceIds }: ImportScope,
): Promise<Import> {
  const among = (column: string, ids: readonly string[]) => spelling.isAmong(column, JSON.stringify(ids));
  const properties = await transaction
    .selectFrom('property')
    .select(['id', 'account_id as accountId', 'name', 'timezone'])
    .where(among('id', propertyIds))
    .modifyEnd(spelling.rowLock)
    .execute();
  const ofScope = await transaction
    .selectFrom('device')
    .select(['device_id', 'account_id'])
    .where(among('device_id', deviceIds))
    .orderBy('device_id')
    .modifyEnd(spelling.rowLock)
    .execute();
  // With the account as a condition of the query, SQLite reads all rows of the account: 4 ms if it has 20,000 devices.
  const own = ofScope.filter(({ account_id }) => account_id === accountId);
  const devices = await selectDevices(transaction.selectFrom('device'), spelling)
    .where(
      among(
        'device.device_id',
        own.map(({ device_id }) => device_id),
      ),
    )
    .execute();
  return {
    properties: properties.filter((property) => property.accountId === accountId),
    devices: devices.map(readDevice),
  };
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

async function writeDevices(transaction: DatabaseTransaction, devices: readonly DeviceRecord[]): Promise<void> {
  for (const batch of takeBatches(devices.toSorted(byId))) {
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

function byId({ deviceId: one }: DeviceRecord, { deviceId: other }: DeviceRecord): number {
  return one < other ? -1 : one === other ? 0 : 1;
}

function toRow(device: DeviceRecord) {
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
