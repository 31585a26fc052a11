import type { FindAccount, KoaContextWithOIDC } from 'oidc-provider';
import type { Owner } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { findLiveOwner } from '../log-in-owner.ts';
import { splitScopes } from '../scopes.ts';

/**
 * Finds the owner of a session, a code or a refresh token. A disabled owner is treated as unknown, and so is a login before the owner logged
 * out everywhere: a concurrent request may have saved its session again, or created a code whose grant was not stored yet. Refresh tokens
 * are revoked with their grants, and stay valid after a change of the password.
 */
export function createFindAccount(store: Pick<Store, 'owners' | 'accounts'>): FindAccount {
  return async (ctx, sub, token) => {
    const owner = await findLiveOwner(store, sub, readLoginTime(ctx, token));
    if (owner === undefined) return undefined;
    if (token?.kind === 'RefreshToken') keepOpenId(ctx);
    return { accountId: sub, claims: async () => describe(owner) };
  };
}

/** Time of the login in epoch seconds, for sessions and codes. */
function readLoginTime({ oidc }: KoaContextWithOIDC, token: Parameters<FindAccount>[2]): number | undefined {
  if (token === undefined) return oidc.session?.loginTs;
  return token.kind === 'AuthorizationCode' ? token.authTime : undefined;
}

/** The claims of all scopes of a login; upstream removes those that were not granted. */
function describe({ id, name, email, updatedAt }: Owner) {
  return { sub: id, name, preferred_username: email, updated_at: Math.floor(updatedAt / 1000) };
}

/** A refresh for fewer scopes returns an ID token too. This is the first hook after upstream has compared the scopes. */
function keepOpenId({ oidc: { params } }: KoaContextWithOIDC): void {
  const scopes = splitScopes(params?.scope);
  if (params !== undefined && scopes.length > 0 && !scopes.includes('openid'))
    params.scope = ['openid', ...scopes].join(' ');
}
