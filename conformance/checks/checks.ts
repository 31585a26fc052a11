import type { ContractProblem } from '../contract/contract.ts';
import { type Failure, normaliseBody } from '../failures/failure.ts';
import { bodySchema } from './body-schema.ts';
import type { Check, ExchangeCheck } from './check.ts';
import { httpLaw } from './http-laws.ts';
import { internalsLeaked, sensitiveLeak, writeOnlyExposed } from './leaks.ts';
import { headerSchema, mediaType, statusUndocumented } from './response-head.ts';
import { noAnswer, serverError, slow } from './server-failure.ts';

/** Judged before any request: what an answer says has no part in it. */
export const contractItself: ExchangeCheck = {
  name: 'contract',
  about: 'a part of the contract that breaks a MUST of OpenAPI or JSON Schema; the rest is tested all the same',
  plan: () => [],
  judge: () => [],
};

/** Every check, in the order in which its findings are told: what breaks a client most comes first. */
export const checks: readonly Check[] = [
  noAnswer,
  serverError,
  statusUndocumented,
  mediaType,
  bodySchema,
  headerSchema,
  writeOnlyExposed,
  sensitiveLeak,
  httpLaw,
  internalsLeaked,
  slow,
  contractItself,
];

/** Undefined for what no norm forbids: that is a warning. */
export function failureOf({ pointer, message, fix, breaks }: ContractProblem): Failure | undefined {
  if (breaks === undefined) return undefined;
  return {
    check: 'contract',
    // Against mere advice of a norm there may be a reason.
    severity: /\bSHOULD\b/.test(breaks) ? 'suspect' : 'defect',
    place: 'contract',
    pointer,
    keyword: pointer.split('/').at(-1) ?? '',
    clause: breaks,
    message: `${message} ${fix}`,
    causes: [[breaks, normaliseBody(message)]],
  };
}
