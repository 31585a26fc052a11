import { type Command, Option } from 'commander';
import type { ListOptions } from '../commands/listing.ts';
import type { OwnClient, PartnerClient } from '../oauth/create-client-metadata.ts';
import { addCommand, addListCommand, addSwitchCommands } from './add-command.ts';
import { readOverlap } from './read-option.ts';
import type { Shell } from './shell.ts';

/** The options of `client create`, as commander hands them over. */
interface ClientOptions {
  readonly name: string;
  readonly account?: string;
  readonly redirectUri?: readonly string[];
  readonly scope?: readonly string[];
  readonly requirePkce?: true;
  readonly rotateRefreshToken?: true;
}

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
      shell.runOnStore(async (store, clientId: string, options: ClientOptions, command: Command) => {
        const { createClient } = await import('../commands/client.ts');
        return createClient(store, readClient(command, clientId, options));
      }),
    );
  addCommand(client, 'rotate <id>', 'give it a new secret, shown once; the old one works on for a while; audited')
    .addOption(
      new Option('--overlap <length>', 'how long the old one works: hours or days as 36h, 7d; 0: not at all')
        .default(24 * 3600, '24h')
        .argParser(readOverlap),
    )
    .addHelpText(
      'after',
      '\nTokens that were given stay valid. Of two rotations within an overlap, the first secret ends with the second rotation: there are\n' +
        'never three. If the old secret may be in wrong hands: --overlap 0.',
    )
    .action(
      shell.runOnStore(async (store, id: string, { overlap }: { readonly overlap: number }) =>
        (await import('../commands/rotate-client.ts')).rotateClient(store, id, {
          overlapSeconds: overlap,
          now: Date.now(),
        }),
      ),
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
  addListCommand(client, 'clients by id: who each acts for, scopes, callbacks, an old secret that still works').action(
    shell.runOnStore(async (store, options: ListOptions) =>
      (await import('../commands/client.ts')).listClients(store, { ...options, now: Date.now() }),
    ),
  );
}

/**
 * Which client the options of `client create` describe.
 *
 * @throws CommanderError where they describe both kinds of client, neither, or say of one what only the other can have
 */
function readClient(
  command: Command,
  clientId: string,
  { name, account: ownerAccount, redirectUri, scope, requirePkce, rotateRefreshToken }: ClientOptions,
): OwnClient | PartnerClient {
  const refuse = (text: string): never => command.error(text, { exitCode: 2 });
  if ((ownerAccount === undefined) === (redirectUri === undefined))
    refuse('Give either --account or --redirect-uri: a client acts for its own account or for others.');
  const common = { clientId, name, ...(scope && { scopes: scope }) };
  if (ownerAccount === undefined)
    return {
      kind: 'partner',
      ...common,
      redirectUris: redirectUri ?? [],
      ...(requirePkce && { requirePkce }),
      ...(rotateRefreshToken && { rotateRefreshToken }),
    };
  if (requirePkce) refuse('--require-pkce is for clients with --redirect-uri.');
  if (rotateRefreshToken) refuse('--rotate-refresh-token is for clients with --redirect-uri.');
  return { kind: 'own', ...common, ownerAccount };
}
