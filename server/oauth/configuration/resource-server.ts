import { type Configuration, errors } from 'oidc-provider';
import { accessTokenSeconds } from '../lifetimes.ts';
import { splitScopes } from '../scopes.ts';
import { grantScopes, readClientScopes } from './client-rules.ts';

/**
 * The API as the only resource of tokens (RFC 8707). Its scopes are declared here and not in `scopes`, since upstream assigns those to its
 * own user info endpoint.
 */
export function createResourceServer(resource: string, apiScopes: readonly string[]) {
  return {
    enabled: true,
    defaultResource: async () => resource,
    // Without it a login with `openid` gets an opaque token for a user info endpoint that does not exist.
    useGrantedResource: async () => true,
    async getResourceServerInfo(ctx, indicator, client) {
      if (indicator !== resource) throw new errors.InvalidTarget('resource is unknown');
      const { params } = ctx.oidc;
      const available = readClientScopes(client, apiScopes);
      // Done here and not in `defaultResource`, which upstream skips if the client sends `resource`.
      if (params?.grant_type === 'client_credentials') {
        params.scope = grantScopes(splitScopes(params.scope), available).join(' ');
      }
      return {
        scope: available.join(' '),
        audience: resource,
        accessTokenTTL: accessTokenSeconds,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256' } },
      };
    },
  } satisfies NonNullable<Configuration['features']>['resourceIndicators'];
}
