import { type CommandResult, done, refused } from '@lockstep/shell/command-result';
import type { Command } from 'commander';
import type { EpochMilliseconds } from '../clock.ts';
import type { HeldGrant } from '../oauth/connected-apps.ts';
import type { AuditEntry, Owner } from '../store/records.ts';
import { type GrantFilter, revocationKeptSeconds, type Store } from '../store/store.ts';
import { findClient } from './client.ts';
import { addCommand, type Found } from './command.ts';
import {
  addListCommand,
  type Column,
  chooseAccounts,
  formatSecond,
  formatTime,
  type ListOptions,
  showList,
} from './listing.ts';
import { findOwner } from './owner.ts';
import type { Shell } from './shell.ts';

interface GrantFlags {
  readonly account?: string;
  readonly owner?: string;
  readonly client?: string;
}

export function addGrantCommands(program: Command, shell: Shell): void {
  const grant = program.command('grant').description('grants: applications that owners connected to their accounts');
  addListCommand(grant, 'list grants, newest first: owner, client, scopes, end')
    .option('--owner <email>', 'only of this owner')
    .option('--client <id>', 'only to this client')
    .action(
      shell.runOnStore((store, options: Omit<GrantListOptions, 'now'>) =>
        listGrants(store, { ...options, now: Date.now() }),
      ),
    );
  addCommand(grant, 'revoke [grant]', 'reject the tokens of one grant or of many, at once; audited')
    .option('--account <id>', 'all grants by owners of this account')
    .option('--owner <email>', 'all grants by this owner')
    .option('--client <id>', 'all grants to this client; with --account or --owner only theirs')
    .addHelpText(
      'after',
      '\nA revoked grant stays revoked. Its owner can connect the app again, which creates a new grant.',
    )
    .action(
      shell.runOnStore((store, id: string | undefined, flags: GrantFlags, command: Command) =>
        revokeGrants(store, readChoice(command, id, flags), Date.now()),
      ),
    );
}

/** @throws CommanderError when the options select no grants, or one grant and others */
function readChoice(command: Command, grant: string | undefined, flags: GrantFlags): GrantChoice {
  const refuse = (text: string): never => command.error(text, { exitCode: 2 });
  const { account, owner, client } = flags;
  if (grant !== undefined) {
    if (account !== undefined || owner !== undefined || client !== undefined)
      refuse('Give either a grant, or any of --account, --owner and --client: a grant has one owner and one client.');
    return { grant };
  }
  if (account !== undefined) return { account, owner, client };
  if (client !== undefined) return { owner, client };
  return owner === undefined
    ? refuse('Name the grants: a grant as grant list prints it, --account, --owner, or --client.')
    : { owner };
}

type GrantStores = Pick<Store, 'accounts' | 'clients' | 'oidc' | 'owners'>;

/** A selection of grants by account, owner (e-mail) and client. An omitted member matches any. */
interface GrantSelection {
  readonly account?: string | undefined;
  readonly owner?: string | undefined;
  readonly client?: string | undefined;
}

/** The grants to revoke: one, or all of a selection. */
export type GrantChoice =
  | { readonly grant: string }
  | (GrantSelection & ({ readonly account: string } | { readonly owner: string } | { readonly client: string }));

export interface GrantListOptions extends ListOptions, GrantSelection {
  readonly now: EpochMilliseconds;
}

const columns: readonly Column<ReturnType<typeof describe>>[] = [
  ['GRANT', ({ grant }) => grant],
  ['OWNER', ({ owner }) => owner],
  ['ACCOUNT', ({ account }) => account],
  ['CLIENT', ({ client }) => client],
  ['SINCE', ({ since }) => formatSecond(since)],
  ['UNTIL', ({ until }) => formatSecond(until)],
  ['SCOPES', ({ scopes }) => scopes.length],
];

/** `grant list`: newest first. */
export async function listGrants(store: GrantStores, options: GrantListOptions): Promise<CommandResult> {
  const { limit, now } = options;
  const named = await findNamed(store, options);
  if (named.kind === 'refused') return named;
  const found = await store.oidc.listGrants({
    ...named.item.filter,
    nowSeconds: Math.floor(now / 1000),
    limit: limit + 1,
  });
  return showList('grants', await readGrants(store, found), limit, columns);
}

/** `grant revoke`: the server rejects refresh tokens and access tokens from the next request on. Audited in the same transaction. */
export async function revokeGrants(
  store: GrantStores,
  choice: GrantChoice,
  now: EpochMilliseconds,
): Promise<CommandResult> {
  return 'grant' in choice ? revokeOne(store, choice.grant, now) : revokeNamed(store, choice, now);
}

async function revokeOne(store: GrantStores, grantId: string, now: EpochMilliseconds): Promise<CommandResult> {
  const [found] = await store.oidc.listGrants({ grantId, nowSeconds: Math.floor(now / 1000), limit: 1 });
  const [grant] = await readGrants(store, found === undefined ? [] : [found]);
  if (found === undefined || grant === undefined) {
    if (await store.oidc.isGrantRevoked(grantId))
      return done(`The grant ${grantId} is revoked already; nothing changed.`, { grant: grantId, revoked: 0 });
    return refused(`There is no grant ${grantId}, or it has expired.`);
  }
  const { accountId, ownerId, clientId } = found;
  const revoked = await revoke(store, { grantId }, { at: now, accountId, clientId, ownerId });
  const { owner, client } = grant;
  return done(`Revoked the grant ${grantId}, which ${owner} gave ${client}.`, {
    grant: grantId,
    owner,
    client,
    revoked,
  });
}

/** Revokes owner by owner, so that each account has its audit entry; then the rest, such as a login whose code is not exchanged yet. */
async function revokeNamed(
  store: GrantStores,
  choice: Exclude<GrantChoice, { readonly grant: string }>,
  now: EpochMilliseconds,
): Promise<CommandResult> {
  const named = await findNamed(store, choice);
  if (named.kind === 'refused') return named;
  const { filter, owner, client, clientAccount } = named.item;
  const audited = { at: now, clientId: client ?? 'operator' };
  let revoked = 0;
  for (const { id, accountId } of owner === undefined ? await findConcerned(store, filter, now) : [owner])
    revoked += await revoke(store, { ...filter, ownerId: id }, { ...audited, accountId, ownerId: id });
  if (owner === undefined)
    revoked += await revoke(store, filter, {
      ...audited,
      accountId: choice.account ?? clientAccount ?? '',
      ownerId: null,
    });
  const { account } = choice;
  const whose = [
    account !== undefined && `of ${account}`,
    owner !== undefined && `that ${owner.email} gave`,
    owner === undefined && client !== undefined && 'given to',
    client,
  ];
  const about = whose.filter(Boolean).join(' ');
  const count = revoked === 1 ? '1 grant' : `${revoked} grants`;
  const text = revoked === 0 ? `There is no grant ${about}.` : `Revoked ${count} ${about}.`;
  return done(text, {
    ...(account && { account }),
    ...(owner && { owner: owner.email }),
    ...(client && { client }),
    revoked,
  });
}

/** Each owner of the account, also with a login under way; without an account, each owner with a grant. */
async function findConcerned(
  { oidc, owners }: GrantStores,
  filter: GrantFilter,
  now: EpochMilliseconds,
): Promise<readonly Pick<Owner, 'id' | 'accountId'>[]> {
  const { accountId } = filter;
  const limit = Number.MAX_SAFE_INTEGER;
  if (accountId !== undefined) return owners.list({ accountId, limit });
  const found = await oidc.listGrants({ ...filter, nowSeconds: Math.floor(now / 1000), limit });
  return [...new Map(found.map(({ ownerId: id, accountId }) => [id, { id, accountId }])).values()];
}

function revoke(
  { oidc }: GrantStores,
  of: GrantFilter,
  audited: Pick<AuditEntry, 'at' | 'accountId' | 'clientId' | 'ownerId'>,
): Promise<number> {
  const nowSeconds = Math.floor(audited.at / 1000);
  const entry = { ...audited, action: 'revoke_grants', deviceId: null, requestId: null };
  return oidc.revokeGrants(of, nowSeconds, nowSeconds + revocationKeptSeconds, entry);
}

interface Named {
  readonly filter: Pick<GrantFilter, 'accountId' | 'ownerId' | 'clientId'>;
  readonly owner?: Owner;
  readonly client?: string;
  /** Account of the client's audit entries: a partner has none, so its own id, which no account has (RFC 9068, 5). */
  readonly clientAccount?: string;
}

/** Account, owner and client of the options, or a refusal of an unknown one. */
async function findNamed(
  store: GrantStores,
  { account, owner: email, client: clientId }: GrantSelection,
): Promise<Found<Named>> {
  const accounts = await chooseAccounts(store, account);
  if (accounts.kind === 'refused') return accounts;
  const owner = email === undefined ? undefined : await findOwner(store, email);
  if (owner?.kind === 'refused') return owner;
  const client = clientId === undefined ? undefined : await findClient(store, clientId);
  if (client?.kind === 'refused') return client;
  const named: Named = {
    filter: { accountId: account, ownerId: owner?.item.id, clientId: client?.item.clientId },
    ...(owner && { owner: owner.item }),
    ...(client && {
      client: client.item.clientId,
      clientAccount: JSON.parse(client.item.metadata).owner_account ?? client.item.clientId,
    }),
  };
  return { kind: 'found', item: named };
}

async function readGrants({ owners }: GrantStores, found: Awaited<ReturnType<Store['oidc']['listGrants']>>) {
  // Loaded here, since it imports the OAuth server.
  const { readGrant } = await import('../oauth/connected-apps.ts');
  const grants = found.map(readGrant);
  const emails = new Map<string, string>();
  for (const { ownerId } of grants)
    if (!emails.has(ownerId)) emails.set(ownerId, (await owners.find(ownerId))?.email ?? ownerId);
  return grants.map((grant) => describe(grant, emails.get(grant.ownerId) ?? grant.ownerId));
}

function describe({ grantId, accountId, clientId, scopes, since, until }: HeldGrant, owner: string) {
  return {
    grant: grantId,
    owner,
    account: accountId,
    client: clientId,
    scopes,
    since: formatTime(since),
    until: formatTime(until),
  };
}
