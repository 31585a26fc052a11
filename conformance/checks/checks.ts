import type { ContractProblem } from '../contract/contract.ts';
import { type Failure, normaliseBody } from '../failures/failure.ts';
import { authInvalid, authMissing, authValidRefused, existenceLeak, scopeIgnored, tenantLeak } from './access.ts';
import { bodySchema } from './body-schema.ts';
import { patchSpills, putMerge, putPartial, putRepeat } from './changed.ts';
import type { Check, ExchangeCheck } from './check.ts';
import { childOrphaned } from './children.ts';
import { conditional } from './conditional.ts';
import { deleteKept, useAfterFree } from './deleted.ts';
import { filterIgnored, filterLoses, filterRange } from './filters.ts';
import { httpLaw } from './http-laws.ts';
import { idempotency } from './idempotency.ts';
import { invalidAccepted, requiredIgnored } from './invalid-input.ts';
import { jobRegress, jobStuck } from './jobs.ts';
import { internalsLeaked, secretEchoed, sensitiveLeak, writeOnlyExposed } from './leaks.ts';
import { listDetail } from './list-detail.ts';
import { sortWrong } from './orders.ts';
import { limitNeutral, pageCursor, pageDuplicate, pageEnds, pageGap, pageSize, pageTotal } from './paging.ts';
import { protocolLaw } from './protocol-laws.ts';
import { quotaEarly, quotaUnenforced, retryAfterLie } from './rate-limits.ts';
import { readOnlyWritten } from './read-only.ts';
import { refusalWrong } from './refusal-wrong.ts';
import { headerSchema, mediaType, statusUndocumented } from './response-head.ts';
import { noAnswer, serverError, slow } from './server-failure.ts';
import { failedWriteLeftTrace, idCollides, readWrites, writeSpills } from './side-effects.ts';
import { answerDiffers, createdMissing, storedDiffers } from './stored.ts';
import { textChanged } from './text-changed.ts';
import { validRefused } from './valid-refused.ts';

/** Judged before any request, and independent of answers. */
export const contractItself: ExchangeCheck = {
  name: 'contract',
  about: 'a part of the contract that breaks a MUST of OpenAPI or JSON Schema; the rest is still tested',
  effect: 'Tools read the broken part differently, so that clients and servers disagree.',
  clauses: ['OpenAPI', 'JSON Schema', 'RFC 6901'],
  example: { sent: 'no request', answered: 'the contract has {"type":"str"}; JSON Schema has no such type' },
  fix: 'Correct the contract at the line of the finding.',
  allow: 'None: the contract itself is wrong.',
  plan: () => [],
  judge: () => [],
};

/** Every check, in the order of the report: failures that affect clients most come first. */
export const checks: readonly Check[] = [
  noAnswer,
  serverError,
  authMissing,
  tenantLeak,
  authInvalid,
  scopeIgnored,
  authValidRefused,
  existenceLeak,
  requiredIgnored,
  invalidAccepted,
  validRefused,
  createdMissing,
  childOrphaned,
  storedDiffers,
  putPartial,
  patchSpills,
  putMerge,
  answerDiffers,
  deleteKept,
  useAfterFree,
  putRepeat,
  writeSpills,
  idCollides,
  failedWriteLeftTrace,
  readWrites,
  conditional,
  idempotency,
  jobRegress,
  jobStuck,
  quotaUnenforced,
  quotaEarly,
  retryAfterLie,
  statusUndocumented,
  mediaType,
  bodySchema,
  headerSchema,
  textChanged,
  pageEnds,
  pageGap,
  pageDuplicate,
  pageSize,
  pageTotal,
  pageCursor,
  filterLoses,
  filterIgnored,
  filterRange,
  sortWrong,
  listDetail,
  limitNeutral,
  writeOnlyExposed,
  secretEchoed,
  sensitiveLeak,
  readOnlyWritten,
  httpLaw,
  protocolLaw,
  refusalWrong,
  internalsLeaked,
  slow,
  contractItself,
];

/** Undefined for a problem that no norm forbids: it becomes a warning. */
export function failureOf({ pointer, message, fix, breaks }: ContractProblem): Failure | undefined {
  if (breaks === undefined) return undefined;
  return {
    check: 'contract',
    // Not a defect of the deployment.
    severity: 'suspect',
    place: 'contract',
    pointer,
    keyword: pointer.split('/').at(-1) ?? '',
    clause: breaks,
    message: `${message} ${fix}`,
    causes: [[breaks, normaliseBody(message)], [breaks]],
  };
}
