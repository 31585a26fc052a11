import type { Contract } from '../contract/contract.ts';
import type { RunOptions } from '../run/run.ts';
import type { ApiName } from './apis.ts';
import type { TestAnswer, TestRequest } from './serve.ts';

/** One thing wrong with a server that is right otherwise, and who has to say so. */
export interface SeededFault {
  readonly name: string;
  readonly api: ApiName;
  /** Of the operation whose answers are changed. */
  readonly at: RegExp;
  readonly change: (answer: TestAnswer, request: TestRequest) => TestAnswer;
  readonly caughtBy: {
    readonly check: string;
    readonly operation: string;
    readonly pointer: string;
    readonly keyword: string;
  };
  readonly severity?: 'suspect';
  /** What is wrong with the contract instead. */
  readonly amend?: (contract: Contract) => Contract;
  /** Options of the run that it takes to see it. */
  readonly options?: Partial<RunOptions>;
}

type Members = Record<string, unknown>;

/** An answer with its JSON body changed. */
export function withBody(change: (body: Members) => unknown): SeededFault['change'] {
  return (answer) => ({ ...answer, body: change(structuredClone(answer.body) as Members) });
}

export function withHeaders(headers: Readonly<Record<string, string>>): SeededFault['change'] {
  return (answer) => ({ ...answer, headers: { ...answer.headers, ...headers } });
}

/** A change of the first item of a list. */
export function withItem(list: string, change: (item: Members) => void, index = 0): SeededFault['change'] {
  return withBody((body) => {
    const items = body[list] as Members[];
    const item = items[index];
    if (item !== undefined) change(item);
    return body;
  });
}
