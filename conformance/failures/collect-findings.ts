import type { NumberedExchange } from '../execute/exchange.ts';
import type { Failure } from './failure.ts';
import { describeFinding, type Finding, type FindingTools, fingerprintOf } from './finding.ts';

export interface Findings {
  /** @returns the finding, when it is a new one */
  readonly add: (failure: Failure, exchange: NumberedExchange) => Finding | undefined;
  /** In the order in which they were found. */
  readonly all: () => readonly Finding[];
}

/** One finding per cause, with the number of times and the operations at which it showed. */
export function collectFindings(tools: FindingTools): Findings {
  const found = new Map<string, Finding>();
  return {
    all: () => [...found.values()],
    add: (failure, exchange) => {
      const id = fingerprintOf(failure, exchange);
      const known = found.get(id);
      if (known === undefined) {
        const finding = describeFinding(failure, exchange, tools);
        found.set(id, finding);
        return finding;
      }
      const operations = [...new Set([...known.operations, exchange.operation.id])];
      found.set(id, { ...known, operations, count: known.count + 1 });
      return undefined;
    },
  };
}
