import { type CommandResult, done, refused } from '@lockstep/shell/command-result';
import type { Command } from 'commander';
import type { EpochMilliseconds } from '../clock.ts';
import type { Property } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { addCommand } from './command.ts';
import { addListCommand, type Column, chooseAccounts, type ListOptions, showList } from './listing.ts';
import type { Shell } from './shell.ts';
import { describeTimezone, describeTimezoneChanges, findAffectedCodes, isTimezone } from './timezone-changes.ts';

export function addPropertyCommands(program: Command, shell: Shell): void {
  const property = program.command('property').description('properties: places that devices belong to');
  addCommand(property, 'set-timezone <id> <timezone>', 'set the timezone of a property (IANA name)')
    .addHelpText(
      'after',
      '\nCodes issued before follow the new clock. The command prints how many of them are not over.',
    )
    .action(shell.runOnStore((store, id: string, timezone: string) => setTimezone(store, id, timezone, Date.now())));
  addListCommand(property, 'list properties by account and name: timezone, devices').action(
    shell.runOnStore(listProperties),
  );
}

type PropertyStores = Pick<Store, 'accessCodes' | 'accounts' | 'properties'>;

/** `property set-timezone`: from now on this clock applies to all times and windows of the property's devices, also of codes issued before. */
export async function setTimezone(
  store: PropertyStores,
  id: string,
  timezone: string,
  now: EpochMilliseconds,
): Promise<CommandResult> {
  if (!isTimezone(timezone)) return refused(describeTimezone(timezone));
  const found = await findProperty(store, id);
  if (found === undefined) return refused(`There is no property ${id}`);
  const change = { property: id, timezone, before: found.timezone };
  const result = { ...change, affectedCodes: 0 };
  const open = await store.accessCodes.countOpen(found.accountId, now);
  if (!(await store.properties.setTimezone(id, timezone))) return refused(`There is no property ${id}`);
  if (found.timezone === timezone) return done(`${id}: ${timezone}`, result);
  const affected = findAffectedCodes(open, await store.accessCodes.countOpen(found.accountId, now));
  return done(describeTimezoneChanges([change], affected).join('\n'), {
    ...result,
    affectedCodes: affected.reduce((sum, { codes }) => sum + codes, 0),
  });
}

const columns: readonly Column<ReturnType<typeof describe>>[] = [
  ['PROPERTY', ({ property }) => property],
  ['ACCOUNT', ({ account }) => account],
  ['TIMEZONE', ({ timezone }) => timezone ?? '-'],
  ['DEVICES', ({ devices }) => devices],
  ['NAME', ({ name }) => name],
];

/** `property list`: by account and name. */
export async function listProperties(
  store: Pick<Store, 'accounts' | 'properties'>,
  { account, limit }: ListOptions,
): Promise<CommandResult> {
  const chosen = await chooseAccounts(store, account);
  if (chosen.kind === 'refused') return chosen;
  const found = await store.properties.list({ accountId: account, limit: limit + 1 });
  return showList('properties', found.map(describe), limit, columns);
}

function describe({ id, accountId, ...property }: Awaited<ReturnType<Store['properties']['list']>>[number]) {
  return { property: id, account: accountId, ...property };
}

async function findProperty({ accounts, properties }: PropertyStores, id: string): Promise<Property | undefined> {
  const found = (await accounts.list()).map((account) => properties.findAll(account.id, [id]));
  return (await Promise.all(found)).flat()[0];
}
