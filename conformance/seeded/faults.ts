import type { Contract } from '../contract/contract.ts';
import type { PhaseName } from '../execute/exchange.ts';
import type { RunOptions } from '../run/run.ts';
import type { ApiName } from './apis.ts';
import type { Handler, TestAnswer, TestRequest } from './serve.ts';
import type { ContractEdit } from './validate.ts';

/** A fault in an otherwise correct server, and the check that must find it. */
export interface SeededFault {
  readonly name: string;
  readonly api: ApiName;
  /** Method and path of the requests that the fault concerns; any if undefined. */
  readonly at?: RegExp;
  readonly change?: (answer: TestAnswer, request: TestRequest) => TestAnswer;
  /** Replaces the server for these requests instead; `handle` is the correct one. */
  readonly instead?: Instead;
  /** Where the server's validation differs from the contract. */
  readonly edits?: readonly ContractEdit[];
  readonly caughtBy: {
    readonly check: string;
    readonly operation: string;
    readonly pointer: string;
    readonly keyword: string;
  };
  readonly severity?: 'suspect';
  /** Seeds the fault into the contract instead. */
  readonly amend?: (contract: Contract) => Contract;
  /** Options of the run that are needed to find the fault. */
  readonly options?: Partial<RunOptions>;
}

export type Instead = (request: TestRequest, handle: Handler) => ReturnType<Handler>;

type Members = Record<string, unknown>;

/** Changes the JSON body of an answer. */
export function withBody(change: (body: Members) => unknown): Required<SeededFault>['change'] {
  return (answer) => ({ ...answer, body: change(structuredClone(answer.body) as Members) });
}

export function withHeaders(headers: Readonly<Record<string, string>>): Required<SeededFault>['change'] {
  return (answer) => ({ ...answer, headers: { ...answer.headers, ...headers } });
}

/** Changes an item of a list, by default the first. */
export function withItem(list: string, change: (item: Members) => void, index = 0): Required<SeededFault>['change'] {
  return withBody((body) => {
    const items = body[list] as Members[];
    const item = items[index];
    if (item !== undefined) change(item);
    return body;
  });
}

/** Reads the query of a valid request otherwise than it was sent. */
export function asking(change: (query: URLSearchParams) => void): Instead {
  return async (request, handle) => {
    const answer = await handle(request);
    const query = new URLSearchParams(request.query);
    change(query);
    return answer.status < 300 ? handle({ ...request, query }) : answer;
  };
}

export function withRequestHeaders(request: TestRequest, headers: Readonly<Record<string, string>>): TestRequest {
  return { ...request, headers: { ...request.headers, ...headers } };
}

export function by(check: string, operation: string, pointer: string, keyword: string): SeededFault['caughtBy'] {
  return { check, operation, pointer, keyword };
}

const ofStories = [
  ...['created-missing', 'stored-differs', 'answer-differs', 'put-partial', 'put-merge', 'put-repeat', 'patch-spills'],
  ...['delete-kept', 'use-after-free', 'write-spills', 'id-collides', 'failed-write-left-trace', 'read-writes'],
  ...['conditional', 'idempotency', 'job-regress', 'job-stuck', 'child-orphaned'],
  ...['quota-unenforced', 'quota-early', 'retry-after-lie'],
  ...['page-ends', 'page-gap', 'page-duplicate', 'page-size', 'page-total', 'page-cursor', 'limit-neutral'],
  ...['filter-ignored', 'filter-loses', 'filter-range', 'sort-wrong', 'list-detail'],
];

/** The phase that finds the faults of a check; those of all others show in one of the first three. */
const phasesOf: Readonly<Record<string, PhaseName>> = {
  'invalid-accepted': 'negative',
  'required-ignored': 'negative',
  'read-only-written': 'negative',
  'refusal-wrong': 'negative',
  'valid-refused': 'boundary',
  'text-changed': 'text',
  ...Object.fromEntries(ofStories.map((check) => [check, 'story' as const])),
};

/** The phases that a fault needs to be found. */
export function phasesFor({ caughtBy }: Pick<SeededFault, 'caughtBy'>): readonly PhaseName[] {
  const phase = phasesOf[caughtBy.check];
  return phase === undefined ? ['baseline', 'auth', 'protocol'] : [phase];
}

/**
 * The correct server with a fault.
 *
 * @param isOn whether the fault shows at present
 */
export function injectFault(
  { at, change, instead }: Pick<SeededFault, 'at' | 'change' | 'instead'>,
  handle: Handler,
  isOn: () => boolean = () => true,
): Handler {
  return async (request) => {
    const query = request.query.size > 0 ? `?${request.query}` : '';
    const isOurs = (at === undefined || at.test(`${request.method} ${request.path}${query}`)) && isOn();
    if (isOurs && instead !== undefined) return instead(request, handle);
    const answer = await handle(request);
    return isOurs && answer.status < 400 && change !== undefined ? change(answer, request) : answer;
  };
}
