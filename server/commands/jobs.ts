import type { EpochMilliseconds } from '../clock.ts';
import type { Job } from '../store/jobs/job-store.ts';
import type { Store } from '../store/store.ts';
import { findBridge } from './bridge.ts';
import type { CommandResult } from './command.ts';
import { type Column, chooseAccounts, formatSecond, formatTime, type ListOptions, showList } from './listing.ts';

const columns: readonly Column<ReturnType<typeof describe>>[] = [
  ['JOB', ({ jobId }) => jobId],
  ['ACCOUNT', ({ account }) => account],
  ['BRIDGE', ({ bridgeId }) => bridgeId],
  ['DEVICE', ({ deviceId }) => deviceId],
  ['TYPE', ({ jobType }) => jobType],
  ['STATUS', ({ status }) => status],
  ['RESULT', ({ result }) => (result === -1 ? '-' : result)],
  ['CREATED', ({ createdAt }) => formatSecond(createdAt)],
];

/** `jobs list`: newest first. What a job was told and what it told back are left out: codes can be in both. */
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
  return showList('jobs', found.map(describe), limit, columns);
}

function describe({ accountId, createdAt, expiresAt, ...job }: Job) {
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
