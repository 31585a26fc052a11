import type { FindAccount, KoaContextWithOIDC } from 'oidc-provider';
import type { AdapterStore } from '../adapter.ts';
import { splitScopes } from '../scopes.ts';
import { whenAvailable } from '../unavailable.ts';

/** Finds who a login or a refresh token stands for. A disabled account is as one that never existed. */
export function createFindAccount({ accounts }: Pick<AdapterStore, 'accounts'>): FindAccount {
  return async (ctx, sub, token) => {
    const account = await whenAvailable(accounts.find(sub));
    if (account?.disabledAt !== null) return undefined;
    if (token?.kind === 'RefreshToken') keepOpenId(ctx);
    return { accountId: sub, claims: async () => ({ sub, name: account.name }) };
  };
}

/** A refresh for fewer scopes has an ID token too. This is the first call of ours after upstream has compared the scopes. */
function keepOpenId({ oidc: { params } }: KoaContextWithOIDC): void {
  const scopes = splitScopes(params?.scope);
  if (params !== undefined && scopes.length > 0 && !scopes.includes('openid'))
    params.scope = ['openid', ...scopes].join(' ');
}
