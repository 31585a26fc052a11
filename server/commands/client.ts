import { isDeepStrictEqual } from 'node:util';
import { type CommandResult, declined, done, refused } from '@lockstep/shell/command-result';
import { type Command, Option } from 'commander';
import type { EpochMilliseconds } from '../clock.ts';
import { endOfPrevious, rotateSecret } from '../oauth/client-secrets.ts';
import type { OwnClient, PartnerClient } from '../oauth/create-client-metadata.ts';
import type { ClientRecord, Store } from '../store/store.ts';
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
  addCommand(client, 'create <id>', 'create a client; prints its secret once')
    .requiredOption('--name <text>', 'name on the consent page')
    .option('--account <id>', 'let it act for this account alone, with its own credentials')
    .option(
      '--redirect-uri <url...>',
      'let it act for owners who log in; static https callback, compared byte for byte',
    )
    .option('--scope <scope...>', 'scopes that it may have (default: all)')
    .option('--require-pkce', 'reject logins without PKCE')
    .option('--rotate-refresh-token', 'issue a new refresh token at each refresh')
    .action(
      shell.runOnStore((store, clientId: string, options: ClientOptions, command: Command) =>
        createClient(store, readClient(command, clientId, options)),
      ),
    );
  addCommand(client, 'rotate <id>', 'create a new secret, printed once; the old one works for a while; audited')
    .addOption(
      new Option('--overlap <length>', 'how long the old secret works: hours or days, as 36h, 7d, or 0')
        .default(24 * 3600, '24h')
        .argParser(readOverlap),
    )
    .addHelpText(
      'after',
      '\nIssued tokens stay valid. A second rotation within the overlap invalidates the first secret, so at most two secrets are valid.\n' +
        'If the old secret may have leaked, use --overlap 0.',
    )
    .action(
      shell.runOnStore((store, id: string, { overlap }: { readonly overlap: number }) =>
        rotateClient(store, id, {
          overlapSeconds: overlap,
          now: Date.now(),
        }),
      ),
    );
  addSwitchCommands(
    client,
    shell,
    [
      ['disable', 'reject tokens of a client and issue no new ones, at once'],
      ['enable', 'accept a disabled client again'],
    ],
    (store, id, verb) => switchClient(store, id, verb, Date.now()),
  );
  addListCommand(client, 'list clients by id: account, scopes, callbacks, end of an old secret').action(
    shell.runOnStore((store, options: ListOptions) => listClients(store, { ...options, now: Date.now() })),
  );
}

/**
 * Reads the client that the options of `client create` describe.
 *
 * @throws CommanderError when the options describe both kinds of client or neither, or mix options of the two
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
  if (requirePkce) refuse('Omit --require-pkce, or give --redirect-uri: PKCE is for clients with a login.');
  if (rotateRefreshToken)
    refuse('Omit --rotate-refresh-token, or give --redirect-uri: only clients with a login have refresh tokens.');
  return { kind: 'own', ...common, ownerAccount };
}

/** The options of `client create`, by the metadata that they set. */
const options = {
  client_name: '--name',
  owner_account: '--account',
  redirect_uris: '--redirect-uri',
  api_scopes: '--scope',
  require_pkce: '--require-pkce',
  rotate_refresh_token: '--rotate-refresh-token',
} as const;

/**
 * `client create`: prints the secret once; the store keeps its SHA-256. A second run changes nothing, and refuses options that differ from
 * the first.
 */
export async function createClient(store: Store, input: OwnClient | PartnerClient): Promise<CommandResult> {
  // Loaded here, since it imports the contract for its scopes.
  const { ClientFault, createClientMetadata } = await import('../oauth/create-client-metadata.ts');
  try {
    const { clientId, metadata, secret } = createClientMetadata(input);
    if (input.kind === 'own' && (await store.accounts.find(input.ownerAccount)) === undefined) {
      const known = (await store.accounts.list()).map(({ id }) => id);
      return refused(`There is no account ${input.ownerAccount}${nearestOf(input.ownerAccount, known)}`);
    }
    // The subject of an own-account token is the client's id, so no account may have that id (RFC 9068, 5).
    if ((await store.accounts.find(clientId)) !== undefined)
      return refused(`${clientId} is the id of an account: give the client another, such as ${clientId}-client`);
    if (!(await store.clients.create({ clientId, metadata }))) {
      const differing = findDifferences((await store.clients.find(clientId))?.metadata ?? '{}', metadata);
      if (differing.length > 0)
        return refused(
          `The client ${clientId} exists already and differs in ${differing.join(', ')}; nothing changed. Give it another id.`,
          { clientId, created: false, differing },
        );
      return done(
        `The client ${clientId} exists already; nothing changed. Its secret can't be shown again: client rotate creates a new one.`,
        {
          clientId,
          created: false,
        },
      );
    }
    return done(`Created the client ${clientId}. Its secret, shown only now:\n${secret}`, {
      clientId,
      secret,
      created: true,
    });
  } catch (error) {
    if (error instanceof ClientFault) return refused(error.faults.join('\n'), { faults: error.faults });
    throw error;
  }
}

/** Names of the options that differ. The order of scopes and addresses does not count. */
function findDifferences(kept: string, given: string): string[] {
  const [one, other] = [JSON.parse(kept), JSON.parse(given)];
  const read = (client: typeof one, member: string) => {
    const value = client[member] ?? false;
    const list = member === 'api_scopes' && typeof value === 'string' ? value.split(' ') : value;
    return Array.isArray(list) ? list.toSorted() : list;
  };
  return Object.entries(options).flatMap(([member, option]) =>
    isDeepStrictEqual(read(one, member), read(other, member)) ? [] : [option],
  );
}

/**
 * `client rotate`: creates a secret and prints it once. The old one works during the overlap, so that the partner can switch; an even older
 * one is invalid from now on. The rotation and its audit entry are one transaction.
 *
 * @param overlapSeconds 0: the old secret is invalid at once
 * @returns `declined` when another command changed the client at the same time; this one changed nothing
 */
export async function rotateClient(
  store: Pick<Store, 'clients'>,
  clientId: string,
  { overlapSeconds, now }: { readonly overlapSeconds: number; readonly now: EpochMilliseconds },
): Promise<CommandResult> {
  const found = await findClient(store, clientId);
  if (found.kind === 'refused') return found;
  const { item: client } = found;
  const nowSeconds = Math.floor(now / 1000);
  const before = JSON.parse(client.metadata);
  const { secret, metadata } = rotateSecret(before, { nowSeconds, overlapSeconds });
  const changed = await store.clients.replaceMetadata(
    { clientId, from: client.metadata, to: JSON.stringify(metadata) },
    {
      at: now,
      // A partner has no account; its entries have its id, which no account has (RFC 9068, 5).
      accountId: before.owner_account ?? clientId,
      clientId,
      action: 'rotate_client_secret',
      deviceId: null,
      requestId: null,
    },
  );
  if (!changed)
    return declined(`Another command changed ${clientId} at the same time; nothing changed here. Run it again.`);
  const until = endOfPrevious(metadata, nowSeconds);
  const ended = endOfPrevious(before, nowSeconds);
  const lines = [
    `Rotated the secret of ${clientId}. The new one, shown only now:`,
    secret,
    until === undefined ? 'The old one is invalid now.' : `The old one works until ${formatSeconds(until)}.`,
    ...(ended === undefined ? [] : [`The one before that, valid until ${formatSeconds(ended)}, is invalid now.`]),
    ...(client.disabledAt === null ? [] : ['The client is disabled: no secret works until client enable.']),
  ];
  return done(lines.join('\n'), {
    clientId,
    secret,
    previousSecretUntil: until === undefined ? null : formatSeconds(until),
    endedSecretUntil: ended === undefined ? null : formatSeconds(ended),
    disabled: client.disabledAt !== null,
  });
}

function formatSeconds(at: number): string {
  return new Date(at * 1000).toISOString();
}

/** `client disable` and `client enable`: effective at the next request to API or token endpoint. A second run changes nothing. */
export async function switchClient(
  store: Pick<Store, 'clients'>,
  clientId: string,
  verb: 'disable' | 'enable',
  now: EpochMilliseconds,
): Promise<CommandResult> {
  const found = await findClient(store, clientId);
  if (found.kind === 'refused') return found;
  const isDisabled = found.item.disabledAt !== null;
  const changed = isDisabled !== (verb === 'disable');
  if (changed) await store.clients.setDisabled(clientId, verb === 'disable' ? Math.floor(now / 1000) : null);
  const text = changed ? `${clientId}: ${verb}d` : `${clientId} is ${verb}d already; nothing changed.`;
  return done(text, { clientId, disabled: verb === 'disable', changed });
}

const columns: readonly Column<ReturnType<typeof describe>>[] = [
  ['CLIENT', ({ clientId }) => clientId],
  ['KIND', ({ kind }) => kind],
  ['ACCOUNT', ({ account }) => account ?? '-'],
  ['DISABLED', ({ disabled }) => (disabled ? 'yes' : 'no')],
  ['SCOPES', ({ scopes }) => scopes?.length ?? 'all'],
  ['PKCE', ({ requirePkce }) => (requirePkce === null ? '-' : requirePkce ? 'required' : 'optional')],
  [
    'REFRESH TOKEN',
    ({ rotateRefreshToken }) => (rotateRefreshToken === null ? '-' : rotateRefreshToken ? 'new' : 'same'),
  ],
  [
    'OLD SECRET UNTIL',
    ({ previousSecretUntil }) => (previousSecretUntil === null ? '-' : formatSecond(previousSecretUntil)),
  ],
  ['CALLBACKS', ({ redirectUris }) => redirectUris.join(', ') || '-'],
  ['NAME', ({ name }) => name],
];

/** `client list`: by id, with the time of the last rotation and the end of the old secret. */
export async function listClients(
  store: Pick<Store, 'accounts' | 'clients'>,
  { account, limit, now }: ListOptions & { readonly now: EpochMilliseconds },
): Promise<CommandResult> {
  const chosen = await chooseAccounts(store, account);
  if (chosen.kind === 'refused') return chosen;
  const rows = (await store.clients.list()).map((client) => describe(client, Math.floor(now / 1000)));
  const found = account === undefined ? rows : rows.filter((row) => row.account === account);
  return showList('clients', found.slice(0, limit + 1), limit, columns);
}

function describe({ clientId, metadata, disabledAt }: ClientRecord, nowSeconds: number) {
  const { client_name: name, owner_account: account = null, ...kept } = JSON.parse(metadata);
  const isOwn = account !== null;
  const until = endOfPrevious(kept, nowSeconds);
  const readTime = (seconds: number | undefined) => (seconds === undefined ? null : formatTime(seconds * 1000));
  return {
    clientId,
    kind: isOwn ? 'own' : 'partner',
    account: account as string | null,
    name: String(name),
    /** Null: all scopes, also those of later versions. */
    scopes: kept.api_scopes === undefined ? null : (kept.api_scopes.split(' ').filter(Boolean) as string[]),
    disabled: disabledAt !== null,
    redirectUris: kept.redirect_uris as string[],
    // Null for a client without login.
    requirePkce: isOwn ? null : kept.require_pkce === true,
    rotateRefreshToken: isOwn ? null : kept.rotate_refresh_token === true,
    secretRotatedAt: readTime(kept.secret_rotated_at),
    previousSecretUntil: readTime(until),
  };
}

/** The client, or a refusal of an unknown id. */
export async function findClient({ clients }: Pick<Store, 'clients'>, clientId: string): Promise<Found<ClientRecord>> {
  const client = await clients.find(clientId);
  if (client !== undefined) return { kind: 'found', item: client };
  const known = (await clients.list()).map((one) => one.clientId);
  return refused(`There is no client ${clientId}${nearestOf(clientId, known)}`);
}
