import { isDeepStrictEqual } from 'node:util';
import { type CommandResult, done, refused } from '@lockstep/shell/command-result';
import type { EpochMilliseconds } from '../clock.ts';
import { endOfPrevious } from '../oauth/client-secrets.ts';
import {
  ClientFault,
  createClientMetadata,
  type OwnClient,
  type PartnerClient,
} from '../oauth/create-client-metadata.ts';
import type { ClientRecord, Store } from '../store/store.ts';
import { type Found, nearestOf } from './command.ts';
import { type Column, chooseAccounts, formatSecond, formatTime, type ListOptions, showList } from './listing.ts';

/** What `client create` sets, by the option that says so. */
const options = {
  client_name: '--name',
  owner_account: '--account',
  redirect_uris: '--redirect-uri',
  api_scopes: '--scope',
  require_pkce: '--require-pkce',
  rotate_refresh_token: '--rotate-refresh-token',
} as const;

/**
 * `client create`: the secret is shown now and never again; the store keeps its SHA-256. Run again it changes nothing, and is refused where
 * it says something else than the first time.
 */
export async function createClient(store: Store, input: OwnClient | PartnerClient): Promise<CommandResult> {
  try {
    const { clientId, metadata, secret } = createClientMetadata(input);
    if (input.kind === 'own' && (await store.accounts.find(input.ownerAccount)) === undefined) {
      const known = (await store.accounts.list()).map(({ id }) => id);
      return refused(`There is no account ${input.ownerAccount}${nearestOf(input.ownerAccount, known)}`);
    }
    // The subject of an own-account token is the client's id, which must be no account's (RFC 9068, 5).
    if ((await store.accounts.find(clientId)) !== undefined)
      return refused(`${clientId} is the id of an account: give the client another, such as ${clientId}-client`);
    if (!(await store.clients.create({ clientId, metadata }))) {
      const differing = findDifferences((await store.clients.find(clientId))?.metadata ?? '{}', metadata);
      if (differing.length > 0)
        return refused(
          `The client ${clientId} exists already and differs in ${differing.join(', ')}; nothing changed. Give it another id.`,
          { clientId, created: false, differing },
        );
      return done(`The client ${clientId} exists already; nothing changed, and its secret can't be shown again.`, {
        clientId,
        created: false,
      });
    }
    return done(`Created the client ${clientId}. Its secret, shown this once:\n${secret}`, {
      clientId,
      secret,
      created: true,
    });
  } catch (error) {
    if (error instanceof ClientFault) return refused(error.faults.join('\n'), { faults: error.faults });
    throw error;
  }
}

/** Names of the options in which the two differ. The order of scopes and addresses says nothing. */
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

/** `client disable` and `client enable`: in force with the next request, at the API and at the token endpoint. Run again, nothing changes. */
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

/** `client list`: by id. Of its secrets it shows when one was rotated and until when the old one works. */
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
    /** Null: all, those of later versions too. */
    scopes: kept.api_scopes === undefined ? null : (kept.api_scopes.split(' ').filter(Boolean) as string[]),
    disabled: disabledAt !== null,
    redirectUris: kept.redirect_uris as string[],
    // What a client without a login has none of.
    requirePkce: isOwn ? null : kept.require_pkce === true,
    rotateRefreshToken: isOwn ? null : kept.rotate_refresh_token === true,
    secretRotatedAt: readTime(kept.secret_rotated_at),
    previousSecretUntil: readTime(until),
  };
}

/** The client, or the refusal of an id that is none. */
export async function findClient({ clients }: Pick<Store, 'clients'>, clientId: string): Promise<Found<ClientRecord>> {
  const client = await clients.find(clientId);
  if (client !== undefined) return { kind: 'found', item: client };
  const known = (await clients.list()).map((one) => one.clientId);
  return refused(`There is no client ${clientId}${nearestOf(clientId, known)}`);
}
