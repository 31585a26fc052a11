import type { Check, Verdict, World } from '../checks/check.ts';
import type { NumberedExchange, Trace } from '../execute/exchange.ts';
import type { Finding, Findings } from '../failures/finding.ts';
import type { Obligations } from '../plan/plan.ts';

interface Given {
  readonly checks: readonly Check[];
  readonly world: World;
  readonly obligations: Obligations;
  readonly findings: Findings;
  readonly onFinding: ((finding: Finding) => void) | undefined;
}

/** Holds exchanges against all checks, and keeps what comes of it. */
export interface Judging {
  readonly judge: (trace: Trace) => void;
  readonly tell: (check: string, exchange: NumberedExchange, verdict: Verdict) => void;
}

export function createJudging({ checks, world, obligations, findings, onFinding }: Given): Judging {
  const tell: Judging['tell'] = (check, exchange, { place, failures, unjudged }) => {
    if (unjudged !== undefined) {
      obligations.leave(exchange.operation, check, place, unjudged);
      return;
    }
    const isMet = failures.every(({ severity }) => severity === 'warning');
    obligations.settle(exchange.operation, check, place, isMet);
    for (const failure of failures) {
      const found = findings.add(failure, exchange);
      if (found !== undefined) onFinding?.(found);
    }
  };
  return {
    tell,
    judge: (trace) => {
      for (const exchange of trace) {
        for (const check of checks) {
          if (check.kind === 'trace') continue;
          for (const verdict of check.judge(exchange, world)) tell(check.name, exchange, verdict);
        }
      }
      for (const check of checks) {
        if (check.kind !== 'trace') continue;
        for (const verdict of check.judge(trace, world)) tell(check.name, verdict.exchange, verdict);
      }
    },
  };
}
