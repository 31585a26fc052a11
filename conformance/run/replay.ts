// Sends the recorded requests of one failure again, and judges the answers with the check that found it.
import type { Instant } from '@lockstep/values/instant';
import type { RunContext } from '../checks/check.ts';
import { checks } from '../checks/checks.ts';
import { noAnswer, serverError } from '../checks/server-failure.ts';
import type { Contract } from '../contract/contract.ts';
import { counted, excerpt } from '../contract/printable.ts';
import { type Exchange, isAccepted, nameIdentity, type Trace } from '../execute/exchange.ts';
import { causeKey, fingerprintOf, hashOf } from '../failures/failure.ts';
import type { Chain, RecordedFailure, RecordedRequest } from '../failures/failure-file.ts';
import { groupLeft, nameLeft } from '../ledger/clean-up.ts';
import { cleanUpRun } from './clean-up-run.ts';
import { prepareRun } from './prepare-run.ts';
import type { RunOptions } from './run.ts';
import { mayRepeatChain, moveTimes, refuseChain, runChain } from './send-chain.ts';

export type ReplayVerdict = 'FAILED' | 'FIXED' | 'FLAKY' | 'CANNOT RUN';

/** One request of a replay, as reports show it. */
export interface Replayed {
  /** The credentials: `own`, `anonymous`, `second`, or how a token differs. */
  readonly identity: string;
  readonly request: string;
  readonly answered: string;
}

interface Attempt {
  readonly verdict: Exclude<ReplayVerdict, 'FLAKY'>;
  readonly message: string;
  readonly exchanges: readonly Replayed[];
  readonly leftBehind: readonly string[];
}

export interface Replay {
  readonly fingerprint: string;
  readonly check: string;
  readonly operation: string;
  readonly verdict: ReplayVerdict;
  readonly message: string;
  /** Verdicts of all attempts, in order. */
  readonly attempts: readonly string[];
  /** The last attempt that agrees with the verdict. */
  readonly exchanges: readonly Replayed[];
  /** Objects that the clean-up did not remove. */
  readonly leftBehind: readonly string[];
}

export interface ReplayTools {
  readonly contract: Contract;
  readonly options: RunOptions;
  /** The current time of the run that found the failure. */
  readonly foundAt: Instant;
  readonly interrupted: AbortSignal;
}

const mostAttempts = 3;

/** Replays one failure, several times if that leaves nothing behind and repeats no effect. */
export async function replayFailure(failure: RecordedFailure, tools: ReplayTools): Promise<Replay> {
  const { fingerprint, check, operation, chain } = failure;
  const refused =
    failure.unable ??
    (chain === undefined ? 'its requests were not recorded' : refuseChain(chain, tools.contract, tools.options));
  const attempts: Attempt[] = [];
  if (refused !== undefined || chain === undefined)
    attempts.push({ verdict: 'CANNOT RUN', message: refused ?? '', exchanges: [], leftBehind: [] });
  else {
    const most = mayRepeatChain(chain, tools.contract) ? mostAttempts : 1;
    for (let count = 0; count < most && !tools.interrupted.aborted; count += 1) {
      const attempt = await attemptChain(failure, chain, tools);
      attempts.push(attempt);
      if (attempt.verdict === 'CANNOT RUN' || attempt.leftBehind.length > 0) break;
    }
  }
  const judged = attempts.filter((one) => one.verdict !== 'CANNOT RUN');
  const verdicts = new Set(judged.map((one) => one.verdict));
  const failed = judged.findLast((one) => one.verdict === 'FAILED');
  const shown = failed ?? judged.at(-1) ?? attempts.at(-1);
  const isFlaky = verdicts.size > 1;
  const times = judged.filter((one) => one.verdict === 'FAILED').length;
  const message = shown?.message ?? 'it was interrupted';
  return {
    ...{ fingerprint, check, operation },
    verdict: isFlaky ? 'FLAKY' : (shown?.verdict ?? 'CANNOT RUN'),
    message: isFlaky ? `${message} (in ${times} of ${counted(judged.length, 'attempt')})` : message,
    attempts: attempts.map((one) => one.verdict),
    exchanges: shown?.exchanges ?? [],
    leftBehind: attempts.flatMap((one) => one.leftBehind),
  };
}

/** Sends the chain once, judges it, and undoes its writes. */
async function attemptChain(
  failure: RecordedFailure,
  chain: Chain,
  { contract, options, foundAt, interrupted }: ReplayTools,
): Promise<Attempt> {
  const run = prepareRun(contract, { ...options, checks: [] }, {}, interrupted);
  const { sent, turn, broken } = await runChain(chain, `replay ${failure.fingerprint}`, {
    ...{ contract, context: run.context, engine: run.engine, needsProof: run.needsProof(), deadline: run.deadline },
    signal: run.ended,
    move: moveTimes(chain, foundAt, options.now, run.context.judge),
    fold: (scenario, folded) => {
      run.fold(scenario, folded);
      return folded.exchanges.map((exchange, index) => ({ ...exchange, number: index + 1 }));
    },
  });
  await run.close();
  const left = await cleanUpRun(run, interrupted);
  const { redact } = run.redactor;
  const problems = run.accounts.problems();
  const judged = broken === undefined ? judgeTurn(failure, chain, turn, run.context) : cannotRun(broken);
  const because = judged.verdict === 'CANNOT RUN' && problems.length > 0 ? ` (${problems.join('; ')})` : '';
  return {
    verdict: judged.verdict,
    message: redact(`${judged.message}${because}`),
    exchanges: sent.filter(({ isPause }) => !isPause).map((exchange) => showExchange(exchange, redact)),
    leftBehind: nameLeft(groupLeft(left)).map(({ text }) => redact(text)),
  };
}

type Judged = Pick<Attempt, 'verdict' | 'message'>;

function cannotRun(message: string): Judged {
  return { verdict: 'CANNOT RUN', message };
}

/** Statuses about the account, the rate and the state of the server, which settle no other question. */
const silent = new Set([402, 407, 429, 503]);
/** Statuses about the credentials, which only a probe asks for. */
const ofAccess = new Set([401, 403]);

function judgeTurn(failure: RecordedFailure, chain: Chain, turn: Trace, context: RunContext): Judged {
  const { check: name, place } = failure;
  const check = checks.find((one) => one.name === name);
  const shown = turn.findLast(({ isPause, isAlone }) => !isPause && isAlone !== true);
  const recorded = chain.requests.at(-1);
  if (check === undefined || shown === undefined || recorded === undefined) return cannotRun('nothing was sent');
  const { outcome } = shown;
  // During a replay, an outage is this one failure.
  if (outcome.kind === 'none' && check === noAnswer) return { verdict: 'FAILED', message: outcome.message };
  const trace = turn.filter(({ isPause }) => !isPause);
  const verdicts = check.kind === 'trace' ? check.judge(trace, context) : check.judge(shown, context);
  const found = verdicts.flatMap((verdict) => verdict.failures.map((one) => ({ ...one, at: verdict.place })));
  const same = found.find(
    (one) =>
      fingerprintOf(one, failure.operation) === failure.fingerprint ||
      one.causes.some((cause) => failure.causes.includes(hashOf(causeKey(one, cause)))),
  );
  const still = same ?? found.find(({ at, severity }) => at === place && severity !== 'warning');
  if (still !== undefined) return { verdict: 'FAILED', message: still.message };
  const here = verdicts.find((verdict) => verdict.place === place);
  const status = outcome.kind === 'answer' ? outcome.status : 0;
  const answered = outcome.kind === 'answer' ? `the server answered ${status}` : outcome.message;
  const before = recorded.answered === 0 ? 'no answer came' : `it answered ${recorded.answered}`;
  if (here?.unjudged !== undefined) return cannotRun(`the check cannot judge the answer: ${here.unjudged}`);
  const isOfProbe = check.kind === 'trace' && shown.intent.probe?.checks.includes(name) === true;
  if (here === undefined || (!isOfProbe && changesQuestion(check.name, recorded, shown, status)))
    return cannotRun(`the check cannot judge the answer: ${answered}; when the failure was found, ${before}`);
  const otherwise = 'if the server is unchanged, the failure needs a state that these requests do not bring about';
  return { verdict: 'FIXED', message: `${answered}, and the check finds nothing; ${otherwise}` };
}

/** Whether an answer is about something else than the recorded one: the object is gone, or the request was not carried out. */
function changesQuestion(check: string, { answered, intent }: RecordedRequest, exchange: Exchange, status: number) {
  if (status === answered || check === noAnswer.name) return status === 0;
  if (status === 0 || silent.has(status) || (status >= 500 && check !== serverError.name)) return true;
  const isValid = intent.polarity === 'valid' && intent.probe === undefined;
  const isOther = answered < 400 || status === 404 || status === 410 || ofAccess.has(status);
  return isValid && !isAccepted(exchange) && isOther;
}

const mostShown = 200;

/** A request with the headers that its probe has changed, and its answer. */
function showExchange({ intent, draft, request, outcome }: Exchange, redact: (text: string) => string): Replayed {
  const edited = Object.entries(draft?.edits?.headers ?? {}).map(([name, value]) => ` [${name}: ${value ?? 'none'}]`);
  const content = (body: Buffer | undefined): string => (body === undefined ? '' : ` ${body}`);
  const sent = `${request.method} ${request.path}${edited.join('')}${content(request.body)}`;
  const answered =
    outcome.kind === 'answer' ? `${outcome.status}${content(outcome.body)}` : `no answer: ${outcome.message}`;
  return {
    identity: nameIdentity(intent.identity),
    // Redaction comes before the cut: a part of a secret would not be recognised.
    request: excerpt(redact(sent), mostShown),
    answered: excerpt(redact(answered), mostShown),
  };
}
