import { type Command, Option } from 'commander';
import type { ListOptions } from '../commands/listing.ts';
import { addCommand, addListCommand, addSwitchCommands } from './add-command.ts';
import { readDays, readInstant } from './read-option.ts';
import type { Shell } from './shell.ts';

interface TrialFlags {
  readonly days: number;
  readonly until?: number;
  readonly force?: boolean;
}

export function addAccountCommands(program: Command, shell: Shell): void {
  const account = program.command('account').description('who may call the API');
  addCommand(account, 'trial <id>', 'until a time; then every call is 402')
    .addOption(new Option('--days <number>', 'so many times 24 hours from now').default(30).argParser(readDays))
    .addOption(new Option('--until <instant>', 'the time itself, RFC 3339').argParser(readInstant).conflicts('days'))
    .option('--force', 'also where it is subscribed, or had a trial by --days before')
    .addHelpText(
      'after',
      '\nRun again with --until, nothing changes. With --days a trial that runs is left as it is; where one has ended, or the account is\n' +
        'subscribed, it is refused with exit code 1 unless forced.',
    )
    .action(
      shell.runOnStore(async (store, id: string, { days, until, force = false }: TrialFlags) => {
        const { startTrial } = await import('../commands/account.ts');
        return startTrial(store, id, { end: until === undefined ? { days } : { until }, force, now: Date.now() });
      }),
    );
  addCommand(account, 'subscribe <id>', 'without end').action(
    shell.runOnStore(async (store, id: string) => (await import('../commands/account.ts')).subscribe(store, id)),
  );
  addSwitchCommands(
    account,
    shell,
    [
      ['disable', 'refuse every token for it, at once; nothing of it is removed'],
      ['enable', 'take a disabled account back'],
    ],
    async (store, id, verb) => (await import('../commands/account.ts')).switchAccount(store, id, verb, Date.now()),
  );
  addListCommand(account, 'accounts: subscription, devices, properties').action(
    shell.runOnStore(async (store, options: ListOptions) =>
      (await import('../commands/account.ts')).listAccounts(store, { ...options, now: Date.now() }),
    ),
  );
}
