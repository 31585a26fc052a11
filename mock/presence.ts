import { type ContractDocument, followMember } from '@lockstep/json/json-pointer';
import { apiKey, basic, bearer, readScheme, type Scheme } from '@lockstep/runtime/security/scheme';

/** Who a mock's handlers act for: nobody they know anything of. */
export type AnyPrincipal = object;

const anybody = { kind: 'good', principal: {} } as const;

const anyOf = {
  bearer: bearer<AnyPrincipal>(() => anybody),
  basic: basic<AnyPrincipal>(() => anybody),
  apiKey: apiKey<AnyPrincipal>(() => anybody),
} as const;

/**
 * Schemes that look whether credentials are there and well-formed, one for each of the contract. Their value and scopes are not judged:
 * any token passes.
 */
export function createPresenceSchemes(document: ContractDocument): Readonly<Record<string, Scheme<AnyPrincipal>>> {
  const schemes = followMember(document, followMember(document, document, 'components'), 'securitySchemes');
  return Object.fromEntries(
    Object.keys(schemes).flatMap((name) => {
      const declared = readScheme(followMember(document, schemes, name));
      return declared === undefined ? [] : [[name, anyOf[declared.takes]]];
    }),
  );
}
