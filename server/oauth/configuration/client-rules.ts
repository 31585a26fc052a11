import { type Client, type Configuration, errors } from 'oidc-provider';
import { secretProperties } from '../client-secrets.ts';
import { isCallbackUrl } from '../is-callback-url.ts';
import { splitScopes } from '../scopes.ts';

/** Members of a client's metadata besides those of RFC 7591; `createClientMetadata` and `rotateSecret` write them. */
const ownProperties = [
  'require_pkce',
  'rotate_refresh_token',
  'api_scopes',
  'owner_account',
  ...secretProperties,
] as const;

/** @param loopbackCallbacks allowed in addition to https callbacks, byte for byte */
export function createClientRules(loopbackCallbacks: readonly string[]) {
  const isAllowed = (uri: string): boolean => isCallbackUrl(uri) || loopbackCallbacks.includes(uri);
  return {
    properties: ownProperties,
    /** Checked on each use, so that a row that was edited by hand is rejected too. Upstream accepts `http:` for web clients. */
    validator(_ctx, key, _value, metadata) {
      // Upstream calls this for each property; the first call is enough.
      if (key !== ownProperties[0]) return;
      if (!metadata.redirect_uris?.every(isAllowed)) {
        throw new errors.InvalidClientMetadata('redirect_uris must be static https URLs');
      }
      const isOwn = metadata.grant_types?.includes('client_credentials') === true;
      if (isOwn !== (typeof metadata.owner_account === 'string')) {
        throw new errors.InvalidClientMetadata('client_credentials and owner_account go together');
      }
    },
  } satisfies Configuration['extraClientMetadata'];
}

/** The scopes of the API that a client may have: all if its registration has no list, none if the list is empty. */
export function readClientScopes(client: Client, apiScopes: readonly string[]): readonly string[] {
  const { api_scopes: registered } = client;
  if (registered === undefined) return apiScopes;
  const names = splitScopes(registered);
  return apiScopes.filter((scope) => names.includes(scope));
}

/**
 * The scopes to grant: the requested ones, or all available ones if none was requested.
 *
 * @throws InvalidScope with each unavailable scope: one of them rejects the whole request
 */
export function grantScopes(asked: readonly string[], available: readonly string[]): readonly string[] {
  const unavailable = asked.filter((scope) => !available.includes(scope));
  if (unavailable.length > 0) {
    throw new errors.InvalidScope(`${unavailable.join(' ').slice(0, 900)} is unavailable`, unavailable.join(' '));
  }
  if (available.length === 0) throw new errors.InvalidScope('no scope is available to this client', '');
  return asked.length > 0 ? asked : available;
}
