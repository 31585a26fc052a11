import type { Operation } from '../contract/contract.ts';
import { type Exchange, isAccepted } from '../execute/exchange.ts';

export interface OperationCoverage {
  readonly operation: string;
  readonly isReached: boolean;
  readonly requests: number;
  /** Statuses that came, in order. */
  readonly seen: readonly number[];
  /** Statuses of the contract that never came. */
  readonly unseen: readonly string[];
}

export interface Coverage {
  readonly operations: readonly OperationCoverage[];
  readonly reached: number;
  readonly responsesSeen: number;
  readonly responses: number;
}

export function measureCoverage(operations: readonly Operation[], exchanges: readonly Exchange[]): Coverage {
  const byOperation = Map.groupBy(exchanges, ({ operation }) => operation.id);
  const each = operations.map((operation): OperationCoverage => {
    const own = byOperation.get(operation.id) ?? [];
    const seen = [...new Set(own.flatMap(({ outcome }) => (outcome.kind === 'answer' ? [outcome.status] : [])))].sort(
      (a, b) => a - b,
    );
    const isSeen = (status: string): boolean =>
      seen.some((code) => status === String(code) || status.toUpperCase() === `${Math.floor(code / 100)}XX`);
    const unseen = operation.responses.map(({ status }) => status).filter((status) => !isSeen(status));
    return {
      operation: operation.id,
      isReached: own.some(isAccepted),
      requests: own.length,
      seen,
      unseen,
    };
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
