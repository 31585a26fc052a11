import { type ContractDocument, followMember } from '@lockstep/json/json-pointer';
import type { Operation } from '../operation.ts';
import { readScheme } from './scheme.ts';

/**
 * The operation without those security alternatives that a request can't show completely, such as one with a client certificate. If
 * there is no other, the alternative stays, so that it does not become open.
 */
export function keepShown(document: ContractDocument, operation: Operation): Operation {
  const schemes = followMember(document, followMember(document, document, 'components'), 'securitySchemes');
  const shown = operation.security.filter((alternative) =>
    Object.keys(alternative).every((name) => readScheme(followMember(document, schemes, name)) !== undefined),
  );
  return shown.length === 0 ? operation : { ...operation, security: shown };
}
