import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { errors } from 'oidc-provider';

const { flows } = contract.components.securitySchemes.oauth2;

/** The scopes of the resource API, as the contract declares them: those that a client's own credentials can have. */
export const apiScopes: readonly string[] = Object.freeze(Object.keys(flows.clientCredentials.scopes));

/** What a login has besides: `openid`, `profile`. */
export const openIdScopes: readonly string[] = Object.freeze(
  Object.keys(flows.authorizationCode.scopes).filter((scope) => !apiScopes.includes(scope)),
);

/** A scope text as a list, in its order, each once. */
export function splitScopes(text: unknown): string[] {
  return [...new Set(String(text ?? '').split(' '))].filter((scope) => scope !== '');
}

/**
 * What is granted: everything asked for, or all that is available where nothing was.
 *
 * @throws InvalidScope naming each one that is not available: one refuses the whole request
 */
export function grantScopes(asked: readonly string[], available: readonly string[]): readonly string[] {
  const refused = asked.filter((scope) => !available.includes(scope));
  if (refused.length > 0) {
    throw new errors.InvalidScope(`${refused.join(' ').slice(0, 900)} is unavailable`, refused.join(' '));
  }
  if (available.length === 0) throw new errors.InvalidScope('no scope is available to this client', '');
  return asked.length > 0 ? asked : available;
}
