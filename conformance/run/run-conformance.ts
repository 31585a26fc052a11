import { checks as allChecks } from '../checks/checks.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { baselineScenario } from '../execute/run-baseline.ts';
import { runRounds } from '../execute/run-rounds.ts';
import type { Finding } from '../failures/finding.ts';
import { createRedactor } from '../failures/redact.ts';
import { refuseOperation } from '../plan/may-send.ts';
import { planObligations } from '../plan/obligations.ts';
import { orderOperations } from '../plan/order-operations.ts';
import { selectOperations } from '../plan/select-operations.ts';
import { createJudge } from '../schema/create-judge.ts';
import { measureCoverage } from './coverage.ts';
import { createContext } from './create-context.ts';
import { explainUnreached } from './explain-unreached.ts';
import { findLostAddress, ofTarget } from './find-lost-address.ts';
import { foldResults } from './fold-results.ts';
import { formatLogLine } from './format-request-log.ts';
import { judgeVerdict } from './judge-verdict.ts';
import type { RunOptions } from './run-options.ts';
import type { RunResult } from './run-result.ts';
import { gatherWarnings } from './warnings.ts';

/** How far a run is; handed out after each result. */
export interface Progress {
  readonly phase: string;
  readonly requests: number;
  readonly met: number;
  readonly obligations: number;
  readonly findings: number;
  readonly elapsedMs: number;
}

export interface RunEvents {
  readonly onProgress?: (progress: Progress) => void;
  readonly onFinding?: (finding: Finding) => void;
}

/** Runs the plan against a deployment and judges every answer. Throws for nothing that the deployment does. */
export async function runConformance(
  contract: Contract,
  options: RunOptions,
  events: RunEvents = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<RunResult> {
  const startedAt = performance.now();
  const stop = new AbortController();
  const redactor = createRedactor(contract);
  const judge = createJudge(contract);
  const either = AbortSignal.any([signal, stop.signal]);
  const { context, connection, accounts, pace, deadline } = createContext({
    contract,
    options,
    judge,
    redactor,
    signal: either,
    startedAt,
  });
  const { selected } = selectOperations(contract.operations, options.selection);
  const checks = allChecks.filter(({ name }) => options.checks.length === 0 || options.checks.includes(name));
  const obligations = planObligations(selected, checks);
  const { slowMs } = options;
  const folded = foldResults({ contract, judge, checks, obligations, redactor, slowMs, onFinding: events.onFinding });
  for (const operation of selected) {
    const refusal = refuseToSend(operation, options);
    if (refusal !== undefined) folded.reasons.set(operation.id, [refusal]);
  }
  const sendable = selected.filter(({ id }) => !folded.reasons.has(id));

  const { cut } = await runRounds(
    orderOperations(sendable).map((round) => round.map(baselineScenario)),
    context,
    (result) => {
      const known = folded.fold(result);
      // What is left of the plan would only wait for the same.
      if (folded.isTargetAway()) stop.abort();
      const { met, all } = obligations.count();
      const elapsedMs = performance.now() - startedAt;
      const counts = { requests: folded.exchanges.length, findings: folded.findings().length };
      events.onProgress?.({ phase: 'baseline', met, obligations: all, elapsedMs, ...counts });
      return known;
    },
    { workers: options.workers, requests: options.budget.requests, deadline, signal: either },
  );
  const { exchanges } = folded;
  const left = Math.max(0, (options.budget.requests ?? Number.POSITIVE_INFINITY) - exchanges.length);
  const mayAsk = !either.aborted && performance.now() < deadline;
  const lost = await findLostAddress({ contract, exchanges, connection, pace, left: mayAsk ? left : 0 });
  await connection.close();

  const userCut = stop.signal.aborted ? undefined : cut;
  const byOperation = Map.groupBy(exchanges, ({ operation }) => operation.id);
  const reasonFor = (id: string) => explainUnreached(byOperation.get(id) ?? [], folded.reasons.get(id) ?? []);
  const problems = [...contract.problems, ...judge.problems()];
  const tokenProblems = accounts.problems().map(redactor.redact);
  const coverage = measureCoverage(selected, exchanges);
  const findings = folded.findings();
  const judged = judgeVerdict({ findings, exchanges, coverage, cut: userCut, lost, tokenProblems });
  // What another host, or none, answered says nothing about this deployment.
  const isElsewhere = judged.verdict === 'unreachable' || judged.verdict === 'wrong-address';
  const elsewhere = new Set(isElsewhere ? ofTarget(exchanges).judged.map(({ operation }) => operation.id) : []);
  return {
    title: contract.title,
    contractFile: contract.file,
    baseUrl: options.baseUrl,
    authUrl: options.authUrl,
    seed: options.seed,
    now: new Date(options.now).toISOString(),
    ...judged,
    findings: findings.filter(({ operation }) => !elsewhere.has(operation)),
    warnings: gatherWarnings({
      contract,
      operations: selected,
      exchanges,
      problems,
      tokenProblems,
      reasonFor,
      cut: userCut,
      verdict: judged.verdict,
    }),
    obligations: isElsewhere
      ? planObligations(selected, checks).close(() => judged.says)
      : obligations.close(reasonFor),
    coverage: isElsewhere
      ? measureCoverage(
          selected,
          exchanges.filter(({ operation }) => !elsewhere.has(operation.id)),
        )
      : coverage,
    requests: exchanges.length + (lost?.sent.length ?? 0),
    durationMs: Math.round(performance.now() - startedAt),
    requestLog: [
      ...exchanges.filter(({ isPause }) => !isPause).map((exchange) => formatLogLine(exchange, redactor.redact)),
      ...(lost?.sent ?? []),
    ],
  };
}

function refuseToSend(operation: Operation, { authUrl, permissions }: RunOptions): string | undefined {
  if (operation.target === 'auth' && authUrl === undefined) return 'it is at another server: pass --auth-url';
  return refuseOperation(operation, permissions);
}
