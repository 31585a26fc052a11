import { addAuditEntry } from '../audit.ts';
import type { Database, Spelling } from '../database.ts';
import { prepareQuery } from '../prepared-query.ts';
import { transact } from '../transact.ts';
import { prepareDeviceList } from './device-list.ts';
import { type DeviceRow, readDevice, selectDevices } from './device-rows.ts';
import type { DeviceStore } from './device-store.ts';
import { prepareLastSync } from './last-sync.ts';

export function createDeviceStore(database: Database, spelling: Spelling): DeviceStore {
  const list = prepareDeviceList(database, spelling);
  const findById = prepareQuery<{ accountId: string; deviceId: string }, DeviceRow>(
    database,
    ({ accountId, deviceId }) =>
      selectDevices(database.selectFrom('device'), spelling)
        .where('device.device_id', '=', deviceId)
        .where('device.account_id', '=', accountId),
  );
  const findAnywhere = prepareQuery<{ deviceId: string }, DeviceRow>(database, ({ deviceId }) =>
    selectDevices(database.selectFrom('device'), spelling).where('device.device_id', '=', deviceId),
  );
  // With a condition on the account, SQLite would read all devices of the account: 14 ms for five of 20,000.
  const findByIds = prepareQuery<{ deviceIds: string }, DeviceRow>(database, ({ deviceIds }) =>
    selectDevices(database.selectFrom('device'), spelling).where(spelling.isAmong('device.device_id', deviceIds)),
  );
  const raiseLastSync = prepareLastSync(database);
  return {
    list: async (query) => (await list(query)).map(readDevice),
    find: async (accountId, deviceId) => (await findById({ accountId, deviceId })).map(readDevice)[0],
    findAnywhere: async (deviceId) => (await findAnywhere({ deviceId })).map(readDevice)[0],
    findAll: async (accountId, deviceIds) => {
      const found = await findByIds({ deviceIds: JSON.stringify(deviceIds) });
      return found.filter(({ account_id }) => account_id === accountId).map(readDevice);
    },
    setBatteryLevel: async (accountId, deviceId, batteryLevel) => {
      const { numUpdatedRows } = await database
        .updateTable('device')
        .set({ battery_level: batteryLevel })
        .where('device_id', '=', deviceId)
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },
    setOnline: async (accountId, bridgeId, online) => {
      const { numUpdatedRows } = await database
        .updateTable('device')
        .set({ online: online ? 1 : 0 })
        .where('device_id', '=', bridgeId)
        .where('account_id', '=', accountId)
        .where('type', '=', 'Bridge')
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },
    setLastSync: async (deviceId, at) => {
      await raiseLastSync({ deviceId, at });
    },
    raisePairingGeneration: (accountId, deviceId, from, audit) =>
      transact(database, async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('device')
          .set({ pairing_generation: from + 1 })
          .where('device_id', '=', deviceId)
          .where('account_id', '=', accountId)
          .where('pairing_generation', '=', from)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows !== 1n) return false;
        if (audit !== undefined) await addAuditEntry(transaction, audit);
        return true;
      }),
  };
}
