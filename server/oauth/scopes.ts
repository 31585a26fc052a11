import contract from '@lockstep/contract/contract.json' with { type: 'json' };

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
