import { type CommandResult, done, refused } from '@lockstep/shell/command-result';
import { type Command, Option } from 'commander';
import type { EpochMilliseconds } from '../clock.ts';
import type { DeviceQuery } from '../store/devices/device-store.ts';
import type { Store } from '../store/store.ts';
import { addCommand, type Found, nearestOf } from './command.ts';
import { readLimit } from './read-option.ts';

/** Options that narrow a list. */
export interface ListOptions {
  /** Default: all accounts. */
  readonly account?: string | undefined;
  /** Maximum number of rows, at least 1. */
  readonly limit: number;
}

/** Adds a `list` command with `ListOptions`. */
export function addListCommand(parent: Command, description: string): Command {
  return addCommand(parent, 'list', description)
    .option('--account <id>', 'only of this account')
    .addOption(new Option('--limit <number>', 'maximum number of rows').default(100).argParser(readLimit));
}

/** Heading and cell text of a column. Only the last column may contain wide characters. */
export type Column<Row> = readonly [heading: string, read: (row: Row) => string | number];

/**
 * The result of a `list` command: a table as text, the rows as JSON.
 *
 * @param found rows in order; one more than `limit` if there are more
 */
export function showList<Row>(
  name: string,
  found: readonly Row[],
  limit: number,
  columns: readonly Column<Row>[],
): CommandResult {
  const rows = found.slice(0, limit);
  const more = found.length > limit;
  const end = more ? [`The first ${rows.length}. There are more: --limit ${limit * 2}`] : [];
  const text = rows.length === 0 ? `No ${name}.` : [...formatTable(rows, columns), ...end].join('\n');
  return done(text, { [name]: rows, more });
}

function formatTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string[] {
  const table = [columns.map(([heading]) => heading)].concat(
    rows.map((row) => columns.map(([, read]) => String(read(row)))),
  );
  const widths = columns.map((_, index) => Math.max(...table.map((cells) => cells[index]?.length ?? 0)));
  return table.map((cells) =>
    cells
      .map((cell, index) => (index === columns.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** Ids of the accounts to list, or a refusal of an unknown account. */
export async function chooseAccounts(
  store: Pick<Store, 'accounts'>,
  account: string | undefined,
): Promise<Found<readonly string[]>> {
  const known = (await store.accounts.list()).map(({ id }) => id);
  if (account === undefined) return { kind: 'found', item: known };
  if (known.includes(account)) return { kind: 'found', item: [account] };
  return refused(`There is no account ${account}${nearestOf(account, known)}`);
}

/** Reads account after account until there are enough. */
export async function readAccounts<Row>(
  accounts: readonly string[],
  limit: number,
  read: (accountId: string, limit: number) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const accountId of accounts) {
    if (rows.length >= limit) break;
    rows.push(...(await read(accountId, limit - rows.length)));
  }
  return rows;
}

/** All deviceIds of the accounts, to find the nearest to an unknown one. */
export async function listIds(
  { devices }: Pick<Store, 'devices'>,
  accounts: readonly string[],
  among: Pick<DeviceQuery, 'type' | 'algoPinOnly'>,
): Promise<string[]> {
  const query = { ...among, sort: { by: 'deviceName', descending: false }, limit: Number.MAX_SAFE_INTEGER } as const;
  const lists = await Promise.all(accounts.map((accountId) => devices.list({ ...query, accountId })));
  return lists.flat().map(({ deviceId }) => deviceId);
}

/** Short form for tables: `2026-11-21T08:00:00Z`. */
export function formatSecond(at: string): string {
  return `${at.slice(0, 19)}Z`;
}

/** In UTC with milliseconds. */
export function formatTime(at: EpochMilliseconds): string {
  return new Date(at).toISOString();
}
