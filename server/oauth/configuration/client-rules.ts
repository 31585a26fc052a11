import { type Client, type Configuration, errors } from 'oidc-provider';
import { secretProperties } from '../client-secrets.ts';
import { isCallbackUrl } from '../is-callback-url.ts';
import { splitScopes } from '../scopes.ts';

/** What a client may have beside the metadata of RFC 7591; kept by `createClientMetadata` and `rotateSecret`. */
const ownProperties = [
  'require_pkce',
  'rotate_refresh_token',
  'api_scopes',
  'owner_account',
  ...secretProperties,
] as const;

/** @param loopbackCallbacks allowed beside https ones, byte for byte */
export function createClientRules(loopbackCallbacks: readonly string[]) {
  const isAllowed = (uri: string): boolean => isCallbackUrl(uri) || loopbackCallbacks.includes(uri);
  return {
    properties: ownProperties,
    /** Looked at on each use, so that a row changed by hand opens nothing either. Upstream takes `http:` for web clients. */
    validator(_ctx, key, _value, metadata) {
      // Called once for each of the properties: on the first is enough.
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

/** The scopes of the API that a client may have: all where its registration names none, none where it names an empty list. */
export function readClientScopes(client: Client, apiScopes: readonly string[]): readonly string[] {
  const { api_scopes: registered } = client;
  if (registered === undefined) return apiScopes;
  const names = splitScopes(registered);
  return apiScopes.filter((scope) => names.includes(scope));
}

/**
 * What is granted: everything asked for, or all that is available where nothing was.
 *
 * @throws InvalidScope naming each one that is not available: one refuses the whole request
 */
export function grantScopes(asked: readonly string[], available: readonly string[]): readonly string[] {
  const refused = asked.filter((scope) => !available.includes(scope));
  if (refused.length > 0) {
    throw new errors.InvalidScope(`${refused.join(' ').slice(0, 900)} is unavailable`, refused.join(' '));
  }
  if (available.length === 0) throw new errors.InvalidScope('no scope is available to this client', '');
  return asked.length > 0 ? asked : available;
}
