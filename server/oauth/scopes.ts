import contract from '@lockstep/contract/contract.json' with { type: 'json' };

const { flows } = contract.components.securitySchemes.oauth2;

/** The scopes of the resource API in the contract: those of a client's own credentials. */
export const apiScopes: readonly string[] = Object.freeze(Object.keys(flows.clientCredentials.scopes));

/** The further scopes of a login: `openid`, `profile`. */
export const openIdScopes: readonly string[] = Object.freeze(
  Object.keys(flows.authorizationCode.scopes).filter((scope) => !apiScopes.includes(scope)),
);

/** The scopes of a text in order, each once. */
export function splitScopes(text: unknown): string[] {
  return [...new Set(String(text ?? '').split(' '))].filter((scope) => scope !== '');
}
