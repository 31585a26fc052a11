import { type Command, Option } from 'commander';
import type { GrantChoice, GrantListOptions } from '../commands/grant.ts';
import type { ListOptions } from '../commands/listing.ts';
import { addCommand, addListCommand, addSwitchCommands } from './add-command.ts';
import { readDays, readInstant } from './read-option.ts';
import type { Shell } from './shell.ts';

// Who may call, and for whom: accounts, the owners who log in for them, and what those have connected.

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

interface PasswordFlag {
  readonly passwordStdin?: true;
}

const passwordFlag = ['--password-stdin', 'the password is the one line on stdin; left out: one is made'] as const;

const passwordHelp =
  '\nOn a terminal, --password-stdin asks for it twice without showing it. It has 12 to 128 characters. One that is made has 100 bits and is\n' +
  'shown this once; only a hash is kept (scrypt).';

export function addOwnerCommands(program: Command, shell: Shell): void {
  const owner = program.command('owner').description('persons who log in and connect applications to their account');
  addCommand(owner, 'add <email>', 'let a person log in for an account; audited')
    .requiredOption('--account <id>', 'the account')
    .option('--name <text>', 'what applications and pages call the person; left out: the e-mail')
    .option(...passwordFlag)
    .addHelpText('after', passwordHelp)
    .action(
      shell.runOnStore(
        async (store, email: string, options: PasswordFlag & { readonly account: string; readonly name?: string }) => {
          const { addOwner } = await import('../commands/owner.ts');
          const { account, name } = options;
          return addOwner(store, email, { account, name, ...(await createPasswordOptions(options, shell)) });
        },
      ),
    );
  addCommand(
    owner,
    'password <email>',
    'another password, and out of every browser; applications stay connected; audited',
  )
    .option(...passwordFlag)
    .addHelpText('after', passwordHelp)
    .action(
      shell.runOnStore(async (store, email: string, options: PasswordFlag) => {
        const { setOwnerPassword } = await import('../commands/owner.ts');
        return setOwnerPassword(store, email, await createPasswordOptions(options, shell));
      }),
    );
  addSwitchCommands(
    owner,
    shell,
    [
      ['disable', 'log out everywhere, disconnect every app, refuse further logins, at once; audited'],
      ['enable', 'take a disabled owner back; applications have to be connected anew; audited'],
    ],
    async (store, email, verb) => (await import('../commands/owner.ts')).switchOwner(store, email, verb, Date.now()),
    '<email>',
  );
  addListCommand(owner, 'owners by account and e-mail: when each came, and got the password').action(
    shell.runOnStore(async (store, options: ListOptions) =>
      (await import('../commands/owner.ts')).listOwners(store, options),
    ),
  );
}

async function createPasswordOptions({ passwordStdin }: PasswordFlag, { own: { stdin, stderr } }: Shell) {
  const [{ createPasswords }, { readPassword }] = await Promise.all([
    import('../oauth/passwords.ts'),
    import('./read-password.ts'),
  ]);
  return {
    passwords: createPasswords(),
    now: Date.now(),
    readPassword: passwordStdin ? () => readPassword(stdin, stderr) : undefined,
  };
}

interface GrantFlags {
  readonly account?: string;
  readonly owner?: string;
  readonly client?: string;
}

export function addGrantCommands(program: Command, shell: Shell): void {
  const grant = program.command('grant').description('what owners have connected to their accounts');
  addListCommand(grant, 'grants, the newest first: who gave what to which client, and until when')
    .option('--owner <email>', 'of this owner alone')
    .option('--client <id>', 'to this client alone')
    .action(
      shell.runOnStore(async (store, options: Omit<GrantListOptions, 'now'>) =>
        (await import('../commands/grant.ts')).listGrants(store, { ...options, now: Date.now() }),
      ),
    );
  addCommand(grant, 'revoke [grant]', 'refuse the tokens of one grant or of many, at once; audited')
    .option('--account <id>', 'all that owners of this account gave')
    .option('--owner <email>', 'all that this owner gave')
    .option('--client <id>', 'all that this client was given; with --account or --owner what those gave it')
    .addHelpText('after', '\nWhat is revoked stays so: its owner can connect the app anew.')
    .action(
      shell.runOnStore(async (store, id: string | undefined, flags: GrantFlags, command: Command) => {
        const { revokeGrants } = await import('../commands/grant.ts');
        return revokeGrants(store, readChoice(command, id, flags), Date.now());
      }),
    );
}

/** @throws CommanderError where they name no grants, or one grant and others */
function readChoice(command: Command, grant: string | undefined, flags: GrantFlags): GrantChoice {
  const refuse = (text: string): never => command.error(text, { exitCode: 2 });
  const { account, owner, client } = flags;
  if (grant !== undefined) {
    if (account !== undefined || owner !== undefined || client !== undefined)
      refuse(
        'Give either a grant, or any of --account, --owner and --client: a grant is one of one owner and one client.',
      );
    return { grant };
  }
  if (account !== undefined) return { account, owner, client };
  if (client !== undefined) return { owner, client };
  return owner === undefined
    ? refuse('Say which: a grant as grant list shows it, --account, --owner, or --client.')
    : { owner };
}
