import type { ClientMetadata } from 'oidc-provider';
import { generateSecret } from './client-secrets.ts';
import { hashSecret } from './hash-secret.ts';
import { isCallbackUrl, isLoopbackCallback } from './is-callback-url.ts';
import { apiScopes } from './scopes.ts';

interface AnyClient {
  readonly clientId: string;
  /** Shown on the consent page, 1 to 100 characters. */
  readonly name: string;
  /** Scopes of the resource API it may have. Left out: all, those of later versions too. Empty: none. */
  readonly scopes?: readonly string[];
  /** Left out: 32 random bytes. Given only where it must be the same at each start, as in the demo. */
  readonly secret?: string;
}

/** Acts for the one account it belongs to, with its own credentials alone. */
export interface OwnClient extends AnyClient {
  readonly kind: 'own';
  readonly ownerAccount: string;
}

/** Acts for whoever logs in and consents. */
export interface PartnerClient extends AnyClient {
  readonly kind: 'partner';
  /** Static https addresses, compared byte for byte. */
  readonly redirectUris: readonly string[];
  /** http addresses of this machine besides, which only an authorization server that was told of them takes: a mock. */
  readonly loopbackCallbacks?: readonly string[];
  /** Refuses logins without PKCE (S256). Left out: false. */
  readonly requirePkce?: boolean;
  /** Gives a new refresh token at each refresh. Left out: false, the token stays the same for its 365 days. */
  readonly rotateRefreshToken?: boolean;
}

export interface CreatedClient {
  readonly clientId: string;
  /** JSON for the client store; holds the SHA-256 of the secret. */
  readonly metadata: string;
  /** To be shown once: nobody can read it again. */
  readonly secret: string;
}

/** Everything that is wrong with the input, one text each. */
export class ClientFault extends Error {
  override readonly name = 'ClientFault';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`The client cannot be created: ${faults.join('; ')}`);
    this.faults = faults;
  }
}

/**
 * Makes what a client store keeps of a new client, and its secret.
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
    // Basic credentials are form-decoded by RFC 6749, 2.3.1: in this alphabet a client that forgets to encode is right too.
    ...(/^[A-Za-z0-9_-]{1,64}$/.test(clientId) ? [] : ['clientId must be 1 to 64 of A-Z, a-z, 0-9, _ and -']),
    // RFC 9068, 5: nor may the subject of an own-account token be that of a login.
    ...(/^owner-[0-9a-f]{24}$/.test(clientId) ? ['clientId must not have the form of an owner id'] : []),
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
    // RFC 9068, 5: an own-account token has the client id as its subject, which must be no account's.
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
