import type { Command } from 'commander';
import { addCommand, addSwitchCommands } from './add-command.ts';
import { type ClientOptions, readClient } from './read-client.ts';
import type { Shell } from './shell.ts';

export function addClientCommands(program: Command, shell: Shell): void {
  const client = program.command('client').description('OAuth clients');
  addCommand(client, 'create <id>', 'make a client; its secret is shown once')
    .requiredOption('--name <text>', 'what the consent page calls it')
    .option('--account <id>', 'acts for this account alone, with its own credentials')
    .option('--redirect-uri <url...>', 'acts for whoever logs in; static https callback, byte for byte')
    .option('--scope <scope...>', 'scopes it may have; left out: all')
    .option('--require-pkce', 'refuse logins without PKCE')
    .option('--rotate-refresh-token', 'give a new refresh token at each refresh')
    .action(
      shell.runOnStore(async (store, clientId: string, options: ClientOptions) => {
        const { createClient } = await import('../commands/client.ts');
        return createClient(store, readClient(program, clientId, options));
      }),
    );
  addSwitchCommands(
    client,
    shell,
    [
      ['disable', 'refuse its tokens and give it no new ones, at once'],
      ['enable', 'take a disabled client back'],
    ],
    async (store, id, verb) => (await import('../commands/client.ts')).switchClient(store, id, verb, Date.now()),
  );
}
