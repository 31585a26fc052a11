import type { Check, SecretSeen } from '../checks/check.ts';
import { leastSecretLength } from '../checks/sensitive-leak.ts';
import type { Contract } from '../contract/contract.ts';
import type { Known } from '../data/records.ts';
import { type Exchange, isAccepted, isSuccess, type NumberedExchange } from '../execute/exchange.ts';
import type { ScenarioResult } from '../execute/scenario.ts';
import { collectFindings } from '../failures/collect-findings.ts';
import type { Finding } from '../failures/finding.ts';
import type { Redactor } from '../failures/redact.ts';
import { accepted, type Obligations } from '../plan/obligations.ts';
import type { Judge } from '../schema/create-judge.ts';

export interface Folded {
  /** Takes one result into account, in the order of the plan. @returns what the next round knows */
  readonly fold: (result: ScenarioResult) => readonly Known[];
  readonly exchanges: readonly NumberedExchange[];
  readonly findings: () => readonly Finding[];
  /** By operation: why something could not be sent. */
  readonly reasons: Map<string, readonly string[]>;
  /** Something was sent, and nothing listens. */
  readonly isTargetAway: () => boolean;
}

interface Given {
  readonly contract: Contract;
  readonly judge: Judge;
  readonly checks: readonly Check[];
  readonly obligations: Obligations;
  readonly redactor: Redactor;
  readonly slowMs: number | undefined;
  readonly onFinding: ((finding: Finding) => void) | undefined;
}

/** Numbers exchanges, puts every check on each, and keeps what later requests draw on. */
export function foldResults({ contract, judge, checks, obligations, redactor, slowMs, onFinding }: Given): Folded {
  const findings = collectFindings({ ...redactor, lineOf: contract.lineOf });
  const exchanges: NumberedExchange[] = [];
  const known: Known[] = [];
  const secretsSeen: SecretSeen[] = [];
  const reasons = new Map<string, readonly string[]>();
  const context = { contract, judge, slowMs, secretsSeen };

  const judgeExchange = (exchange: NumberedExchange): void => {
    for (const check of checks) {
      for (const { place, failures } of check.judge(exchange, context)) {
        obligations.settle(exchange.operation.id, check.name, place, failures.length === 0);
        for (const failure of failures) {
          const found = findings.add(failure, exchange);
          if (found !== undefined) onFinding?.(found);
        }
      }
    }
  };

  return {
    exchanges,
    reasons,
    findings: findings.all,
    isTargetAway: () => exchanges.length > 0 && exchanges.every(isAway),
    fold: (result) => {
      reasons.set(result.operation.id, result.reasons);
      for (const exchange of result.exchanges) {
        const numbered = { ...exchange, number: exchanges.length + 1 };
        exchanges.push(numbered);
        for (const { text, pointer } of redactor.learn(exchange)) {
          if (text.length >= leastSecretLength) secretsSeen.push({ text, pointer, operation: exchange.operation });
        }
        judgeExchange(numbered);
        if (isAccepted(exchange)) obligations.settle(exchange.operation.id, 'baseline', accepted, true);
        if (isSuccess(exchange.outcome)) known.push({ operation: exchange.operation, seen: exchange.seen });
      }
      return [...known];
    },
  };
}

function isAway({ outcome }: Exchange): boolean {
  return outcome.kind === 'none' && (outcome.reason === 'refused' || outcome.reason === 'unresolved');
}
