import { type RunContext, type SecretSeen, wholeAnswer } from '../checks/check.ts';
import { checks as allChecks } from '../checks/checks.ts';
import { filledIn } from '../checks/compare-objects.ts';
import { isDistinctive, publishedTexts } from '../checks/leaks.ts';
import { noAnswer } from '../checks/server-failure.ts';
import { watchAddress } from '../circumstances/address.ts';
import { watchContamination } from '../circumstances/contamination.ts';
import { watchCredentials } from '../circumstances/credentials.ts';
import { watchOutages } from '../circumstances/outage.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { baseOf, explainServer } from '../contract/servers.ts';
import { createAccounts } from '../execute/authorize.ts';
import { systemClock } from '../execute/clock.ts';
import { createConnection } from '../execute/connection.ts';
import { createCurrentTags } from '../execute/current-tags.ts';
import {
  type AcceptedRequest,
  type Exchange,
  isAccepted,
  isOrdinary,
  type NoAnswer,
  type NumberedExchange,
  type OutgoingRequest,
  type Trace,
} from '../execute/exchange.ts';
import { asksAgain, createPace } from '../execute/limits.ts';
import type { Scenario, Turn } from '../execute/scenario.ts';
import { createEngine } from '../execute/session.ts';
import { collectChains } from '../failures/chains.ts';
import { collectFindings } from '../failures/finding.ts';
import { createRedactor, type Redactor } from '../failures/redact.ts';
import { type CleanUp, cleanUp } from '../ledger/clean-up.ts';
import { type LedgerLine, openLedger } from '../ledger/ledger.ts';
import { type RecordWrites, recordWrites } from '../ledger/record-writes.ts';
import type { PlannedScenario } from '../phases/plan-phases.ts';
import { mayRepeat, refuseOperation } from '../plan/permissions.ts';
import { accepted, planObligations, selectOperations } from '../plan/plan.ts';
import { createResources, type Resources } from '../resources/resources.ts';
import { createJudge } from '../schema/create-judge.ts';
import { watchCoverage } from './contract-coverage.ts';
import { createJudging } from './judge-trace.ts';
import type { RunEvents, RunOptions } from './run.ts';
import { createStatistics } from './statistics.ts';
import { watchUnderspecified } from './underspecified.ts';
import type { Warning } from './warnings.ts';
import { watchDoubts } from './watch-doubts.ts';

/** Sees every exchange of a run once, in the order of the plan. */
interface Observer {
  readonly onExchange: (exchange: NumberedExchange) => void;
}

export type Run = ReturnType<typeof prepareRun>;

/**
 * Creates the parts of a run: its context, its engine and its observers. Sends nothing.
 *
 * @param earlier lines of the ledger, if its file exists
 */
export function prepareRun(
  contract: Contract,
  options: RunOptions,
  events: RunEvents,
  signal: AbortSignal,
  earlier: readonly LedgerLine[] = [],
) {
  const startedAt = performance.now();
  const stopped = new AbortController();
  const { milliseconds } = options.budget;
  const deadline = startedAt + (milliseconds ?? Number.POSITIVE_INFINITY);
  const timeUp = milliseconds === undefined ? [] : [AbortSignal.timeout(milliseconds)];
  const ended = AbortSignal.any([signal, stopped.signal, ...timeUp]);

  const { selected } = selectOperations(contract.operations, options.selection);
  const checks = allChecks.filter(({ name }) => options.checks.length === 0 || options.checks.includes(name));
  const obligations = planObligations(selected, checks);
  const redactor = createRedactor(contract, options.headers);
  const findings = collectFindings({
    ...redactor,
    excerptAt: contract.excerptAt,
    isDivided: (options.known ?? []).length > 0,
  });
  const chains = collectChains(contract);
  const statistics = createStatistics();
  const judge = createJudge(contract);
  const { permissions, now, seed, slowMs, maxWaitMs, clock = systemClock } = options;
  const secretsSeen: SecretSeen[] = [];
  const acceptedRequests = new Map<Operation, AcceptedRequest>();
  const limited = new Set<Operation>();
  const doubting = watchDoubts({ contract, judge });
  const context: RunContext = {
    ...{ contract, judge, permissions, now, seed, slowMs, secretsSeen, maxWaitMs },
    wait: (milliseconds) => clock.wait(milliseconds, ended),
    tag: `conform-${seed.toString(36)}`,
    resources: createResources(contract),
    accepted: acceptedRequests,
    limited,
    doubts: doubting.doubts,
    failedLike: statistics.failedLike,
    discovered: () => coverage.count() + findings.count(),
  };

  const { baseUrl, authUrl, timeoutMs, tls, proxy, workers } = options;
  const ledger = openLedger(options.ledger, { ledger: 1, title: contract.title, baseUrl, seed }, earlier);
  const { tag } = context;
  const record = recordWrites({ contract, judge, ledger, tag, now, redact: redactor.redact });
  const connect = (until: AbortSignal, mostMs = timeoutMs) =>
    createConnection({ timeoutMs: Math.min(timeoutMs, mostMs), signal: until, proxy, ...(tls && { tls }) });
  let connection = connect(ended);
  if (proxy !== undefined)
    redactor.keep(decodeURIComponent(new URL(proxy).password), 'PROXY_PASSWORD', 'the password of --proxy');
  const accounts = createAccounts({
    contract,
    credentials: { ...options.credentials, headers: options.headers },
    second: options.second,
    ...{ baseUrl, authUrl },
    // The clean-up uses the same tokens over another connection.
    connection: { send: (request: OutgoingRequest) => connection.send(request) },
    keepSecret: redactor.keep,
    mayCreateUsers: !permissions.readOnly,
  });
  const lostAccess: Warning[] = [];
  const tags = createCurrentTags(contract);
  let watch: ReturnType<typeof watchCredentials> | undefined;
  /** The parts that send until a signal: first those of the run, then those that shrink findings, then those of its clean-up. */
  const openEngine = (until: AbortSignal, deadline: number, recording: RecordWrites, mostMs = maxWaitMs) => {
    const parts = { connection, maxWaitMs: Math.min(maxWaitMs, mostMs), signal: until, deadline };
    const outages = watchOutages(parts);
    const pace = createPace(options.ratePerSecond, until);
    const engine = createEngine({
      ...{ ...parts, accounts, clock, pace, tags, startedAt, workers, record: recording },
      availability: outages,
      watchCredentials: (send) => {
        watch ??= watchCredentials({ send, keepSecret: redactor.keep }, (message, fix) => {
          lostAccess.push({ message, fix });
          // The server would reject every other request.
          stopped.abort();
        });
        return watch;
      },
      baseFor: (operation) => baseOf(operation, options) ?? baseUrl,
      form: judge.forms.request,
    });
    return { engine, outages, pace };
  };
  const { engine, outages, pace } = openEngine(ended, deadline, record);

  const address = watchAddress();
  const underspecified = watchUnderspecified(contract);
  const coverage = watchCoverage(contract, judge);
  const secrets = watchSecrets(contract, redactor, secretsSeen);
  const report = (exchange: NumberedExchange): void => {
    events.onExchange?.(exchange, redactor);
    if (!exchange.isPause) events.onRequest?.(formatLogLine(exchange, redactor, context.resources), exchange);
  };
  let appended = 0;
  const observers: readonly Observer[] = [
    statistics,
    outages,
    coverage,
    secrets,
    chains,
    doubting,
    {
      onExchange: (exchange) => {
        const { operation, draft, outcome } = exchange;
        if (isOrdinary(exchange)) address.onExchange(exchange);
        if (outcome.kind === 'answer' && outcome.status === 429 && asksAgain(outcome)) limited.add(operation);
        if (isOrdinary(exchange) && isAccepted(exchange)) {
          obligations.settle(operation, 'baseline', accepted, true);
          const known = acceptedRequests.get(operation)?.draft.parameters.length ?? Number.POSITIVE_INFINITY;
          // Probes need no optional parameters.
          if (draft !== undefined && draft.parameters.length <= known && outcome.kind === 'answer')
            acceptedRequests.set(operation, { draft, headers: outcome.headers, filledIn: filledIn(exchange) });
        }
        report(exchange);
      },
    },
    ofValidRequests([context.resources, underspecified]),
  ];

  for (const operation of selected) {
    const refusal = refuseToSend(contract, operation, options);
    if (refusal !== undefined) statistics.explain(operation, [refusal]);
  }
  const progress = (phase: string): void => {
    const { met, all } = obligations.count();
    const counts = { requests: statistics.requests() + appended, findings: findings.count() };
    events.onProgress?.({ phase, met, obligations: all, elapsedMs: performance.now() - startedAt, ...counts });
  };
  const judging = createJudging({ checks, context, obligations, findings, chains, onFinding: events.onFinding });
  return {
    ...{ contract, options, events, context, engine, ended, deadline, startedAt, redactor, accounts, lostAccess },
    ...{
      selected,
      checks,
      allChecks,
      obligations,
      findings,
      chains,
      statistics,
      outages,
      address,
      underspecified,
      coverage,
    },
    controls: watchContamination(contract, context.resources, engine.again),
    needsProof,
    sendable: selected.filter((operation) => statistics.of(operation).reasons.length === 0),
    stop: () => stopped.abort(),
    isStopped: () => stopped.signal.aborted,
    close: () => connection.close(),
    /** Adds the obligations of probes. */
    expect: (planned: readonly PlannedScenario[]): void => {
      for (const { scenario, probes } of planned)
        for (const probe of probes.filter(({ isDue }) => isDue === undefined))
          obligations.expect(scenario.operation, probe);
    },
    ledger,
    /** Undoes the writes of the ledger over a new connection. It calls no operation that the user excluded. */
    cleanUp: async (until: AbortSignal): Promise<CleanUp> => {
      connection = connect(until);
      const cleaning = openEngine(until, Number.POSITIVE_INFINITY, (_, send) => send());
      const { selected: allowed } = selectOperations(contract.operations, { ...options.selection, only: [] });
      const done = await cleanUp({
        ...{ contract, ledger, tag, signal: until, onProgress: events.onCleanUp },
        session: cleaning.engine.open({ id: 'clean-up', phase: 'baseline' }),
        refuse: (operation) =>
          allowed.includes(operation) ? refuseToSend(contract, operation, options) : 'it is excluded',
      });
      await connection.close();
      const hide = (text: string): string => redactor.redact(text);
      return {
        ...done,
        left: done.left.map((one) => ({ ...one, request: hide(one.request), object: one.object && hide(one.object) })),
      };
    },
    /** Adds the exchanges of one turn to the run context of the next round. */
    fold: (
      { operation, phase }: Pick<Scenario<RunContext>, 'operation' | 'phase'>,
      { exchanges, reasons, left, planned = [] }: Turn,
    ): void => {
      accounts.own.trials.settle();
      statistics.explain(operation, reasons);
      for (const probe of planned) {
        obligations.expect(operation, probe);
        if (probe.omitted !== undefined) obligations.leave(operation, probe.checks, probe.name, probe.omitted);
      }
      if (left !== undefined) obligations.leave(operation, left.checks, left.place, left.reason);
      const before = statistics.requests();
      const trace = exchanges.map((exchange, index) => ({ ...exchange, number: before + index + 1 }));
      for (const exchange of trace) for (const { onExchange } of observers) onExchange(exchange);
      const judged = trace.filter(({ isControl }) => isControl !== true);
      judging.judge(judged);
      events.onTrace?.(judged, context);
      progress(phase);
    },
    progress,
    /** Opens a connection after the run, which waits for nothing longer than this; writes are in the same ledger. */
    openAgain: (until: AbortSignal, deadline: number, mostMs: number) => {
      connection = connect(until, mostMs);
      return openEngine(until, deadline, record, mostMs).engine;
    },
    /** Numbers and reports exchanges after the run. They count neither as coverage nor as findings. */
    append: (exchanges: readonly Exchange[]): Trace =>
      exchanges.map((exchange) => {
        appended += 1;
        const numbered = { ...exchange, number: statistics.requests() + appended };
        secrets.onExchange(numbered);
        report(numbered);
        return numbered;
      }),
    appended: () => appended,
    /** Records failures of outages at the end: the request that stopped the deployment shows only when all others are known. */
    judgeOutages: (): void => {
      for (const { failure, exchanges } of checks.includes(noAnswer) ? outages.judge() : []) {
        for (const exchange of exchanges) {
          judging.record(noAnswer.name, exchange, { place: wholeAnswer, failures: [failure] });
        }
      }
    },
    findLostAddress: () => {
      const left = Math.max(0, (options.budget.requests ?? Number.POSITIVE_INFINITY) - statistics.requests());
      return address.findLost({ contract, connection, pace, left: ended.aborted ? 0 : left });
    },
  };
}

/** Collects secrets in answers for the checks of later answers. */
function watchSecrets({ root }: Contract, redactor: Redactor, secretsSeen: SecretSeen[]): Observer {
  const known = new Set<string>();
  let published: ReadonlySet<string> | undefined;
  return {
    onExchange: (exchange) => {
      for (const { text, pointer } of redactor.learn(exchange)) {
        const key = `${exchange.operation.id} ${pointer} ${text}`;
        if (!isDistinctive(text) || known.has(key)) continue;
        known.add(key);
        published ??= publishedTexts(root);
        if (published.has(text)) continue;
        secretsSeen.push({ text, pointer, operation: exchange.operation });
      }
    },
  };
}

/** Passes on only ordinary requests without pauses and controls, and every accepted deletion: the object is gone. */
function ofValidRequests(observers: readonly { readonly observe: (exchange: Exchange) => void }[]): Observer {
  return {
    onExchange: (exchange) => {
      const isDeletion = exchange.request.method === 'DELETE' && exchange.operation.method === 'delete';
      const isGone = isDeletion && isAccepted(exchange);
      if (exchange.isPause || exchange.isControl === true || !(isOrdinary(exchange) || isGone)) return;
      for (const { observe } of observers) observe(exchange);
    },
  };
}

/**
 * Whether a failure has to show again while no other request is in flight; once for each operation and kind. A deployment that one
 * request stopped fails other requests too, and a 500 under load may not be due to its request.
 */
function needsProof(): (exchange: Exchange) => boolean {
  const withoutConnection = new Set<NoAnswer['reason']>(['unsent', 'unresolved', 'refused']);
  const proven = new Set<string>();
  return ({ operation, request, outcome, isSuperseded }) => {
    if (isSuperseded === true) return false;
    const isFailure = outcome.kind === 'none' ? !withoutConnection.has(outcome.reason) : outcome.status >= 500;
    if (!isFailure || !mayRepeat(operation, request.method)) return false;
    const kind = outcome.kind === 'none' ? outcome.reason : outcome.status;
    const key = `${operation.id} ${kind}`;
    return kind !== 501 && !proven.has(key) && proven.add(key) !== undefined;
  };
}

/** @returns why these options exclude an operation; undefined if it is sent */
export function refuseToSend(contract: Contract, operation: Operation, options: RunOptions): string | undefined {
  if (baseOf(operation, options) === undefined) return explainServer(contract, operation);
  return refuseOperation(contract, operation, options.permissions);
}

/** Whether a header repeats a tag that a server chose. */
function isOfServer(name: string): boolean {
  return /^if-(none-)?match$/i.test(name);
}

function formatLogLine(
  { operation, intent, draft, request, seen }: NumberedExchange,
  { redact, headerText }: Redactor,
  { symbolOf }: Resources,
): string {
  const headers = request.headers
    .filter(([name]) => name.toLowerCase() !== 'authorization')
    .map(([name, value]) => `${name}: ${isOfServer(name) ? '<ETag>' : headerText(name, value)}`);
  const body = request.body === undefined ? '' : ` ${request.body.toString()}`;
  const what = `${operation.id} ${intent.phase} (${intent.label})`;
  // Ids that the server chose differ from run to run.
  const path = Object.entries(seen.path).reduce(
    (text, [name, value]) => {
      const symbol = symbolOf(operation.path, name, value) ?? (intent.probe === undefined ? undefined : `<${name}>`);
      return symbol === undefined ? text : text.replace(`/${encodeURIComponent(String(value))}`, () => `/${symbol}`);
    },
    draft?.edits?.path === undefined ? request.path : '/<Location>',
  );
  return `${what} ${request.method} ${redact(path)} {${headers.join('; ')}}${redact(body)}`;
}
