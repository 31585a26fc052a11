import type { Command } from 'commander';
import type { GrantChoice, GrantListOptions } from '../commands/grant.ts';
import { addCommand, addListCommand } from './add-command.ts';
import type { Shell } from './shell.ts';

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
