import type { FindAccount, KoaContextWithOIDC } from 'oidc-provider';
import type { Owner } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { findLiveOwner } from '../log-in-owner.ts';
import { splitScopes } from '../scopes.ts';

/**
 * Finds the owner that a login, a code or a refresh token stands for. One who is disabled is as one who never existed, and so is a login
 * before the owner logged out everywhere: its session may have been saved again by a request that was under way, or have led to a code
 * whose grant was not there yet to be revoked. Refresh tokens end with their grants, and outlive a change of the password.
 */
export function createFindAccount(store: Pick<Store, 'owners' | 'accounts'>): FindAccount {
  return async (ctx, sub, token) => {
    const owner = await findLiveOwner(store, sub, readLoginTime(ctx, token));
    if (owner === undefined) return undefined;
    if (token?.kind === 'RefreshToken') keepOpenId(ctx);
    return { accountId: sub, claims: async () => describe(owner) };
  };
}

/** Epoch seconds, of a login that is not over yet. */
function readLoginTime({ oidc }: KoaContextWithOIDC, token: Parameters<FindAccount>[2]): number | undefined {
  if (token === undefined) return oidc.session?.loginTs;
  return token.kind === 'AuthorizationCode' ? token.authTime : undefined;
}

/** Everything that the scopes of a login can ask for; upstream leaves out what was not granted. */
function describe({ id, name, email, updatedAt }: Owner) {
  return { sub: id, name, preferred_username: email, updated_at: Math.floor(updatedAt / 1000) };
}

/** A refresh for fewer scopes has an ID token too. This is the first call of ours after upstream has compared the scopes. */
function keepOpenId({ oidc: { params } }: KoaContextWithOIDC): void {
  const scopes = splitScopes(params?.scope);
  if (params !== undefined && scopes.length > 0 && !scopes.includes('openid'))
    params.scope = ['openid', ...scopes].join(' ');
}
