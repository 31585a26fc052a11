import type { Command } from 'commander';
import type { ListOptions } from '../commands/listing.ts';
import { addCommand, addListCommand, addSwitchCommands } from './add-command.ts';
import type { Shell } from './shell.ts';

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
          return addOwner(store, email, { account, name, ...(await createPasswordOptions(options)) });
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
        return setOwnerPassword(store, email, await createPasswordOptions(options));
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

async function createPasswordOptions({ passwordStdin }: PasswordFlag) {
  const [{ createPasswords }, { readPassword }] = await Promise.all([
    import('../oauth/passwords.ts'),
    import('./read-password.ts'),
  ]);
  return {
    passwords: createPasswords(),
    now: Date.now(),
    readPassword: passwordStdin ? () => readPassword() : undefined,
  };
}
