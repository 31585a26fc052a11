// Replaces the requests that a finding shows by fewer and smaller ones, after all phases.
import type { RunContext } from '../checks/check.ts';
import { noAnswer, slow } from '../checks/server-failure.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { isSame } from '../contract/document.ts';
import { systemClock } from '../execute/clock.ts';
import { type Draft, type Exchange, isAccepted, type NumberedExchange, type Trace } from '../execute/exchange.ts';
import { type Session, toolsFor } from '../execute/session.ts';
import { seenOf } from '../execute/write-request.ts';
import type { Recorded } from '../failures/chains.ts';
import { causeKey, type Failure, fingerprintOf, hashOf, isSurer } from '../failures/failure.ts';
import { type Chain, type RecordedRequest, symbolsIn } from '../failures/failure-file.ts';
import type { Collected } from '../failures/finding.ts';
import { divideFindings } from '../failures/known.ts';
import { deletionOf, withNewNames } from '../phases/own-objects.ts';
import { mayVary } from '../phases/probe.ts';
import { isSafe, kindOf } from '../plan/operation-kinds.ts';
import { selectOperations } from '../plan/plan.ts';
import type { Scalar } from '../resources/read-items.ts';
import { operationAt, plainPath } from '../resources/slots.ts';
import { isOfRun, renewEndings } from '../search/apply-constraints.ts';
import { hasToExist, isFilledByServer } from '../search/build-request.ts';
import { keepRequests } from '../shrink/reductions.ts';
import { type Attempt, mostEffort, shrinkChain, verdictClassOf } from '../shrink/shrink-chain.ts';
import { type Run, refuseToSend } from './prepare-run.ts';
import type { RunOptions } from './run.ts';
import { operationOf, readDraft, refuseChain, runChain } from './send-chain.ts';

/** Time for all findings. */
const mostMs = 20_000;

/** Checks whose failures could stop the deployment, or depend on the load of the machine. */
const unshrunk = new Set([noAnswer.name, slow.name]);

/**
 * Shrinks each finding that is not known, defects first. Its requests have the permissions, the rate and the ledger of the run. They do
 * not count against the budget, as those of the clean-up: a budget of time is often spent by then. The caller closes the connection.
 */
export async function shrinkFindings(run: Run, interrupted: AbortSignal): Promise<void> {
  const { contract, options, findings, chains, events } = run;
  const { clock = systemClock } = options;
  const causes = findings.causes();
  const { findings: counting } = divideFindings(causes, options.known ?? [], options.now);
  // A cause that is accepted on some of its operations has a request for each.
  const isWhole = ({ finding }: Collected): boolean =>
    counting.some(({ id, operations }) => id === finding.id && operations.length === finding.operations.length);
  const sorted = ['defect', 'suspect'].flatMap((severity) =>
    causes.filter((one) => one.finding.severity === severity && isWhole(one)),
  );
  const until = AbortSignal.any([interrupted, AbortSignal.timeout(mostMs)]);
  if (sorted.length === 0) return;
  const sender = createSender(run, until);
  for (const cause of sorted) {
    if (until.aborted || sender.isStopped()) break;
    run.progress('shrink');
    const recorded = chains.shownBy(cause);
    const { check = '', chain: whole } = recorded?.failure ?? {};
    if (recorded === undefined || whole === undefined || !mayShrink(check, whole, contract, options)) {
      events.onShrink?.({ before: cause.finding, after: cause.finding, requests: 0 });
      continue;
    }
    const chain = withOwnNames(whole, run.context);
    const { smaller, requests } = await shrinkChain({
      chain,
      shorter: keepRequests(chain, recorded.needed),
      isAlike: sender.isAlike,
      isFixed: (name, value) => hasToExist(name) || isFilledByServer(name) || isOfRun(value, run.context),
      send: (candidate) => sender.send(candidate, recorded),
      clock: clock.now,
    });
    let shown = cause.finding;
    if (smaller !== undefined) {
      const { failure, exchange, trace } = smaller.proof;
      chains.replace(cause, smaller.chain, failure.message);
      shown = findings.replace(cause.finding.id, failure, exchange, trace) ?? shown;
    }
    events.onShrink?.({ before: cause.finding, after: shown, requests });
  }
}

/**
 * Whether the requests of a finding may be sent many times: all of them are reads, or writes of objects that the run creates and can
 * delete. Actions, effects, log-ins and settings are sent by no option.
 */
function mayShrink(check: string, chain: Chain, contract: Contract, options: RunOptions): boolean {
  const { writes } = options.permissions;
  const permissions = { ...options.permissions, writes: writes === 'all' ? ('restore' as const) : writes };
  // A wait is about the time between two requests, or about their number.
  if (chain.requests.some(({ timing }) => timing !== undefined)) return false;
  if (unshrunk.has(check) || refuseChain(chain, contract, { ...options, permissions }) !== undefined) return false;
  return chain.requests.every((recorded) => {
    const operation = operationOf(contract, recorded);
    if (operation === undefined || !mayVary(contract, operation, permissions)) return false;
    const { method = operation.method } = recorded.edits ?? {};
    if (isSafe(operation)) return ['get', 'head', 'options'].includes(method.toLowerCase());
    // A server may answer 201 to each PUT: it proves no object of the run.
    if (operation.method === 'put' && recorded.answered === 201) return false;
    return kindOf(contract, operation) !== 'create' || canDelete(operation, contract, options);
  });
}

/** Whether the clean-up may delete the objects of a create. */
function canDelete({ path }: Operation, contract: Contract, options: RunOptions): boolean {
  const removal = operationAt(contract, 'delete', `${plainPath(path)}/{}`);
  return removal !== undefined && mayDelete(removal, contract, options);
}

function mayDelete(removal: Operation, contract: Contract, options: RunOptions): boolean {
  const { selected: allowed } = selectOperations(contract.operations, { ...options.selection, only: [] });
  return allowed.includes(removal) && refuseToSend(contract, removal, options) === undefined;
}

/** Numbers of names, apart from those of other requests. */
const firstName = 2 * 36 ** 3;

/** Gives the objects that a chain creates before its turn names of their own: those of the run are still there. */
function withOwnNames(chain: Chain, context: RunContext): Chain {
  const requests = chain.requests.map((recorded, index): RecordedRequest => {
    const { body, intent, edits } = recorded;
    const operation = operationOf(context.contract, recorded);
    // The creates of a probe have such names, and a name of another object stays.
    const isNamed = index >= chain.judged && intent.probe !== undefined;
    if (operation === undefined || body === undefined || isNamed || edits !== undefined) return recorded;
    if (kindOf(context.contract, operation) !== 'create' || symbolsIn(body).length > 0) return recorded;
    const draft = readDraft(operation, recorded, new Map());
    if (typeof draft === 'string') return recorded;
    const named = withNewNames(toolsFor(context, operation, 'baseline', 0), draft, firstName + index);
    return { ...recorded, body: { ...body, value: named.body?.value } };
  });
  return { ...chain, requests };
}

interface Proof {
  readonly failure: Failure;
  readonly exchange: NumberedExchange;
  readonly trace: Trace;
}

/** Sends chains, judges them, and deletes the objects that they create. */
function createSender(run: Run, until: AbortSignal) {
  const { contract, context, options } = run;
  const deadline = performance.now() + mostMs;
  const engine = run.openAgain(until, deadline, mostEffort.ms);
  let count = 0;
  let isStopped = false;
  /** Ids of the last objects, for a verdict on requests that name one. */
  let known: ReadonlyMap<string, Scalar> = new Map();

  /** @returns the deletions sent, and whether every object is deleted */
  const undo = async (session: Session, sent: readonly Exchange[]) => {
    const undone: Exchange[] = [];
    let isClean = true;
    for (const created of sent.toReversed()) {
      if (created.isPause || !isAccepted(created) || kindOf(contract, created.operation) !== 'create') continue;
      const deletion = deletionOf(context, created);
      if (deletion !== undefined && sent.some((one) => deletes(one, deletion))) continue;
      const { identity } = created.intent;
      const came =
        deletion !== undefined && mayDelete(deletion.operation, contract, options)
          ? await session.send({ ...deletion, label: 'undo', ...(identity === 'second' && { identity }) })
          : [];
      undone.push(...came);
      const last = came.at(-1);
      isClean &&= last !== undefined && isAccepted(last);
    }
    return { undone, isClean };
  };

  return {
    isStopped: () => isStopped,
    isAlike: (candidate: Chain, base: Chain): boolean =>
      candidate.requests.every((one, index) => {
        const other = base.requests[index];
        if (one === other) return true;
        const [now, before] = [one, other].map((recorded) => classOf(recorded, context, known));
        return now !== undefined && now === before;
      }),
    send: async (chain: Chain, recorded: Recorded): Promise<Attempt<Proof>> => {
      count += 1;
      let isClean = true;
      const { sent, turn, values, broken } = await runChain(withFreshTexts(chain, context, count), `shrink ${count}`, {
        ...{ contract, context, engine, deadline, signal: until },
        needsProof: run.needsProof(),
        move: (value) => value,
        undo: async (session, sent) => {
          const done = await undo(session, sent);
          isClean = done.isClean;
          return done.undone;
        },
        fold: (_, { exchanges }) => run.append(exchanges),
      });
      known = values;
      const isSilent = sent.some(({ outcome }) => outcome.kind === 'none');
      isStopped ||= isSilent || until.aborted;
      const isSlowedDown = sent.some(
        ({ isPause, outcome }) => isPause || (outcome.kind === 'answer' && outcome.status === 429),
      );
      const proof = broken === undefined && !isStopped ? judgeTurn(turn, recorded, run) : undefined;
      const requests = sent.length + turn.filter(({ isAlone }) => isAlone === true).length;
      return { proof, requests, isOver: isStopped || isSlowedDown || !isClean };
    },
  };
}

/** Whether a request has deleted this object. */
function deletes({ request, operation, seen }: Exchange, deletion: Draft): boolean {
  return request.method === 'DELETE' && operation === deletion.operation && isSame(seen.path, seenOf(deletion).path);
}

function classOf(
  recorded: RecordedRequest | undefined,
  { contract, judge }: RunContext,
  values: ReadonlyMap<string, Scalar>,
): string | undefined {
  const operation = recorded && operationOf(contract, recorded);
  const draft = operation && readDraft(operation, recorded, values);
  return typeof draft === 'object' ? verdictClassOf(judge, draft, contract) : undefined;
}

/** Other names and other keys of idempotency: a server may accept either only once. Their labels end with `shrunk`. */
function withFreshTexts(chain: Chain, context: RunContext, count: number): Chain {
  const requests = chain.requests.map((recorded): RecordedRequest => {
    const { parameters, body, intent } = recorded;
    const key = operationOf(context.contract, recorded)?.extensions.idempotencyKey?.toLowerCase();
    return {
      ...recorded,
      intent: { ...intent, label: `${intent.label}, shrunk` },
      parameters: parameters.map((one) => {
        const isKey = one.in === 'header' && one.name.toLowerCase() === key;
        if (one.in === 'path') return one;
        return { ...one, value: isKey ? renewKey(one.value, count) : renewEndings(one.value, context, count) };
      }),
      ...(body && { body: { ...body, value: renewEndings(body.value, context, count) } }),
    };
  });
  return { ...chain, requests };
}

/** Another key of the same form, equal for equal keys: its last eight digits count up. */
function renewKey(value: unknown, count: number): unknown {
  return typeof value !== 'string'
    ? value
    : value.replace(/[0-9a-f]{8}$/i, (digits) =>
        ((Number.parseInt(digits, 16) + count * 0x1_0000) >>> 0).toString(16).padStart(8, '0'),
      );
}

/** The same failure in other answers: found by the same check at the same place, with one of its causes and at least as sure. */
function judgeTurn(turn: Trace, recorded: Recorded, { checks, context }: Run): Proof | undefined {
  const check = checks.find(({ name }) => name === recorded.failure.check);
  const trace = turn.filter(({ isPause }) => !isPause);
  const shown = trace.findLast(({ isAlone }) => isAlone !== true);
  if (check === undefined || shown === undefined) return undefined;
  const verdicts =
    check.kind === 'trace'
      ? check.judge(trace, context)
      : check.judge(shown, context).map((verdict) => ({ ...verdict, exchange: shown }));
  const isFound = (failure: Failure, { operation }: NumberedExchange): boolean =>
    fingerprintOf(failure, operation.id) === recorded.failure.fingerprint &&
    failure.causes.some((cause) => recorded.failure.causes.includes(hashOf(causeKey(failure, cause)))) &&
    !isSurer(recorded, failure);
  const proofs = verdicts.flatMap(({ failures, exchange }) =>
    failures.filter((failure) => isFound(failure, exchange)).map((failure): Proof => ({ failure, exchange, trace })),
  );
  return proofs[0];
}
