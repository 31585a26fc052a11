import type { EpochMilliseconds } from '../clock.ts';
import { endOfPrevious } from '../oauth/client-secrets.ts';
import type { ClientRecord, Store } from '../store/store.ts';
import type { CommandResult } from './command.ts';
import { type Column, chooseAccounts, formatSecond, formatTime, type ListOptions, showList } from './listing.ts';

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
