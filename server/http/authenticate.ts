import type { IncomingMessage } from 'node:http';
import type { Operation } from '@lockstep/contract/operations';
import { type ContractDocument, followMember } from '@lockstep/json/json-pointer';
import { Refused, refuse } from '../error-catalogue.ts';
import type { Principal } from '../principal.ts';
import { challenges } from './challenge.ts';

/** Judges an `Authorization` header: who the request acts for, or what is wrong with the token. */
export type VerifyToken = (
  authorization: string | undefined,
) => Promise<
  { readonly ok: true; readonly principal: Principal } | { readonly ok: false; readonly code: keyof typeof challenges }
>;

export type Authenticate = (request: IncomingMessage) => Promise<Principal>;

/** Types of security schemes that the access token answers for. */
const checkedTypes: ReadonlySet<unknown> = new Set(['oauth2']);

/**
 * Makes the check of the access token. It stands for every scheme of the operations, so each must be of a type that it
 * knows: stock validators let a request through where a scheme has no check.
 *
 * @throws Error naming the operation whose scheme has no check, or that asks for no token at all
 */
export function createAuthentication(
  document: ContractDocument,
  operations: readonly Operation[],
  verifyToken: VerifyToken,
): Authenticate {
  const schemes = followMember(document, followMember(document, document, 'components'), 'securitySchemes');
  for (const { operationId, security } of operations) {
    if (security.length === 0 || security.some((alternative) => Object.keys(alternative).length === 0))
      throw new Error(`${operationId}: security lets anybody in; every operation needs an access token`);
    for (const name of security.flatMap((alternative) => Object.keys(alternative))) {
      const { type } = followMember(document, schemes, name);
      if (!checkedTypes.has(type))
        throw new Error(`${operationId}: no check for the security scheme ${name} of type ${String(type)}`);
    }
  }
  return async ({ headersDistinct: { authorization = [] } }) => {
    // Node keeps the first of two Authorization headers: which of them a proxy in front has judged is unknown.
    const verified =
      authorization.length > 1
        ? { ok: false as const, code: 'token_invalid' as const }
        : await verifyToken(authorization[0]);
    if (verified.ok) return verified.principal;
    const { code } = verified;
    throw new Refused(refuse(code, { headers: { 'WWW-Authenticate': challenges[code] } }));
  };
}
