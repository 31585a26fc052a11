import { type SecretSeen, type Verdict, type World, wholeAnswer } from '../checks/check.ts';
import { checks as allChecks, contractItself, failureOf } from '../checks/checks.ts';
import { leastSecretLength } from '../checks/leaks.ts';
import { noAnswer } from '../checks/server-failure.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { createAccounts } from '../execute/authorize.ts';
import { createConnection } from '../execute/connection.ts';
import {
  type Exchange,
  isAccepted,
  type NoAnswer,
  type NumberedExchange,
  type Outage,
  type Trace,
} from '../execute/exchange.ts';
import { createPace } from '../execute/limits.ts';
import { runQueue } from '../execute/queue.ts';
import { createEngine } from '../execute/session.ts';
import { collectFindings } from '../failures/finding.ts';
import { createRedactor, type Redactor } from '../failures/redact.ts';
import { planBaseline } from '../phases/baseline.ts';
import { mayRepeat, refuseOperation } from '../plan/permissions.ts';
import { accepted, planObligations, selectOperations } from '../plan/plan.ts';
import { createSharedLessons } from '../resources/lessons.ts';
import { refusalOf } from '../resources/read-refusal.ts';
import { createResources, type Resources } from '../resources/resources.ts';
import type { CanonicalForm } from '../schema/canonical.ts';
import { createJudge } from '../schema/create-judge.ts';
import { watchAftermath } from './aftermath.ts';
import { watchRefusals } from './looser.ts';
import { findLostAddress, seeTargets } from './lost-address.ts';
import { describeLeftOut, describeNotReached } from './not-tested.ts';
import { judgeOutages, rememberExchanges } from './outages.ts';
import type { RunEvents, RunOptions, RunResult } from './run.ts';
import { createTally, explainUnreached, measureCoverage, type Tally } from './tally.ts';
import { gatherWarnings, judgeVerdict, RunnerFailure, type Warning } from './verdict.ts';

/** Runs the plan against a deployment and judges every answer. Throws for nothing that the deployment does. */
export async function runConformance(
  contract: Contract,
  options: RunOptions,
  events: RunEvents = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<RunResult> {
  const startedAt = performance.now();
  const stop = new AbortController();
  const { milliseconds } = options.budget;
  const deadline = startedAt + (milliseconds ?? Number.POSITIVE_INFINITY);
  const timeUp = milliseconds === undefined ? [] : [AbortSignal.timeout(milliseconds)];
  const ended = AbortSignal.any([signal, stop.signal, ...timeUp]);

  const { selected } = selectOperations(contract.operations, options.selection);
  const checks = allChecks.filter(({ name }) => options.checks.length === 0 || options.checks.includes(name));
  const redactor = createRedactor(contract, options.headers);
  const judge = createJudge(contract);
  const obligations = planObligations(selected, checks);
  const findings = collectFindings({ ...redactor, lineOf: contract.lineOf });
  const tally = createTally();
  const targets = seeTargets();
  const resources = createResources(contract);
  const lessons = createSharedLessons(contract);
  const looser = watchRefusals(contract);
  const secretsSeen: SecretSeen[] = [];
  const secretKeys = new Set<string>();
  const { permissions, now, seed, slowMs } = options;
  const tag = `conform-${seed.toString(36)}`;
  const { failedLike } = tally;
  const own = { resources, lessons, secretsSeen, failedLike };
  const world: World = { contract, judge, permissions, now, seed, tag, slowMs, ...own };

  const lostAccess: Warning[] = [];
  const { connection, accounts, pace, engine } = wire(contract, options, redactor, {
    signal: ended,
    startedAt,
    deadline,
    onLost: (says, cure) => {
      lostAccess.push({ says, cure });
      // Whatever else were sent would only be refused.
      stop.abort();
    },
    form: judge.forms.request,
  });

  const judgeTrace = (trace: Trace): void => {
    const tell = (check: string, exchange: NumberedExchange, { place, failures, unjudged }: Verdict): void => {
      if (unjudged !== undefined) {
        obligations.leave(exchange.operation, check, place, unjudged);
        return;
      }
      const isMet = failures.every(({ severity }) => severity === 'warning');
      obligations.settle(exchange.operation, check, place, isMet);
      for (const failure of failures) {
        const found = findings.add(failure, exchange);
        if (found !== undefined) events.onFinding?.(found);
      }
    };
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
  };

  /** Takes one exchange into account: what is kept of it does not grow with its body. */
  const observe = (exchange: NumberedExchange): void => {
    tally.count(exchange);
    targets.see(exchange);
    for (const { text, pointer } of redactor.learn(exchange)) {
      const key = `${exchange.operation.id} ${pointer} ${text}`;
      if (text.length < leastSecretLength || secretKeys.has(key)) continue;
      secretKeys.add(key);
      secretsSeen.push({ text, pointer, operation: exchange.operation });
    }
    if (isAccepted(exchange)) obligations.settle(exchange.operation, 'baseline', accepted, true);
    if (!exchange.isPause) events.onRequest?.(formatLogLine(exchange, redactor, resources));
    const { polarity, identity } = exchange.intent;
    if (exchange.isPause || exchange.isControl === true || polarity !== 'valid' || identity !== 'own') return;
    resources.observe(exchange);
    looser.observe(exchange);
    const refusal = refusalOf(exchange);
    if (refusal !== undefined) lessons.observe(exchange.operation, exchange.seen, refusal);
  };

  const recent = rememberExchanges(engine.outages);
  for (const operation of selected) {
    const refusal = refuseToSend(contract, operation, options);
    if (refusal !== undefined) tally.explain(operation, [refusal]);
  }
  const sendable = selected.filter((operation) => tally.of(operation).reasons.length === 0);

  let failure: RunnerFailure | undefined;
  const cut = await runQueue({
    scenarios: planBaseline(contract, sendable),
    world,
    engine,
    needsProof: needsProof(),
    aftermath: watchAftermath(contract, resources),
    fold: ({ operation, phase }, { exchanges, reasons }) => {
      accounts.own.trials.settle();
      tally.explain(operation, reasons);
      const trace = exchanges.map((exchange, index) => ({ ...exchange, number: tally.requests() + index + 1 }));
      for (const exchange of trace) {
        observe(exchange);
        recent.see(exchange);
      }
      judgeTrace(trace.filter(({ isControl }) => isControl !== true));
      // What is left of the plan would only wait for the same.
      const isGone = engine.outages().some(({ awayMs, waitedMs }) => awayMs === undefined && waitedMs > 0);
      if (isGone || targets.judged().away !== undefined) stop.abort();
      const { met, all } = obligations.count();
      const elapsedMs = performance.now() - startedAt;
      const counts = { requests: tally.requests(), findings: findings.count() };
      events.onProgress?.({ phase, met, obligations: all, elapsedMs, ...counts });
    },
    options: { workers: options.workers, requests: options.budget.requests, deadline, signal: ended },
  }).catch((error: unknown) => {
    failure = new RunnerFailure(error);
    stop.abort();
    return 'interrupted' as const;
  });
  if (signal.reason instanceof RunnerFailure) failure ??= signal.reason;
  const isStopJudged = checks.includes(noAnswer);
  for (const { failure, exchanges } of isStopJudged ? judgeOutages(engine.outages(), recent.of) : []) {
    for (const exchange of exchanges) {
      obligations.settle(exchange.operation, noAnswer.name, wholeAnswer, false);
      const found = findings.add(failure, exchange);
      if (found !== undefined) events.onFinding?.(found);
    }
  }

  const seen = targets.judged();
  const left = Math.max(0, (options.budget.requests ?? Number.POSITIVE_INFINITY) - tally.requests());
  const lost = await findLostAddress({ contract, seen, connection, pace, left: ended.aborted ? 0 : left });
  for (const line of lost?.sent ?? []) events.onRequest?.(line);
  await connection.close();

  const userCut = stop.signal.aborted ? undefined : cut;
  const problems = [...contract.problems, ...judge.problems()];
  const isAsked = checks.includes(contractItself);
  for (const problem of isAsked ? problems : []) {
    const failure = failureOf(problem);
    if (failure !== undefined) findings.addUnsent(failure);
  }
  const tokenProblems = accounts.problems().map(redactor.redact);
  const coverage = measureCoverage(selected, tally);
  const judged = judgeVerdict({
    findings: findings.all(),
    tallies: tally.all(),
    away: seen.away,
    option: seen.option,
    coverage,
    cut: userCut,
    lost,
    tokenProblems,
    ended: describeEnd(engine.outages(), lostAccess),
    failure: failure && redactor.redact(failure.message),
  });
  // What another host, or none, answered says nothing about this deployment.
  const isElsewhere = judged.verdict === 'unreachable' || judged.verdict === 'wrong-address';
  const isJudged = ({ target }: Operation): boolean =>
    !isElsewhere || target !== (seen.option === '--base-url' ? 'api' : 'auth');
  const reasonFor = new Map(
    selected.map((operation) => [operation.id, explainUnreached(tally.of(operation), cut !== undefined)]),
  );
  const closed = isElsewhere
    ? planObligations(selected, checks).close(() => judged.says)
    : obligations.close((operation) => reasonFor.get(operation));
  const names = { checks: checks.map(({ name }) => name), allChecks: allChecks.map(({ name }) => name) };
  return {
    title: contract.title,
    contractFile: contract.file,
    baseUrl: options.baseUrl,
    authUrl: options.authUrl,
    seed,
    now: new Date(now).toISOString(),
    ...judged,
    findings: findings.all().filter(({ operation }) => {
      const own = selected.find(({ id }) => id === operation);
      return own === undefined || isJudged(own);
    }),
    warnings: gatherWarnings({
      facts: findings.facts(),
      outages: engine.outages(),
      looser: looser
        .places()
        .map((one) => ({ ...one, sent: one.sent && redactor.redact(one.sent), says: redactor.redact(one.says) })),
      contract,
      operations: selected,
      tally,
      problems: problems.filter((problem) => !isAsked || failureOf(problem) === undefined),
      tokenProblems,
      lostAccess,
      cut: userCut,
      verdict: judged.verdict,
    }),
    obligations: closed,
    notTested: isElsewhere
      ? ['anything']
      : [
          ...describeLeftOut({ contract, selected, ...names }),
          ...describeNotReached(
            closed,
            coverage.operations.flatMap((one) => (one.isReached ? [] : one.operation)),
          ),
        ],
    coverage: isElsewhere ? measureCoverage(selected, onlyOf(tally, isJudged)) : coverage,
    requests: tally.requests() + (lost?.sent.length ?? 0),
    durationMs: Math.round(performance.now() - startedAt),
    failure,
  };
}

function describeEnd(outages: readonly Outage[], lostAccess: readonly Warning[]): string | undefined {
  const gone = outages.find(({ awayMs, waitedMs }) => awayMs === undefined && waitedMs > 0);
  if (gone !== undefined)
    return `the deployment stopped, and did not come back within ${Math.round(gone.waitedMs / 1000)} s.`;
  return lostAccess.length > 0 ? 'what let the run in has ended.' : undefined;
}

/** What a run sends with. Secrets that it uses are told to the redactor before they can stand in any output. */
function wire(
  contract: Contract,
  options: RunOptions,
  redactor: Redactor,
  given: {
    readonly signal: AbortSignal;
    readonly startedAt: number;
    readonly deadline: number;
    readonly onLost: (says: string, cure: string) => void;
    readonly form: CanonicalForm;
  },
) {
  const { baseUrl, authUrl, maxWaitMs, timeoutMs, tls } = options;
  const connection = createConnection({ timeoutMs, signal: given.signal, ...(tls && { tls }) });
  const accounts = createAccounts({
    contract,
    credentials: { ...options.credentials, headers: options.headers },
    second: options.second,
    baseUrl,
    authUrl,
    connection,
    keepSecret: redactor.keep,
    mayCreateUsers: !options.permissions.readOnly,
  });
  const pace = createPace(options.ratePerSecond, given.signal);
  const engine = createEngine({
    accounts,
    connection,
    pace,
    maxWaitMs,
    keepSecret: redactor.keep,
    ...given,
    baseFor: ({ target, besidePath }) => {
      if (target === 'api') return baseUrl;
      return authUrl ?? (besidePath === undefined ? baseUrl : `${new URL(baseUrl).origin}${besidePath}`);
    },
  });
  return { connection, accounts, pace, engine };
}

/**
 * A failure counts when it shows again with nothing else under way: once for each operation and kind. A deployment that was
 * stopped by one request takes others down with it, and a 500 under load is not yet one of that request.
 */
function needsProof(): (exchange: Exchange) => boolean {
  const isNobodys = new Set<NoAnswer['reason']>(['unsent', 'unresolved', 'refused']);
  const proven = new Set<string>();
  return ({ operation, request, outcome }) => {
    const isFailure = outcome.kind === 'none' ? !isNobodys.has(outcome.reason) : outcome.status >= 500;
    if (!isFailure || !mayRepeat(operation, request.method)) return false;
    const kind = outcome.kind === 'none' ? outcome.reason : outcome.status;
    const key = `${operation.id} ${kind}`;
    return kind !== 501 && !proven.has(key) && proven.add(key) !== undefined;
  };
}

function onlyOf(tally: Tally, isJudged: (operation: Operation) => boolean): Tally {
  const empty = createTally();
  return { ...tally, of: (operation) => (isJudged(operation) ? tally : empty).of(operation) };
}

function refuseToSend(
  contract: Contract,
  operation: Operation,
  { authUrl, permissions }: RunOptions,
): string | undefined {
  const { target, besidePath } = operation;
  if (target === 'auth' && authUrl === undefined && besidePath === undefined)
    return 'it is at another server: pass --auth-url';
  return refuseOperation(contract, operation, permissions);
}

function formatLogLine(
  { operation, intent, request, seen }: NumberedExchange,
  { redact, headerText }: Redactor,
  { symbolOf }: Resources,
): string {
  const headers = request.headers
    .filter(([name]) => name.toLowerCase() !== 'authorization')
    .map(([name, value]) => `${name}: ${headerText(name, value)}`);
  const body = request.body === undefined ? '' : ` ${request.body.toString()}`;
  const what = `${operation.id} ${intent.phase} (${intent.label})`;
  // Ids that the server chose differ from run to run.
  const path = Object.entries(seen.path).reduce((text, [name, value]) => {
    const symbol = symbolOf(operation.path, name, value);
    return symbol === undefined ? text : text.replace(`/${encodeURIComponent(String(value))}`, () => `/${symbol}`);
  }, request.path);
  return `${what} ${request.method} ${redact(path)} {${headers.join('; ')}}${redact(body)}`;
}
