import { expect, test } from 'vitest';
import { type DeviceRow, readDevice } from './device-rows.ts';

const row: DeviceRow = {
  id: '68f1c2d3e4a5b6c7d8e9f002',
  device_id: 'BR1',
  account_id: 'account-a',
  name: 'Bridge',
  type: 'Bridge',
  battery_level: null,
  paired_at: 1,
  last_sync_at: 2,
  takes_algo_pin: 0,
  takes_passage_pin: 0,
  online: 0,
  pairing_generation: 1,
  places: '[[10,"k"],[2,"c"],[0,"z"],[1,"a"]]',
  linked: '[["LK2","Lock"],["KP9","Keypad"],["LK10","Lock"]]',
  bridge_id: null,
  timezone: 'Europe/Berlin',
};

test('properties come by their position and links by deviceId, in whatever order the database aggregates', () => {
  expect(readDevice(row).propertyIds).toEqual(['z', 'a', 'c', 'k']);
  expect(readDevice(row).linked.map(({ deviceId }) => deviceId)).toEqual(['KP9', 'LK10', 'LK2']);
});

test('a flag of 0 is false, and an absent one null', () => {
  expect(readDevice(row)).toMatchObject({ online: false, supportsAlgoPin: false, batteryLevel: null });
  expect(readDevice({ ...row, online: null, takes_algo_pin: 1 })).toMatchObject({
    online: null,
    supportsAlgoPin: true,
  });
});
