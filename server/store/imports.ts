import { takeBatches } from './batches.ts';
import type { Database, DatabaseTransaction, Spelling } from './database.ts';
import { refuseTakenIds } from './import-conflicts.ts';
import { writeLinks, writePlaces } from './import-links.ts';
import type { Device, Property } from './records.ts';
import type { ImportStore } from './store.ts';
import { searchForm, sortForm } from './text-forms.ts';

export function createImportStore(database: Database, spelling: Spelling): ImportStore {
  return {
    write: (data) =>
      database.transaction().execute(async (transaction) => {
        await refuseTakenIds(transaction, spelling, data);
        await writeProperties(transaction, data.properties);
        await writeDevices(transaction, data.devices);
        await writePlaces(transaction, spelling, data.devices);
        await writeLinks(transaction, spelling, data.devices);
        return { properties: data.properties.length, devices: data.devices.length };
      }),
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
