import { type CommandResult, declined, done, refused } from '@lockstep/shell/command-result';
import { type Command, Option } from 'commander';
import type { EpochMilliseconds } from '../clock.ts';
import type { Account } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { addCommand, addSwitchCommands, type Found, nearestOf } from './command.ts';
import {
  addListCommand,
  type Column,
  chooseAccounts,
  formatSecond,
  formatTime,
  type ListOptions,
  showList,
} from './listing.ts';
import { readDays, readInstant } from './read-option.ts';
import type { Shell } from './shell.ts';

interface TrialFlags {
  readonly days: number;
  readonly until?: number;
  readonly force?: boolean;
}

export function addAccountCommands(program: Command, shell: Shell): void {
  const account = program.command('account').description('accounts that may call the API');
  addCommand(account, 'trial <id>', 'let an account call the API until a time; then every call is 402')
    .addOption(new Option('--days <number>', 'length, in days of 24 hours from now').default(30).argParser(readDays))
    .addOption(new Option('--until <instant>', 'end of the trial, RFC 3339').argParser(readInstant).conflicts('days'))
    .option('--force', 'replace a subscription, or start another trial by --days')
    .addHelpText(
      'after',
      '\nA second run with --until changes nothing. With --days a running trial stays as it is. If a trial is over, or the account is\n' +
        'subscribed, the command refuses with exit code 1, unless --force is given.',
    )
    .action(
      shell.runOnStore((store, id: string, { days, until, force = false }: TrialFlags) =>
        startTrial(store, id, { end: until === undefined ? { days } : { until }, force, now: Date.now() }),
      ),
    );
  addCommand(account, 'subscribe <id>', 'let an account call the API without end').action(shell.runOnStore(subscribe));
  addSwitchCommands(
    account,
    shell,
    [
      ['disable', 'reject every token for the account, at once; its data stays'],
      ['enable', 'accept tokens for a disabled account again'],
    ],
    (store, id, verb) => switchAccount(store, id, verb, Date.now()),
  );
  addListCommand(account, 'list accounts: subscription, devices, properties').action(
    shell.runOnStore((store, options: ListOptions) => listAccounts(store, { ...options, now: Date.now() })),
  );
}

type AccountStores = Pick<Store, 'accounts'>;

/** Days count from the time of the command, so a second run would extend the trial; an instant is the same in every run. */
export type TrialEnd = { readonly days: number } | { readonly until: EpochMilliseconds };

export interface TrialOptions {
  readonly end: TrialEnd;
  /** Replaces a subscription, and extends or repeats a trial by `days`. */
  readonly force: boolean;
  readonly now: EpochMilliseconds;
}

const dayMilliseconds = 24 * 60 * 60 * 1000;

/**
 * `account trial`: the account may call the API until the end of the trial; then calls get 402. With `days` the command changes nothing
 * while a trial runs.
 *
 * @returns `declined` when it would end a subscription or start a second trial without `force`
 */
export async function startTrial(
  store: AccountStores,
  id: string,
  { end, force, now }: TrialOptions,
): Promise<CommandResult> {
  const found = await findAccount(store, id);
  if (found.kind === 'refused') return found;
  const { trialEndsAt: before } = found.item;
  const trialEndsAt = 'until' in end ? end.until : now + end.days * dayMilliseconds;
  if (before === trialEndsAt || (before !== null && before > now && 'days' in end && !force))
    return done(`${id}: the trial runs until ${format(before)} already; nothing changed.`, {
      account: id,
      trialEndsAt: before,
      changed: false,
    });
  const forced = 'To do it anyway, add --force.';
  if (before === null && !force)
    return declined(`${id} is subscribed, and a trial would end the subscription.\n${forced}`);
  if (before !== null && 'days' in end && !force)
    return declined(`${id}: the trial ended ${format(before)}, and this command would start another.\n${forced}`);
  await store.accounts.setTrialEnd(id, trialEndsAt);
  return done(`${id}: the trial runs until ${format(trialEndsAt)}`, { account: id, trialEndsAt, changed: true });
}

/** `account subscribe`: the account may call the API without end. */
export async function subscribe(store: AccountStores, id: string): Promise<CommandResult> {
  const found = await findAccount(store, id);
  if (found.kind === 'refused') return found;
  await store.accounts.setTrialEnd(id, null);
  return done(`${id}: subscribed`, { account: id, trialEndsAt: null, changed: found.item.trialEndsAt !== null });
}

/** `account disable` and `account enable`: effective at the next request, for every client of the account. A second run changes nothing. */
export async function switchAccount(
  store: AccountStores,
  id: string,
  verb: 'disable' | 'enable',
  now: EpochMilliseconds,
): Promise<CommandResult> {
  const found = await findAccount(store, id);
  if (found.kind === 'refused') return found;
  const disabled = verb === 'disable';
  const changed = (found.item.disabledAt !== null) !== disabled;
  if (changed) await store.accounts.setDisabled(id, disabled ? now : null);
  const text = changed ? `${id}: ${verb}d` : `${id} is ${verb}d already; nothing changed.`;
  return done(text, { account: id, disabled, changed });
}

const columns: readonly Column<ReturnType<typeof describe>>[] = [
  ['ACCOUNT', ({ account }) => account],
  ['STATE', ({ state }) => state],
  ['TRIAL UNTIL', ({ trialEndsAt }) => (trialEndsAt === null ? '-' : formatSecond(trialEndsAt))],
  ['DISABLED', ({ disabled }) => (disabled ? 'yes' : 'no')],
  ['DEVICES', ({ devices }) => devices],
  ['PROPERTIES', ({ properties }) => properties],
  ['NAME', ({ name }) => name],
];

/** `account list`: by id. In the state `ended` the trial is over, and calls get 402. */
export async function listAccounts(
  store: AccountStores,
  { account, limit, now }: ListOptions & { readonly now: EpochMilliseconds },
): Promise<CommandResult> {
  const chosen = await chooseAccounts(store, account);
  if (chosen.kind === 'refused') return chosen;
  const found = await store.accounts.listCounted({ accountId: account, limit: limit + 1 });
  return showList(
    'accounts',
    found.map((one) => describe(one, now)),
    limit,
    columns,
  );
}

function describe(
  {
    id,
    name,
    trialEndsAt,
    disabledAt,
    devices,
    properties,
  }: Awaited<ReturnType<Store['accounts']['listCounted']>>[number],
  now: EpochMilliseconds,
) {
  return {
    account: id,
    name,
    state: trialEndsAt === null ? 'subscribed' : trialEndsAt > now ? 'trial' : 'ended',
    trialEndsAt: trialEndsAt === null ? null : formatTime(trialEndsAt),
    disabled: disabledAt !== null,
    devices,
    properties,
  };
}

async function findAccount({ accounts }: AccountStores, id: string): Promise<Found<Account>> {
  const account = await accounts.find(id);
  if (account !== undefined) return { kind: 'found', item: account };
  const known = (await accounts.list()).map((one) => one.id);
  return refused(`There is no account ${id}${nearestOf(id, known)}`);
}

function format(at: EpochMilliseconds): string {
  return new Date(at).toISOString();
}
