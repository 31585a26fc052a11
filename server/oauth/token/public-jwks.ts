import type { JSONWebKeySet, JWK } from 'jose';

/** The public parts alone, whatever else the keys have. */
export function publicJwks({ keys }: { readonly keys: readonly JWK[] }): JSONWebKeySet {
  return {
    keys: keys.map(({ kty, n, e, kid, alg, use }) => ({ kty, n, e, kid, alg, use }) as JWK),
  };
}
