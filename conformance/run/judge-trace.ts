import type { Check, RunContext, Verdict } from '../checks/check.ts';
import type { NumberedExchange, Trace } from '../execute/exchange.ts';
import type { Finding, Findings } from '../failures/finding.ts';
import type { Obligations } from '../plan/plan.ts';

interface Given {
  readonly checks: readonly Check[];
  readonly context: RunContext;
  readonly obligations: Obligations;
  readonly findings: Findings;
  readonly onFinding: ((finding: Finding) => void) | undefined;
}

/** Holds exchanges against all checks, and keeps what comes of it. */
export function createJudging({ checks, context, obligations, findings, onFinding }: Given) {
  const ofTraces = checks.filter((check) => check.kind === 'trace');
  const ofExchanges = checks.filter((check) => check.kind !== 'trace');
  const tell = (check: string, exchange: NumberedExchange, { place, failures, unjudged }: Verdict): void => {
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
    judge: (trace: Trace): void => {
      for (const exchange of trace)
        for (const { name, judge } of ofExchanges)
          for (const verdict of judge(exchange, context)) tell(name, exchange, verdict);
      for (const { name, judge } of ofTraces)
        for (const verdict of judge(trace, context)) tell(name, verdict.exchange, verdict);
    },
  };
}
