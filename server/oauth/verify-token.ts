import { createLocalJWKSet, errors, type JSONWebKeySet, type JWK, jwtVerify } from 'jose';
import { type Clock, systemClock } from '../clock.ts';
import type { Keys } from '../keys.ts';
import type { Principal } from '../principal.ts';
import type { Store } from '../store/store.ts';
import { readClaims, type TokenClaims } from './read-claims.ts';
import { createTokenCache } from './token-cache.ts';

export interface TokenVerifierOptions {
  readonly store: Pick<Store, 'principals'>;
  /** {auth_url}, the `iss` of access tokens. */
  readonly issuer: string;
  /** {base_url}, their `aud`. */
  readonly audience: string;
  readonly jwks: Keys['jwks'];
  /** The clock of the tokens' issuer: the system clock, also if domain time is moved. */
  readonly clock?: Clock;
  /** Allowed clock skew between two machines, in seconds; 5 when omitted. */
  readonly clockTolerance?: number;
}

export type TokenFault = 'invalid' | 'expired' | 'revoked';

export type Verified =
  /** Scopes as `serviceapi/get-devices`. */
  | { readonly kind: 'good'; readonly principal: Principal; readonly scopes: ReadonlySet<string> }
  | { readonly kind: 'bad'; readonly reason: TokenFault };

/** @param token of a bearer header, without its scheme */
export type TokenVerifier = (token: string) => Promise<Verified>;

const usualTolerance = 5;

/**
 * Verifies the access token of a resource request (RFC 9068, 4): signature and claims, then grant, client, owner and account, which may have
 * changed since. These are read on every request in one statement, also for a cached token, since a revocation takes effect "at once". After
 * the signature the raw token is not used, since the last character has spare bits: one token has several spellings.
 *
 * @throws StoreUnavailable when the store cannot be asked
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { store, issuer, audience, clock = systemClock, clockTolerance = usualTolerance } = options;
  const keySet = createLocalJWKSet(publicJwks(options.jwks));
  const cache = createTokenCache();

  return async (token) => {
    const now = clock.now();
    const cached = cache.get(token, now);
    const claims = cached ?? (await verify(token, now));
    if (typeof claims === 'string') return reject(claims);
    if (cached === undefined) cache.set(token, claims, now);
    return judge(claims);
  };

  async function verify(token: string, now: number): Promise<TokenClaims | TokenFault> {
    try {
      const { payload } = await jwtVerify(token, keySet, {
        issuer,
        audience,
        typ: 'at+jwt',
        algorithms: ['RS256'],
        clockTolerance,
        currentDate: new Date(now),
        requiredClaims: ['exp', 'iat', 'sub', 'jti', 'client_id'],
      });
      return readClaims(payload) ?? 'invalid';
    } catch (error) {
      // An invalid token is never a bug of this code, although jose also throws plain errors for some malformed headers.
      return error instanceof errors.JWTExpired ? 'expired' : 'invalid';
    }
  }

  async function judge({ subject, clientId, issuedAt, scopes }: TokenClaims): Promise<Verified> {
    const found = await store.principals.find(clientId, subject);
    // `iat` has whole seconds: a token from the second of a revocation is rejected, whether it was issued before or after.
    if (found === undefined || issuedAt * 1000 < found.tokensValidAfter) return reject('revoked');
    const { accountId, trialEndsAt } = found;
    return { kind: 'good', principal: { accountId, clientId, trialEndsAt }, scopes };
  }
}

function reject(reason: TokenFault): Verified {
  return { kind: 'bad', reason };
}

/** Picks the public parts of the keys. */
function publicJwks({ keys }: { readonly keys: readonly JWK[] }): JSONWebKeySet {
  return {
    keys: keys.map(({ kty, n, e, kid, alg, use }) => ({ kty, n, e, kid, alg, use }) as JWK),
  };
}
