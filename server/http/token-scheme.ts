import { type ContractDocument, followMember } from '@lockstep/json/json-pointer';
import type { Operation } from '@lockstep/runtime/operation';
import { type BadReason, bearer, type Scheme } from '@lockstep/runtime/security/scheme';
import { errorCatalogue } from '../error-catalogue.ts';
import type { Principal } from '../principal.ts';

/** Verifies an access token: its principal and scopes, or why it is invalid. */
export type VerifyToken = (
  token: string,
) => Promise<
  | { readonly kind: 'good'; readonly principal: Principal; readonly scopes: ReadonlySet<string> }
  | { readonly kind: 'bad'; readonly reason: BadReason }
>;

/** The check of access tokens, with the texts of the catalogue. */
export function createTokenScheme(verifyToken: VerifyToken): Scheme<Principal> {
  return bearer(verifyToken, {
    missing: errorCatalogue.token_missing.text,
    invalid: errorCatalogue.token_invalid.text,
    expired: errorCatalogue.token_expired.text,
    revoked: errorCatalogue.token_revoked.text,
  });
}

/**
 * Requires an access token of our OAuth server for every operation of the resource API, and no other kind of credentials.
 *
 * @throws Error naming the operation with another security requirement
 */
export function requireTokens(document: ContractDocument, operations: readonly Operation[]): void {
  const schemes = followMember(document, followMember(document, document, 'components'), 'securitySchemes');
  for (const { operationId, security } of operations) {
    if (security.length === 0 || security.some((alternative) => Object.keys(alternative).length === 0))
      throw new Error(`${operationId}: security allows requests without credentials; require an oauth2 scheme`);
    for (const name of security.flatMap((alternative) => Object.keys(alternative))) {
      const { type } = followMember(document, schemes, name);
      if (type !== 'oauth2')
        throw new Error(`${operationId}: no check for the security scheme ${name} of type ${String(type)}`);
    }
  }
}
