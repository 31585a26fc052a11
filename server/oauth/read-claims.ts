import type { JWTPayload } from 'jose';
import type { Subject } from '../store/store.ts';
import { splitScopes } from './scopes.ts';

/** The claims of a verified access token. */
export interface TokenClaims {
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  /** Epoch seconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly subject: Subject;
}

/**
 * Reads the claims of a token whose signature, issuer, audience, type and times are verified.
 *
 * The subject of an own-account token is the client id (RFC 9068, 5), and its account is in `own`. The subject of a login is the owner, and
 * its grant is in `gid`. `scope` is absent if a login asked for `openid` alone (RFC 9068, 2.2.3).
 * @returns undefined if a claim is missing or of another type, or if the token has both or neither of `own` and `gid`
 */
export function readClaims({
  sub,
  client_id: clientId,
  scope,
  iat,
  exp,
  gid,
  own,
}: JWTPayload): TokenClaims | undefined {
  if (typeof sub !== 'string' || typeof clientId !== 'string') return undefined;
  if (scope !== undefined && typeof scope !== 'string') return undefined;
  if (typeof iat !== 'number' || typeof exp !== 'number') return undefined;
  const shared = { clientId, scopes: new Set(splitScopes(scope)), issuedAt: iat, expiresAt: exp };
  if (typeof own === 'string' && gid === undefined && sub === clientId)
    return { ...shared, subject: { kind: 'own', accountId: own } };
  if (typeof gid === 'string' && own === undefined)
    return { ...shared, subject: { kind: 'owner', ownerId: sub, grantId: gid } };
  return undefined;
}
