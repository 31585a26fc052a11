import { createLocalJWKSet, errors, type JSONWebKeySet, type JWK, jwtVerify } from 'jose';
import { type Clock, systemClock } from '../clock.ts';
import type { Keys } from '../keys.ts';
import type { Principal } from '../principal.ts';
import type { Store } from '../store/store.ts';
import { readClaims, type TokenClaims } from './read-claims.ts';
import { createTokenCache } from './token-cache.ts';

export interface TokenVerifierOptions {
  readonly store: Pick<Store, 'principals'>;
  /** {auth_url}, the `iss` of our tokens. */
  readonly issuer: string;
  /** {base_url}, their `aud`. */
  readonly audience: string;
  readonly jwks: Keys['jwks'];
  /** Of the tokens' issuer: the system's, also where domain time is moved. */
  readonly clock?: Clock;
  /** How far clocks of two machines may be apart, in seconds; 5 when left out. */
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
 * Judges the access token of a resource request (RFC 9068, 4): signature and claims, then what may
 * have changed since: grant, client, owner, account. The latter are read on every request, in one statement, since revocation
 * is promised "at once"; a cached token is no exception. Nothing here looks at the raw token beyond its signature: the last
 * character of one has spare bits, so one token has several spellings.
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
    const claims = cached ?? (await prove(token, now));
    if (typeof claims === 'string') return refuse(claims);
    if (cached === undefined) cache.set(token, claims, now);
    return judge(claims);
  };

  async function prove(token: string, now: number): Promise<TokenClaims | TokenFault> {
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
      // Whatever is wrong with it, a token is never our fault: jose throws plain errors too where a header is absurd.
      return error instanceof errors.JWTExpired ? 'expired' : 'invalid';
    }
  }

  async function judge({ subject, clientId, issuedAt, scopes }: TokenClaims): Promise<Verified> {
    const found = await store.principals.find(clientId, subject);
    // `iat` has whole seconds: a token of the second in which others ended is refused, whether it came before or after.
    if (found === undefined || issuedAt * 1000 < found.tokensValidAfter) return refuse('revoked');
    const { accountId, trialEndsAt } = found;
    return { kind: 'good', principal: { accountId, clientId, trialEndsAt }, scopes };
  }
}

function refuse(reason: TokenFault): Verified {
  return { kind: 'bad', reason };
}

/** The public parts alone, whatever else the keys have. */
function publicJwks({ keys }: { readonly keys: readonly JWK[] }): JSONWebKeySet {
  return {
    keys: keys.map(({ kty, n, e, kid, alg, use }) => ({ kty, n, e, kid, alg, use }) as JWK),
  };
}
