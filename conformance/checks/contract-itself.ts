import type { ContractProblem } from '../contract/contract.ts';
import { type Failure, normaliseBody } from '../failures/failure.ts';
import type { ExchangeCheck } from './check.ts';

/** Judged before any request: what an answer says has no part in it. */
export const contractItself: ExchangeCheck = {
  name: 'contract',
  about: 'a part of the contract that breaks a MUST of OpenAPI or JSON Schema; the rest is tested all the same',
  plan: () => [],
  judge: () => [],
};

/** Undefined for what no norm forbids: that is a warning. */
export function failureOf({ pointer, says, cure, breaks }: ContractProblem): Failure | undefined {
  if (breaks === undefined) return undefined;
  return {
    check: 'contract',
    severity: 'defect',
    place: 'contract',
    pointer,
    keyword: pointer.split('/').at(-1) ?? '',
    clause: breaks,
    says: `${says} ${cure}`,
    causes: [[breaks, normaliseBody(says)]],
  };
}
