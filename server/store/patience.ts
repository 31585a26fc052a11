import { AsyncLocalStorage } from 'node:async_hooks';

// How long a caller waits for the database. It is known here, and not to each method of the store, since a request passes through libraries.

interface Request {
  /** The time that it has waited for the database so far. */
  waitedMs: number;
  isOver: boolean;
}

/** Work of operators, whose statements may take as long as they need: steps of the schema, and imports. */
const longWork = 'long work';

const callers = new AsyncLocalStorage<Request | typeof longWork>();

/**
 * Runs a request. All its waits for the database count together, so that many short ones do not add up to a long one. Work that it starts
 * and that goes on after its answer is no part of it.
 *
 * @returns a function to call when the request is over
 */
export function asRequest(act: () => void): () => void {
  const request: Request = { waitedMs: 0, isOver: false };
  callers.run(request, act);
  return () => {
    request.isOver = true;
  };
}

export function asLongWork<Result>(act: () => Promise<Result>): Promise<Result> {
  return callers.run(longWork, act);
}

export interface Patience {
  /** For all waits of a request. */
  readonly requestMs: number;
  /** For each wait of a task in the background. */
  readonly taskMs: number;
}

/**
 * Waits for an answer of the database, and calls `giveUp` when the caller's time is over. Long work waits without end.
 *
 * @param giveUp has to make `answer` settle; it gets the time that was left to the caller
 */
export async function waitFor<Answer>(
  answer: Promise<Answer>,
  { requestMs, taskMs }: Patience,
  giveUp: (afterMs: number) => void,
): Promise<Answer> {
  const caller = callers.getStore();
  if (caller === longWork) return answer;
  const request = caller?.isOver === false ? caller : undefined;
  const began = performance.now();
  let isOpen = true;
  // An answer that arrived while this process was busy is read before the immediate callback.
  const leftMs = request === undefined ? taskMs : Math.max(0, requestMs - request.waitedMs);
  const look = () => void setImmediate(() => isOpen && giveUp(leftMs));
  const timer = setTimeout(look, leftMs);
  try {
    return await answer;
  } finally {
    isOpen = false;
    clearTimeout(timer);
    if (request !== undefined) request.waitedMs += performance.now() - began;
  }
}
