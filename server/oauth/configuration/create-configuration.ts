import type { Configuration } from 'oidc-provider';
import type { Keys } from '../../keys.ts';
import type { Store } from '../../store/store.ts';
import { type AdapterStore, OidcAdapter } from '../adapter.ts';
import { lifetimes } from '../lifetimes.ts';
import { languages } from '../pages/index.ts';
import { openIdScopes } from '../scopes.ts';
import { createClientRules } from './client-rules.ts';
import { createInteractionPolicy, createLoadGrant } from './consent.ts';
import { createFindAccount } from './find-account.ts';
import { createLoginParameters } from './login-parameters.ts';
import { renderError } from './render-error.ts';
import { createResourceServer } from './resource-server.ts';

export type ConfigurationStore = AdapterStore & Pick<Store, 'owners' | 'audit'>;

export interface ConfigurationOptions {
  /** Absolute, without trailing slash: the `iss` of every token. */
  readonly issuer: string;
  /** Base URL of the resource API: the `aud` of every access token. */
  readonly resource: string;
  readonly store: ConfigurationStore;
  readonly keys: Pick<Keys, 'jwks' | 'cookieKeys'>;
  readonly apiScopes: readonly string[];
  /** Allowed callback URLs without https; see `AuthServerOptions`. */
  readonly loopbackCallbacks: readonly string[];
  /** Lifetime of the next access token, in seconds; a day when omitted. */
  readonly accessTokenSeconds?: (() => number) | undefined;
}

const off = { enabled: false } as const;

const cookie = { httpOnly: true, sameSite: 'lax', signed: true } as const;

/**
 * The cookie with the id of a browser session. Its path is the folder of the issuer: `/` for `/auth`. Issuers of one origin below different folders, as in
 * a mock, have a session each. Over plain http cookies are not Secure, and browsers drop a `__Host-` name without Secure, or below a folder.
 */
export function describeSessionCookie(issuer: string) {
  const { pathname: path, protocol } = new URL('.', issuer);
  return { name: protocol === 'https:' && path === '/' ? '__Host-session' : 'session', options: { ...cookie, path } };
}

/** The configuration of oidc-provider. Behaviour that has no option is in `middleware/`. */
export function createConfiguration(options: ConfigurationOptions): Configuration {
  const { issuer, resource, store, keys, apiScopes, loopbackCallbacks, accessTokenSeconds } = options;
  const base = new URL(issuer).pathname.replace(/\/$/, '');
  const session = describeSessionCookie(issuer);
  return {
    adapter: (model: string) => new OidcAdapter(model, store),
    jwks: { keys: keys.jwks.keys.map((key) => ({ ...key })) },
    cookies: {
      keys: [...keys.cookieKeys],
      long: session.options,
      short: cookie,
      names: {
        session: session.name,
        interaction: '_interaction',
        resume: '_resume',
      },
    },
    routes: {
      authorization: '/login',
      token: '/oauth2/token',
      jwks: '/.well-known/jwks.json',
      revocation: '/oauth2/revoke',
    },
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic'],
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      id_token_signed_response_alg: 'RS256',
    },
    scopes: [...openIdScopes],
    claims: { openid: ['sub'], profile: ['name', 'preferred_username', 'updated_at'] },
    // The ID token contains the claims of `profile`, since there is no user info endpoint.
    conformIdTokenClaims: false,
    allowOmittingSingleRegisteredRedirectUri: false,
    pkce: { required: (_ctx, client) => client.require_pkce === true },
    extraClientMetadata: createClientRules(loopbackCallbacks),
    extraParams: createLoginParameters(apiScopes),
    features: {
      devInteractions: off,
      userinfo: off,
      rpInitiatedLogout: off,
      claimsParameter: off,
      pushedAuthorizationRequests: off,
      dPoP: off,
      introspection: off,
      clientCredentials: { enabled: true },
      revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => client.clientId === token.clientId },
      resourceIndicators: createResourceServer(resource, apiScopes),
    },
    extraTokenClaims: async (_ctx, token) =>
      token.kind === 'ClientCredentials'
        ? { own: token.client?.owner_account }
        : { gid: 'grantId' in token ? token.grantId : undefined },
    // Tokens outlive the browser session, to which upstream would bind them.
    expiresWithSession: async () => false,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // The service interface allows repeated refreshes with the same token.
    rotateRefreshToken: (ctx) => ctx.oidc.client?.rotate_refresh_token === true,
    loadExistingGrant: createLoadGrant(store),
    ttl: {
      ...lifetimes,
      ...(accessTokenSeconds && { AccessToken: accessTokenSeconds, ClientCredentials: accessTokenSeconds }),
    },
    interactions: {
      url: (_ctx, interaction) => `${base}/interaction/${interaction.uid}`,
      policy: createInteractionPolicy(),
    },
    discovery: { ui_locales_supported: [...languages], prompt_values_supported: ['none', 'login', 'consent'] },
    findAccount: createFindAccount(store),
    clientBasedCORS: () => false,
    renderError,
  };
}
