import { type CommandResult, done, refused } from '@lockstep/shell/command-result';
import type { Command } from 'commander';
import type { EpochMilliseconds } from '../clock.ts';
import type { Job } from '../store/jobs/job-store.ts';
import type { Device } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { addSwitchCommands, type Found, nearestOf } from './command.ts';
import {
  addListCommand,
  type Column,
  chooseAccounts,
  formatSecond,
  formatTime,
  type ListOptions,
  listIds,
  readAccounts,
  showList,
} from './listing.ts';
import type { Shell } from './shell.ts';

export function addBridgeCommands(program: Command, shell: Shell): void {
  const bridge = program.command('bridge').description('bridges: gateways of locks and keypads');
  addSwitchCommands(
    bridge,
    shell,
    [
      ['online', 'accept jobs for a bridge'],
      ['offline', 'reject jobs for a bridge (406); queued jobs stay until they expire'],
    ],
    switchBridge,
  );
  addListCommand(bridge, 'list bridges: online, unfinished jobs, links').action(
    shell.runOnStore((store, options: ListOptions) => listBridges(store, { ...options, now: Date.now() })),
  );
}

export function addJobsCommands(program: Command, shell: Shell): void {
  const jobs = program.command('jobs').description('jobs of bridges');
  addListCommand(jobs, 'list jobs, newest first')
    .option('--bridge <id>', 'only of this bridge')
    .action(
      shell.runOnStore((store, options: ListOptions & { readonly bridge?: string }) =>
        listJobs(store, { ...options, now: Date.now() }),
      ),
    );
}

const bridgeColumns: readonly Column<ReturnType<typeof describeBridge>>[] = [
  ['BRIDGE', ({ bridgeId }) => bridgeId],
  ['ACCOUNT', ({ account }) => account],
  ['ONLINE', ({ online }) => (online ? 'yes' : 'no')],
  ['UNFINISHED JOBS', ({ unfinishedJobs }) => unfinishedJobs],
  ['LAST SYNC', ({ lastSync }) => formatSecond(lastSync)],
  ['LINKED DEVICES', ({ linkedDevices }) => linkedDevices.join(', ') || '-'],
  ['NAME', ({ deviceName }) => deviceName],
];

/** `bridge list`: by account and name, with the number of unfinished jobs of each bridge. */
export async function listBridges(
  store: Pick<Store, 'accounts' | 'devices' | 'jobs'>,
  { account, limit, now }: ListOptions & { readonly now: EpochMilliseconds },
): Promise<CommandResult> {
  const chosen = await chooseAccounts(store, account);
  if (chosen.kind === 'refused') return chosen;
  const found = await readAccounts(chosen.item, limit + 1, (accountId, atMost) =>
    store.devices.list({
      accountId,
      sort: { by: 'deviceName', descending: false },
      type: 'Bridge',
      limit: atMost,
    }),
  );
  const waiting = Map.groupBy(await store.jobs.listUnfinished(now), ({ bridgeId }) => bridgeId);
  const rows = found.map((bridge) => describeBridge(bridge, waiting.get(bridge.deviceId)?.length ?? 0));
  return showList('bridges', rows, limit, bridgeColumns);
}

/** `bridge online` and `bridge offline`: whether a bridge accepts jobs. A second run changes nothing. */
export async function switchBridge(
  store: Pick<Store, 'accounts' | 'devices'>,
  bridgeId: string,
  verb: 'online' | 'offline',
): Promise<CommandResult> {
  const found = await findBridge(store, bridgeId);
  if (found.kind === 'refused') return found;
  const { item: bridge } = found;
  const online = verb === 'online';
  const changed = bridge.online !== online;
  if (changed) await store.devices.setOnline(bridge.accountId, bridgeId, online);
  const text = changed ? `${bridgeId}: ${verb}` : `${bridgeId} is ${verb} already; nothing changed.`;
  return done(text, { bridgeId, online, changed });
}

/**
 * The bridge, or a refusal of an unknown id.
 *
 * @param account the account that has to own the bridge; default any
 */
export async function findBridge(
  { accounts, devices }: Pick<Store, 'accounts' | 'devices'>,
  bridgeId: string,
  account?: string,
): Promise<Found<Device>> {
  const found = await devices.findAnywhere(bridgeId);
  if (found?.type === 'Bridge' && (account ?? found.accountId) === found.accountId)
    return { kind: 'found', item: found };
  const ids = account === undefined ? (await accounts.list()).map(({ id }) => id) : [account];
  const known = await listIds({ devices }, ids, { type: 'Bridge' });
  return refused(`There is no bridge ${bridgeId}${nearestOf(bridgeId, known)}`);
}

const jobColumns: readonly Column<ReturnType<typeof describeJob>>[] = [
  ['JOB', ({ jobId }) => jobId],
  ['ACCOUNT', ({ account }) => account],
  ['BRIDGE', ({ bridgeId }) => bridgeId],
  ['DEVICE', ({ deviceId }) => deviceId],
  ['TYPE', ({ jobType }) => jobType],
  ['STATUS', ({ status }) => status],
  ['RESULT', ({ result }) => (result === -1 ? '-' : result)],
  ['CREATED', ({ createdAt }) => formatSecond(createdAt)],
];

/** `jobs list`: newest first, without input and output of the jobs: both can contain codes. */
export async function listJobs(
  store: Pick<Store, 'accounts' | 'devices' | 'jobs'>,
  {
    account,
    bridge,
    limit,
    now,
  }: ListOptions & { readonly bridge?: string | undefined; readonly now: EpochMilliseconds },
): Promise<CommandResult> {
  const accounts = await chooseAccounts(store, account);
  if (accounts.kind === 'refused') return accounts;
  const chosen = bridge === undefined ? undefined : await findBridge(store, bridge, account);
  if (chosen?.kind === 'refused') return chosen;
  const found = await store.jobs.list({
    now,
    ...(account !== undefined && { accountId: account }),
    ...(bridge !== undefined && { bridgeId: bridge }),
    limit: limit + 1,
  });
  return showList('jobs', found.map(describeJob), limit, jobColumns);
}

function describeBridge(
  { deviceId, accountId, deviceName, online, linked, lastSyncAt }: Device,
  unfinishedJobs: number,
) {
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

function describeJob({ accountId, createdAt, expiresAt, ...job }: Job) {
  const { jobId, bridgeId, deviceId, jobType, status, result } = job;
  return {
    jobId,
    account: accountId,
    bridgeId,
    deviceId,
    jobType,
    status,
    result,
    createdAt: formatTime(createdAt),
    expiresAt: formatTime(expiresAt),
  };
}
