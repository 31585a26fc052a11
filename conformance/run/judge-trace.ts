import type { Check, RunContext, Verdict } from '../checks/check.ts';
import type { NumberedExchange, Trace } from '../execute/exchange.ts';
import type { Chains } from '../failures/chains.ts';
import { type Failure, recordKey } from '../failures/failure.ts';
import type { Finding, Findings } from '../failures/finding.ts';
import type { Obligations } from '../plan/plan.ts';

interface Given {
  readonly checks: readonly Check[];
  readonly context: RunContext;
  readonly obligations: Obligations;
  readonly findings: Findings;
  readonly chains: Chains;
  readonly onFinding: ((finding: Finding) => void) | undefined;
}

export function createJudging({ checks, context, obligations, findings, chains, onFinding }: Given) {
  const ofTraces = checks.filter((check) => check.kind === 'trace');
  const ofExchanges = checks.filter((check) => check.kind !== 'trace');
  /** Whether the check finds the same failure of an exchange in a part of its turn. */
  const isFoundBy = (name: string, failure: Failure, exchange: NumberedExchange) => {
    const check = ofTraces.find((one) => one.name === name);
    const key = recordKey(failure, exchange.operation.id);
    const isSame = (one: Failure): boolean =>
      one.severity === failure.severity && recordKey(one, exchange.operation.id) === key;
    // Any other check reads one exchange alone.
    return (part: Trace): boolean =>
      check === undefined ||
      check.judge(part, context).some((found) => found.exchange === exchange && found.failures.some(isSame));
  };
  /** @param trace the whole turn; only its part up to the exchange, for a check of one exchange */
  const record = (
    check: string,
    exchange: NumberedExchange,
    { place, failures, unjudged }: Verdict,
    trace?: Trace,
  ): void => {
    // A probe may show a failure of another operation than the one that it is about.
    const asked = trace && exchange.intent.probe?.operation;
    const operation = context.contract.operations.find(({ id }) => id === asked) ?? exchange.operation;
    if (unjudged !== undefined) {
      obligations.leave(operation, [check], place, unjudged);
      return;
    }
    const isMet = failures.every(({ severity }) => severity === 'warning');
    obligations.settle(operation, check, place, isMet);
    for (const failure of failures) {
      chains.add(failure, place, exchange, trace, isFoundBy(check, failure, exchange));
      const found = findings.add(failure, exchange, trace);
      if (found !== undefined) onFinding?.(found);
    }
  };
  return {
    record,
    judge: (trace: Trace): void => {
      for (const [index, exchange] of trace.entries())
        for (const { name, judge } of ofExchanges)
          for (const verdict of judge(exchange, context)) record(name, exchange, verdict, trace.slice(0, index + 1));
      for (const { name, judge } of ofTraces)
        for (const verdict of judge(trace, context)) record(name, verdict.exchange, verdict, trace);
    },
  };
}
