import type { EpochMilliseconds } from '../clock.ts';
import type { GrantRecord, Store } from '../store/store.ts';
import type { ConnectedApp } from './pages/index.ts';
import { splitScopes } from './scopes.ts';
import { whenAvailable } from './unavailable.ts';

/** The access that a client has by one refresh token. */
export interface HeldGrant {
  readonly grantId: string;
  readonly ownerId: string;
  readonly accountId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly since: EpochMilliseconds;
  readonly until: EpochMilliseconds;
}

/** Reads upstream's payload of a refresh token; with rotation, `iiat` is the time of the first token. */
export function readGrant({ grantId, ownerId, accountId, clientId, payload, expiresAt }: GrantRecord): HeldGrant {
  const { scope, iat, iiat = iat }: { scope?: string; iat: number; iiat?: number } = JSON.parse(payload);
  const scopes = splitScopes(scope);
  return { grantId, ownerId, accountId, clientId, scopes, since: iiat * 1000, until: expiresAt * 1000 };
}

/** Far above real numbers, and more than a page can usefully list. */
const mostGrants = 1000;

/** The clients that can act for an owner, newest login first. */
export async function listConnectedApps(
  { oidc, clients }: Pick<Store, 'oidc' | 'clients'>,
  ownerId: string,
): Promise<readonly ConnectedApp[]> {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const grants = (await whenAvailable(oidc.listGrants({ ownerId, nowSeconds, limit: mostGrants }))).map(readGrant);
  const byClient = [...Map.groupBy(grants, ({ clientId }) => clientId)];
  return Promise.all(
    byClient.map(async ([clientId, held]) => {
      const client = await whenAvailable(clients.find(clientId));
      const { client_name: name = clientId } = JSON.parse(client?.metadata ?? '{}') as { client_name?: string };
      return {
        client: { id: clientId, name },
        scopes: [...new Set(held.flatMap(({ scopes }) => scopes))],
        since: Math.min(...held.map(({ since }) => since)),
        until: Math.max(...held.map(({ until }) => until)),
      };
    }),
  );
}
