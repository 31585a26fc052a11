import type { EpochMilliseconds } from '../clock.ts';
import type { Device } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { type CommandResult, done, refused } from './command.ts';
import {
  type Column,
  chooseAccounts,
  formatSecond,
  formatTime,
  type ListOptions,
  readAccounts,
  showList,
} from './listing.ts';
import { nearestOf } from './nearest-of.ts';

const columns: readonly Column<ReturnType<typeof describe>>[] = [
  ['BRIDGE', ({ bridgeId }) => bridgeId],
  ['ACCOUNT', ({ account }) => account],
  ['ONLINE', ({ online }) => (online ? 'yes' : 'no')],
  ['UNFINISHED JOBS', ({ unfinishedJobs }) => unfinishedJobs],
  ['LAST SYNC', ({ lastSync }) => formatSecond(lastSync)],
  ['LINKED DEVICES', ({ linkedDevices }) => linkedDevices.join(', ') || '-'],
  ['NAME', ({ deviceName }) => deviceName],
];

/** `bridge list`: by account, and by name in each, with what waits for each bridge. */
export async function listBridges(
  store: Pick<Store, 'accounts' | 'devices' | 'jobs'>,
  { account, limit, now }: ListOptions & { readonly now: EpochMilliseconds },
): Promise<CommandResult> {
  const accounts = await chooseAccounts(store, account);
  if ('exitCode' in accounts) return accounts;
  const found = await readAccounts(accounts, limit + 1, (accountId, atMost) =>
    store.devices.list({
      accountId,
      sort: { by: 'deviceName', descending: false },
      type: 'Bridge',
      limit: atMost,
    }),
  );
  const waiting = Map.groupBy(await store.jobs.listUnfinished(now), ({ bridgeId }) => bridgeId);
  const rows = found.map((bridge) => describe(bridge, waiting.get(bridge.deviceId)?.length ?? 0));
  return showList('bridges', rows, limit, columns);
}

/** `bridge online` and `bridge offline`: whether it takes jobs. Run again, nothing changes. */
export async function switchBridge(
  { accounts, devices }: Pick<Store, 'accounts' | 'devices'>,
  bridgeId: string,
  verb: 'online' | 'offline',
): Promise<CommandResult> {
  const bridge = await findBridge(
    { devices },
    (await accounts.list()).map(({ id }) => id),
    bridgeId,
  );
  if ('exitCode' in bridge) return bridge;
  const online = verb === 'online';
  const changed = bridge.online !== online;
  if (changed) await devices.setOnline(bridge.accountId, bridgeId, online);
  const text = changed ? `${bridgeId}: ${verb}` : `${bridgeId} is ${verb} already; nothing changed.`;
  return done(text, { bridgeId, online, changed });
}

/** The bridge of one of the accounts, or the refusal of an id that is none. */
export async function findBridge(
  { devices }: Pick<Store, 'devices'>,
  accounts: readonly string[],
  bridgeId: string,
): Promise<Device | CommandResult> {
  const sort = { by: 'deviceName', descending: false } as const;
  const lists = accounts.map((accountId) =>
    devices.list({ accountId, sort, type: 'Bridge', limit: Number.MAX_SAFE_INTEGER }),
  );
  const bridges = (await Promise.all(lists)).flat();
  const known = bridges.map(({ deviceId }) => deviceId);
  return (
    bridges.find(({ deviceId }) => deviceId === bridgeId) ??
    refused(`There is no bridge ${bridgeId}${nearestOf(bridgeId, known)}`)
  );
}

function describe({ deviceId, accountId, deviceName, online, linked, lastSyncAt }: Device, unfinishedJobs: number) {
  return {
    bridgeId: deviceId,
    account: accountId,
    deviceName,
    online: online === true,
    linkedDevices: linked.map((link) => link.deviceId),
    unfinishedJobs,
    lastSync: formatTime(lastSyncAt),
  };
}
