import type { ClientMetadata } from 'oidc-provider';
import { generateSecret } from './client-secrets.ts';
import { hashSecret } from './hash-secret.ts';
import { isCallbackUrl, isLoopbackCallback } from './is-callback-url.ts';
import { apiScopes } from './scopes.ts';

interface AnyClient {
  readonly clientId: string;
  /** Shown on the consent page, 1 to 100 characters. */
  readonly name: string;
  /** Scopes of the resource API that it may have. When omitted, all, also those of later versions; when empty, none. */
  readonly scopes?: readonly string[];
  /** 32 random bytes when omitted. Given only if it must be the same at each start, as in the demo. */
  readonly secret?: string;
}

/** Acts for the account that it belongs to, by its own credentials. */
export interface OwnClient extends AnyClient {
  readonly kind: 'own';
  readonly ownerAccount: string;
}

/** Acts for owners who log in and consent. */
export interface PartnerClient extends AnyClient {
  readonly kind: 'partner';
  /** Static https addresses, compared byte for byte. */
  readonly redirectUris: readonly string[];
  /** Further http addresses of this machine, which an authorization server accepts only if configured: a mock. */
  readonly loopbackCallbacks?: readonly string[];
  /** Whether logins without PKCE (S256) are rejected; false when omitted. */
  readonly requirePkce?: boolean;
  /** Whether each refresh returns a new refresh token. When omitted, false: the token stays the same for its 365 days. */
  readonly rotateRefreshToken?: boolean;
}

export interface CreatedClient {
  readonly clientId: string;
  /** JSON for the client store, with the SHA-256 of the secret. */
  readonly metadata: string;
  /** Show it once: it can't be read again. */
  readonly secret: string;
}

/** All faults of the input, one text each. */
export class ClientFault extends Error {
  override readonly name = 'ClientFault';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`The client cannot be created: ${faults.join('; ')}`);
    this.faults = faults;
  }
}

/**
 * Creates the metadata of a new client, and its secret.
 *
 * @throws ClientFault with every fault at once; nothing is stored here
 */
export function createClientMetadata(input: OwnClient | PartnerClient): CreatedClient {
  const faults = [...findFaults(input), ...(input.kind === 'own' ? findOwnFaults(input) : findPartnerFaults(input))];
  if (faults.length > 0) throw new ClientFault(faults);
  const secret = input.secret ?? generateSecret();
  const metadata: ClientMetadata & Record<string, unknown> = {
    client_id: input.clientId,
    client_name: input.name,
    client_secret: hashSecret(secret),
    ...(input.scopes && { api_scopes: [...new Set(input.scopes)].join(' ') }),
    ...(input.kind === 'own'
      ? {
          grant_types: ['client_credentials'],
          response_types: [],
          redirect_uris: [],
          owner_account: input.ownerAccount,
        }
      : {
          redirect_uris: [...input.redirectUris, ...(input.loopbackCallbacks ?? [])],
          require_pkce: input.requirePkce === true,
          rotate_refresh_token: input.rotateRefreshToken === true,
        }),
  };
  return { clientId: input.clientId, metadata: JSON.stringify(metadata), secret };
}

function findFaults({ clientId, name, scopes = [], secret }: AnyClient): string[] {
  const unknown = scopes.filter((scope) => !apiScopes.includes(scope));
  return [
    // Basic credentials are form-decoded (RFC 6749, 2.3.1). This alphabet stays the same when form-encoded.
    ...(/^[A-Za-z0-9_-]{1,64}$/.test(clientId) ? [] : ['clientId must be 1 to 64 of A-Z, a-z, 0-9, _ and -']),
    // RFC 9068, 5: the subject of an own-account token must not be that of a login.
    ...(/^owner-[0-9a-f]{24}$/.test(clientId) ? ['clientId must not have the format of an owner id'] : []),
    ...(/^[^\p{C}]{1,100}$/u.test(name) && name.trim() === name && name !== ''
      ? []
      : ['name must be 1 to 100 printable characters, without spaces around it']),
    ...(unknown.length === 0 ? [] : [`scopes must be scopes of the API, these are not: ${unknown.join(', ')}`]),
    ...(secret === undefined || /^[A-Za-z0-9_-]{43,128}$/.test(secret)
      ? []
      : ['secret must be 43 to 128 of A-Z, a-z, 0-9, _ and - (32 random bytes in base64url)']),
  ];
}

function findOwnFaults({ ownerAccount, clientId }: OwnClient): string[] {
  return [
    ...(/^[\x21-\x7e]{1,64}$/.test(ownerAccount) ? [] : ['ownerAccount must be the id of an account']),
    // RFC 9068, 5: the client id is the subject of an own-account token, and must not be the id of an account.
    ...(ownerAccount === clientId ? ['clientId must not be the id of an account'] : []),
  ];
}

function findPartnerFaults({ redirectUris, loopbackCallbacks = [] }: PartnerClient): string[] {
  if (redirectUris.length === 0) return ['redirectUris must have at least one callback URL'];
  return [
    ...redirectUris
      .filter((uri) => !isCallbackUrl(uri))
      .map((uri) => `redirectUris must be static https URLs of at most 512 characters, this is not: ${uri}`),
    ...loopbackCallbacks
      .filter((uri) => !isLoopbackCallback(uri))
      .map(
        (uri) =>
          `loopbackCallbacks must be http URLs of this machine, as http://127.0.0.1:3000/callback, this is not: ${uri}`,
      ),
  ];
}
