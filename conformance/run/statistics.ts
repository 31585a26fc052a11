import { type Operation, responseFor } from '../contract/contract.ts';
import { type Exchange, isAccepted } from '../execute/exchange.ts';
import { echoesOf, normaliseBody } from '../failures/failure.ts';

/** The outcomes of one operation, in numbers: no exchange is kept. */
export interface OperationStatistics {
  readonly operation: Operation;
  readonly requests: number;
  /** Statuses in the order of their first answer; 0 for no answer. */
  readonly statuses: readonly number[];
  readonly isAccepted: boolean;
  /** Reasons why requests of its last turn were not sent. */
  readonly reasons: readonly string[];
}

type Counts = { -readonly [Member in keyof OperationStatistics]: OperationStatistics[Member] };

export type Statistics = ReturnType<typeof createStatistics>;

export function createStatistics() {
  const counts = new Map<Operation, Counts>();
  const failed = new Map<string, number>();
  let requests = 0;
  const countsOf = (operation: Operation): Counts => {
    const own = counts.get(operation) ?? nothing(operation);
    counts.set(operation, own);
    return own;
  };
  return {
    onExchange: (exchange: Exchange): void => {
      requests += 1;
      const own = countsOf(exchange.operation);
      const status = exchange.outcome.kind === 'answer' ? exchange.outcome.status : 0;
      own.requests += 1;
      const isOwnMethod = exchange.request.method === exchange.operation.method.toUpperCase();
      if (isOwnMethod && !own.statuses.includes(status)) own.statuses = [...own.statuses, status];
      // The first accepted request may be one of a probe: of a story, for an object that the server did not have before.
      const isValid = exchange.intent.polarity === 'valid' && exchange.intent.identity === 'own' && isOwnMethod;
      own.isAccepted ||= isValid && isAccepted(exchange);
      // A 503 counts as a failure even if a retry followed.
      const isPassing = exchange.isPause && status !== 503;
      const failure = isPassing || exchange.isAlone === true ? undefined : failureKey(exchange);
      if (failure !== undefined) failed.set(failure, (failed.get(failure) ?? 0) + 1);
    },
    explain: (operation: Operation, reasons: readonly string[]): void => {
      countsOf(operation).reasons = reasons;
    },
    of: (operation: Operation): OperationStatistics => counts.get(operation) ?? nothing(operation),
    all: (): readonly OperationStatistics[] => [...counts.values()],
    requests: () => requests,
    /** Number of requests of the operation that failed like this one, without repeats. */
    failedLike: (exchange: Exchange): number => failed.get(failureKey(exchange) ?? '') ?? 0,
  };
}

function nothing(operation: Operation): Counts {
  return { operation, requests: 0, statuses: [], isAccepted: false, reasons: [] };
}

function failureKey({ operation, outcome, seen }: Exchange): string | undefined {
  if (outcome.kind === 'none') return `${operation.id} ${outcome.reason}`;
  return outcome.status < 500
    ? undefined
    : `${operation.id} ${outcome.status} ${normaliseBody(outcome.body.toString(), echoesOf(seen))}`;
}

interface OperationCoverage {
  readonly operation: string;
  readonly isReached: boolean;
  readonly requests: number;
  readonly seen: readonly number[];
  readonly unseen: readonly string[];
}

export interface Coverage {
  readonly operations: readonly OperationCoverage[];
  readonly reached: number;
  readonly responsesSeen: number;
  readonly responses: number;
}

export function measureCoverage(operations: readonly Operation[], statistics: Statistics): Coverage {
  const each = operations.map((operation): OperationCoverage => {
    const { requests, statuses, isAccepted: isReached } = statistics.of(operation);
    const seen = statuses.filter((status) => status > 0).sort((a, b) => a - b);
    const described = new Set(seen.map((status) => responseFor(operation, status)));
    const unseen = operation.responses.filter((response) => !described.has(response)).map(({ status }) => status);
    return { operation: operation.id, isReached, requests, seen, unseen };
  });
  const responses = operations.reduce((sum, operation) => sum + operation.responses.length, 0);
  const unseen = each.reduce((sum, one) => sum + one.unseen.length, 0);
  return {
    operations: each,
    reached: each.filter(({ isReached }) => isReached).length,
    responses,
    responsesSeen: responses - unseen,
  };
}

/** Statuses about access, with their explanation. */
const aboutAccess: Readonly<Record<number, string>> = {
  401: 'every answer was 401: the server rejected the credentials, or none were given (--token, --client-id)',
  402: 'every answer was 402: the account may not use the API',
  403: 'every answer was 403: the credentials lack a right or scope',
  429: 'every answer was 429: pass --rate, or a longer --max-wait',
};

/**
 * Explains why an operation was never accepted.
 *
 * @returns undefined if it was accepted
 */
export function explainUnreached(
  { operation, requests, statuses, isAccepted, reasons }: OperationStatistics,
  isCut: boolean,
): string | undefined {
  if (isAccepted) return undefined;
  const [first] = statuses;
  if (statuses.length === 1 && first !== undefined && aboutAccess[first] !== undefined) return aboutAccess[first];
  if (requests === 0) {
    const isWithout = !isCut && operation.path.includes('{');
    return reasons[0] ?? (isWithout ? 'no id for its path was found' : 'the run stopped before its turn');
  }
  if (statuses.every((status) => status === 0)) return 'no request was answered';
  const ids = operation.path.includes('{') && statuses.every((status) => status === 404) ? ': no known id' : '';
  const silence = statuses.includes(0) ? ', or not at all' : '';
  const listed = `${statuses.filter((status) => status !== 0).join(', ')}${silence}`;
  const also = reasons.length === 0 ? '' : `; other values were not sent: ${reasons[0]}`;
  return `valid requests were answered ${listed}${ids}${also}`;
}
