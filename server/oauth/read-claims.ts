import type { JWTPayload } from 'jose';
import type { Subject } from '../store/store.ts';
import { splitScopes } from './scopes.ts';

/** What a verified access token says, in our words. */
export interface TokenClaims {
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  /** Epoch seconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly subject: Subject;
}

/**
 * Reads the claims of a token whose signature, issuer, audience, type and times are proven.
 *
 * An own-account token has the client id as its subject (RFC 9068, 5), so its account is `own`; a login has the owner, and `gid`.
 * `scope` is absent where a login asked for `openid` alone (RFC 9068, 2.2.3).
 * @returns undefined where a claim is missing or of another type, or where it is both or neither of the two
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
