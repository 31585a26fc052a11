import { type ContractDocument, followMember } from '@lockstep/json/json-pointer';
import type { Operation } from '../operation.ts';
import { readScheme } from './scheme.ts';

/**
 * The operation without the alternatives of its security that no request shows whole, as one that asks for a client's certificate. Where
 * there is no other it stays as it is: nobody may come in by that.
 */
export function keepShown(document: ContractDocument, operation: Operation): Operation {
  const schemes = followMember(document, followMember(document, document, 'components'), 'securitySchemes');
  const shown = operation.security.filter((alternative) =>
    Object.keys(alternative).every((name) => readScheme(followMember(document, schemes, name)) !== undefined),
  );
  return shown.length === 0 ? operation : { ...operation, security: shown };
}
