import type { EpochMilliseconds } from '../clock.ts';
import type { Owner } from '../store/records.ts';
import { type AuditEntry, type GrantRecord, revocationKeptSeconds, type Store } from '../store/store.ts';
import { findClient } from './client.ts';
import { type CommandResult, done, refused } from './command.ts';
import { type Column, chooseAccounts, formatSecond, formatTime, type ListOptions, showList } from './listing.ts';
import { findOwner } from './owner.ts';

type GrantStores = Pick<Store, 'accounts' | 'clients' | 'oidc' | 'owners'>;

export interface GrantListOptions extends ListOptions {
  /** E-mail. */
  readonly owner?: string | undefined;
  readonly client?: string | undefined;
  readonly now: EpochMilliseconds;
}

/** Which grants to revoke: one, those of an owner, those of a client, or those of an owner for a client. */
export type GrantChoice =
  | { readonly grant: string }
  | { readonly owner: string; readonly client?: string | undefined }
  | { readonly owner?: string | undefined; readonly client: string };

const columns: readonly Column<ReturnType<typeof describe>>[] = [
  ['GRANT', ({ grant }) => grant],
  ['OWNER', ({ owner }) => owner],
  ['ACCOUNT', ({ account }) => account],
  ['CLIENT', ({ client }) => client],
  ['SINCE', ({ since }) => formatSecond(since)],
  ['UNTIL', ({ until }) => formatSecond(until)],
  ['SCOPES', ({ scopes }) => scopes.length],
];

/** `grant list`: what owners have connected, the newest first. */
export async function listGrants(store: GrantStores, options: GrantListOptions): Promise<CommandResult> {
  const { account, limit, now } = options;
  const accounts = await chooseAccounts(store, account);
  if ('exitCode' in accounts) return accounts;
  const named = await findNamed(store, options);
  if ('exitCode' in named) return named;
  const found = await store.oidc.listGrants({
    accountId: account,
    ownerId: named.owner?.id,
    clientId: named.client,
    nowSeconds: Math.floor(now / 1000),
    limit: limit + 1,
  });
  return showList('grants', await addOwners(store, found), limit, columns);
}

/** `grant revoke`: refresh tokens and access tokens are refused from the next request on. Audited, in the same transaction. */
export async function revokeGrants(
  store: GrantStores,
  choice: GrantChoice,
  now: EpochMilliseconds,
): Promise<CommandResult> {
  return 'grant' in choice ? revokeOne(store, choice.grant, now) : revokeNamed(store, choice, now);
}

async function revokeOne(store: GrantStores, grantId: string, now: EpochMilliseconds): Promise<CommandResult> {
  const [found] = await store.oidc.listGrants({ grantId, nowSeconds: Math.floor(now / 1000), limit: 1 });
  const [grant] = await addOwners(store, found === undefined ? [] : [found]);
  if (found === undefined || grant === undefined) {
    if (await store.oidc.isGrantRevoked(grantId))
      return done(`The grant ${grantId} is revoked already; nothing changed.`, { grant: grantId, revoked: 0 });
    return refused(`There is no grant ${grantId}, or it has ended.`);
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

async function revokeNamed(
  store: GrantStores,
  choice: Exclude<GrantChoice, { readonly grant: string }>,
  now: EpochMilliseconds,
): Promise<CommandResult> {
  const named = await findNamed(store, choice);
  if ('exitCode' in named) return named;
  const { owner, client } = named;
  const revoked = await revoke(
    store,
    { ownerId: owner?.id, clientId: client },
    {
      at: now,
      accountId: owner?.accountId ?? named.clientAccount ?? '',
      clientId: client ?? 'operator',
      ownerId: owner?.id ?? null,
    },
  );
  const whose = [owner && `that ${owner.email} gave`, client && `${owner ? '' : 'given to '}${client}`];
  const about = whose.filter(Boolean).join(' ');
  const count = revoked === 1 ? '1 grant' : `${revoked} grants`;
  const text = revoked === 0 ? `There is no grant ${about}.` : `Revoked ${count} ${about}.`;
  return done(text, { ...(owner && { owner: owner.email }), ...(client && { client }), revoked });
}

function revoke(
  { oidc }: GrantStores,
  of: Parameters<Store['oidc']['revokeGrants']>[0],
  audited: Pick<AuditEntry, 'at' | 'accountId' | 'clientId' | 'ownerId'>,
): Promise<number> {
  const nowSeconds = Math.floor(audited.at / 1000);
  const entry = { ...audited, action: 'revoke_grants', deviceId: null, requestId: null };
  return oidc.revokeGrants(of, nowSeconds, nowSeconds + revocationKeptSeconds, entry);
}

interface Named {
  readonly owner?: Owner;
  readonly client?: string;
  /** What its audit entries stand under: a partner has no account, and its id is no account's (RFC 9068, 5). */
  readonly clientAccount?: string;
}

/** Owner and client by the names of the options, or the refusal of one that is nobody's. */
async function findNamed(
  store: GrantStores,
  { owner: email, client: clientId }: { readonly owner?: string | undefined; readonly client?: string | undefined },
): Promise<Named | CommandResult> {
  const owner = email === undefined ? undefined : await findOwner(store, email);
  if (owner !== undefined && 'exitCode' in owner) return owner;
  const client = clientId === undefined ? undefined : await findClient(store, clientId);
  if (client !== undefined && 'exitCode' in client) return client;
  return {
    ...(owner && { owner }),
    ...(client && {
      client: client.clientId,
      clientAccount: JSON.parse(client.metadata).owner_account ?? client.clientId,
    }),
  };
}

async function addOwners({ owners }: GrantStores, grants: readonly GrantRecord[]) {
  const emails = new Map<string, string>();
  for (const { ownerId } of grants)
    if (!emails.has(ownerId)) emails.set(ownerId, (await owners.find(ownerId))?.email ?? ownerId);
  return grants.map((grant) => describe(grant, emails.get(grant.ownerId) ?? grant.ownerId));
}

function describe({ grantId, accountId, clientId, payload, expiresAt }: GrantRecord, owner: string) {
  // What the OAuth library keeps of a refresh token: `iiat` is the login, `iat` the last rotation.
  const { scope = '', iat, iiat = iat }: { scope?: string; iat: number; iiat?: number } = JSON.parse(payload);
  return {
    grant: grantId,
    owner,
    account: accountId,
    client: clientId,
    scopes: scope.split(' ').filter(Boolean),
    since: formatTime(iiat * 1000),
    until: formatTime(expiresAt * 1000),
  };
}
