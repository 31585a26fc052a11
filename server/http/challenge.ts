/** `WWW-Authenticate` of RFC 6750, 3: no `error` where no token was sent. */
const realm = 'Bearer realm="serviceapi"';

export const challenges = {
  token_missing: realm,
  token_invalid: `${realm}, error="invalid_token"`,
  token_expired: `${realm}, error="invalid_token"`,
  token_revoked: `${realm}, error="invalid_token"`,
} as const;

/** @param scopes those that are missing, as RFC 6749, 3.3 writes them */
export function challengeScope(scopes: readonly string[]): string {
  return `${realm}, error="insufficient_scope", scope="${scopes.join(' ')}"`;
}
