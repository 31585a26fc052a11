/** Beyond this an `Authorization` header is not looked into: the longest token that the contract allows, with room for the scheme. */
export const maxHeaderBytes = 8192;

export type ParsedBearer = { readonly token: string } | { readonly code: 'token_missing' | 'token_invalid' };

/**
 * Takes the token out of an `Authorization` header (RFC 6750, 2.1; the scheme in any case, RFC 9110, 11.1).
 *
 * @returns `token_missing` where there is no header or one of another scheme: no bearer token was sent (RFC 6750, 3.1);
 *   `token_invalid` where one was meant and is not there, too long, or more than one
 */
export function parseBearer(authorization: string | undefined): ParsedBearer {
  if (authorization === undefined || authorization === '') return { code: 'token_missing' };
  if (authorization.length > maxHeaderBytes) return { code: 'token_invalid' };
  if (!/^bearer(?: |$)/i.test(authorization)) return { code: 'token_missing' };
  const token = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1];
  return token === undefined ? { code: 'token_invalid' } : { token };
}
