import type { Device } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { CommandResult } from './command.ts';
import {
  type Column,
  chooseAccounts,
  formatSecond,
  formatTime,
  type ListOptions,
  readAccounts,
  showList,
} from './listing.ts';

const columns: readonly Column<ReturnType<typeof describe>>[] = [
  ['DEVICE', ({ deviceId }) => deviceId],
  ['ACCOUNT', ({ account }) => account],
  ['TYPE', ({ type }) => type],
  ['BRIDGE', ({ bridgeId }) => bridgeId ?? '-'],
  ['BATTERY', ({ batteryLevel }) => (batteryLevel === null ? '-' : `${batteryLevel} %`)],
  ['CODES', ({ algoPin, passagePin }) => (passagePin ? 'all' : algoPin ? 'no passage' : 'none')],
  ['LAST SYNC', ({ lastSync }) => formatSecond(lastSync)],
  ['NAME', ({ deviceName }) => deviceName],
];

/** `device list`: by account, and by name in each. */
export async function listDevices(
  store: Pick<Store, 'accounts' | 'devices'>,
  { account, limit }: ListOptions,
): Promise<CommandResult> {
  const chosen = await chooseAccounts(store, account);
  if (chosen.kind === 'refused') return chosen;
  const found = await readAccounts(chosen.item, limit + 1, (accountId, atMost) =>
    store.devices.list({ accountId, sort: { by: 'deviceName', descending: false }, limit: atMost }),
  );
  return showList('devices', found.map(describe), limit, columns);
}

function describe(device: Device) {
  const { deviceId, accountId, deviceName, type, propertyIds, bridgeId, batteryLevel, pairedAt, lastSyncAt } = device;
  return {
    deviceId,
    account: accountId,
    deviceName,
    type,
    properties: propertyIds,
    bridgeId,
    batteryLevel,
    algoPin: device.supportsAlgoPin,
    passagePin: device.supportsPassagePin,
    pairedAt: formatTime(pairedAt),
    lastSync: formatTime(lastSyncAt),
  };
}
