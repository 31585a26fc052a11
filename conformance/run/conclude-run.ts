import { contractItself, failureOf } from '../checks/checks.ts';
import { inputCheck } from '../checks/invalid-input.ts';
import { protocolLaw } from '../checks/protocol-laws.ts';
import type { LostAddress } from '../circumstances/address.ts';
import type { Operation } from '../contract/contract.ts';
import type { Cut } from '../execute/queue.ts';
import type { Finding } from '../failures/finding.ts';
import { divideFindings, findGone } from '../failures/known.ts';
import { groupLeft, type Left } from '../ledger/clean-up.ts';
import { type Obligation, planObligations } from '../plan/plan.ts';
import { watchCoverage } from './contract-coverage.ts';
import { describeExcluded, describeNotReached, describeUncovered, describeUnreached } from './not-tested.ts';
import type { Run } from './prepare-run.ts';
import type { RunResult } from './run.ts';
import { createStatistics, explainUnreached, type Statistics } from './statistics.ts';
import { judgeVerdict, type RunnerFailure } from './verdict.ts';
import { gatherWarnings } from './warnings.ts';

interface Ended {
  readonly cut: Cut;
  readonly lost: LostAddress | undefined;
  readonly failure: RunnerFailure | undefined;
  readonly leftBehind: readonly Left[];
}

export function concludeRun(run: Run, { cut, lost, failure, leftBehind }: Ended): RunResult {
  const { contract, options, context, selected, checks, allChecks } = run;
  const { redactor, findings, statistics, obligations, outages, lostAccess, underspecified } = run;
  for (const line of lost?.sent ?? []) run.events.onRequest?.(line);
  const seen = run.address.judged();
  const userCut = run.isStopped() ? undefined : cut;
  const problems = [...contract.problems, ...context.judge.problems()];
  const isAsked = checks.includes(contractItself);
  for (const problem of isAsked ? problems : []) {
    const failure = failureOf(problem);
    const found = failure && findings.add(failure);
    if (found !== undefined) run.events.onFinding?.(found);
  }
  const tokenProblems = run.accounts.problems().map(redactor.redact);
  const coverage = run.coverage.measure(selected, statistics);
  findings.joinUnread(operationsWithUnreadBody(obligations.close(() => undefined)));
  const causes = findings.causes();
  if (causes.length > 0) run.events.onFailures?.(run.chains.of(causes, redactor.redact));
  const { known, unmatched, ...divided } = divideFindings(causes, options.known ?? [], options.now);
  const judged = judgeVerdict({
    findings: divided.findings,
    known: known.length,
    statistics: statistics.all(),
    away: seen.away,
    option: seen.option,
    coverage,
    cut: userCut,
    lost,
    tokenProblems,
    ended: describeEnd(run),
    failure: failure && redactor.redact(failure.message),
  });
  const isComplete = cut === undefined && (judged.verdict === 'passed' || judged.verdict === 'defects');
  const gone = isComplete
    ? findGone(unmatched, {
        checks: checks.map(({ name }) => name),
        isEveryCheck: checks.length === allChecks.length,
        operations: contract.operations.map(({ id }) => id),
        reached: coverage.operations.flatMap((one) => (one.isReached ? one.operation : [])),
      })
    : [];
  // Answers of another host prove nothing about this deployment.
  const isElsewhere = judged.verdict === 'unreachable' || judged.verdict === 'wrong-address';
  const isJudged = ({ target }: Operation): boolean =>
    !isElsewhere || target !== (seen.option === '--base-url' ? 'api' : 'auth');
  const isOfJudged = ({ operation }: Finding): boolean => {
    const own = selected.find(({ id }) => id === operation);
    return own === undefined || isJudged(own);
  };
  const reasonFor = new Map(
    selected.map((operation) => [operation.id, explainUnreached(statistics.of(operation), cut !== undefined)]),
  );
  const closed = isElsewhere
    ? planObligations(selected, checks).close(() => judged.message)
    : obligations.close((operation) => reasonFor.get(operation));
  const unreached = coverage.operations.flatMap((one) => (one.isReached ? [] : one.operation));
  const names = { checks: checks.map(({ name }) => name), allChecks: allChecks.map(({ name }) => name) };
  return {
    title: contract.title,
    contractFile: contract.file,
    baseUrl: options.baseUrl,
    authUrl: options.authUrl,
    seed: context.seed,
    now: new Date(context.now).toISOString(),
    phases: options.phases,
    ...judged,
    findings: divided.findings.filter(isOfJudged),
    known: known.filter(isOfJudged),
    gone,
    warnings: gatherWarnings({
      facts: findings.facts(),
      outages: outages.all(),
      underspecified: underspecified
        .places()
        .map((one) => ({ ...one, sent: one.sent && redactor.redact(one.sent), message: redactor.redact(one.message) })),
      contract,
      operations: selected,
      statistics,
      problems: problems.filter((problem) => !isAsked || failureOf(problem) === undefined),
      tokenProblems,
      lostAccess,
      leftBehind,
      ledger: run.ledger.file(),
      cut: userCut,
      verdict: judged.verdict,
      gone,
    }),
    obligations: closed,
    // The reader sees the last lines first, so the largest parts come last.
    notTested: isElsewhere
      ? ['anything']
      : [
          ...describeNotReached(closed, unreached),
          ...describeUncovered(coverage),
          ...describeExcluded({ contract, selected, ...names }),
          ...describeUnreached(closed, unreached),
        ],
    coverage: isElsewhere
      ? watchCoverage(contract, context.judge).measure(selected, onlyOf(statistics, isJudged))
      : coverage,
    leftBehind: groupLeft(leftBehind),
    ledger: run.ledger.file(),
    requests: statistics.requests() + run.appended() + (lost?.sent.length ?? 0),
    shrinkRequests: run.appended(),
    durationMs: Math.round(performance.now() - run.startedAt),
    failure,
  };
}

function describeEnd({ outages, lostAccess }: Run): string | undefined {
  const goneForMs = outages.goneForMs();
  if (goneForMs !== undefined)
    return `the deployment stopped, and did not come back within ${Math.round(goneForMs / 1000)} s.`;
  return lostAccess.length > 0 ? 'the deployment no longer accepts the credentials of the run.' : undefined;
}

function onlyOf(statistics: Statistics, isJudged: (operation: Operation) => boolean): Statistics {
  const empty = createStatistics();
  return { ...statistics, of: (operation) => (isJudged(operation) ? statistics : empty).of(operation) };
}

/** Operations that accepted malformed JSON, and every body that breaks the contract. */
function operationsWithUnreadBody(all: readonly Obligation[]): ReadonlySet<string> {
  const judged = all.filter(({ state }) => state !== 'not reached');
  const isOfBody = ({ check, place }: Obligation): boolean =>
    place.startsWith(check === protocolLaw.name ? 'malformed-json' : 'body') && ofBodies.has(check);
  return new Set(
    [...Map.groupBy(judged.filter(isOfBody), ({ operation }) => operation)].flatMap(([operation, own]) => {
      const isMalformed = own.some(({ check }) => check === protocolLaw.name);
      return isMalformed && own.every(({ state }) => state === 'violated') ? operation : [];
    }),
  );
}

const ofBodies = new Set<string>([protocolLaw.name, inputCheck.invalid, inputCheck.required]);
