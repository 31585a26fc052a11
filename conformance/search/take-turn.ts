import { isObject } from '../contract/document.ts';
import { type Exchange, isAccepted, isCounted } from '../execute/exchange.ts';
import { asksAgain, isOverloaded } from '../execute/limits.ts';
import type { Session } from '../execute/session.ts';
import { mayCreateAgain, mayRepeat } from '../plan/permissions.ts';
import { inferConstraints } from '../rejections/infer-constraints.ts';
import { readRejection } from '../rejections/read-rejection.ts';
import { plainPath } from '../resources/slots.ts';
import { record, type SearchState, type Verdict } from './attempt.ts';
import { isWorthAnotherTarget, type Step, type Strategy, type Turn } from './strategies.ts';
import { judgeAttempt } from './verdicts.ts';

/** Verdicts after which more requests in this turn are useless or have to wait. */
const endsTurn: ReadonlySet<Verdict> = new Set(['accepted', 'over', 'later', 'later, alone', 'fresh, alone']);

/**
 * Sends the requests of a strategy one after the other: each answer changes the state that determines the next request.
 *
 * @param allowance limit for requests that count against the budget
 */
export async function takeTurn(
  turn: Turn,
  strategy: Strategy,
  before: SearchState,
  session: Session,
  allowance: number,
): Promise<{ readonly state: SearchState; readonly exchanges: readonly Exchange[] }> {
  const exchanges: Exchange[] = [];
  let state = strategy.begin?.(before) ?? before;
  for (let sent = 0; sent < strategy.mostRequests && exchanges.filter(isCounted).length < allowance; sent += 1) {
    const step = strategy.next(turn, state);
    state = step.state;
    if (step.next === undefined) break;
    const came = await session.send(step.next.draft);
    exchanges.push(...came);
    const last = came.at(-1);
    if (last === undefined) break;
    state = recordAnswer(turn, strategy, state, step.next, last);
    const verdict = state.log.at(-1)?.verdict;
    // The server only asked the run to wait: the same request is sent again.
    if (verdict === 'later' || verdict === 'later, alone') exchanges.splice(-1, 1, { ...last, isPause: true });
    const goesOn = strategy.name === 'candidates' && isWorthAnotherTarget(state, turn.operation);
    if (verdict !== undefined && endsTurn.has(verdict) && !goesOn) break;
  }
  return { state, exchanges };
}

/** The state after the answer to one request. */
function recordAnswer(
  turn: Turn,
  { name: strategy }: Strategy,
  state: SearchState,
  { target, draft }: NonNullable<Step['next']>,
  exchange: Exchange,
): SearchState {
  const { operation, kind, context } = turn;
  const { outcome } = exchange;
  const rejection = readRejection(context.contract, exchange);
  const inferred = inferConstraints(context.contract, exchange, rejection, state.constraints);
  const words = rejection?.words ?? '';
  const verdict = judgeAttempt({
    state,
    outcome,
    isRepeatable: mayRepeat(operation, exchange.request.method),
    mayCreateTwice: mayCreateAgain(operation, kind),
    isOverloaded: outcome.kind === 'answer' && isOverloaded(outcome),
    asksAgain: outcome.kind === 'answer' && asksAgain(outcome),
    isAccepted: isAccepted(exchange),
    hasTarget: Object.keys(target.values).length > 0,
    hasPath: operation.path.includes('{'),
    contents: turn.builder.contents,
    learned: inferred.learned,
    sameWords: words === '' ? 0 : state.log.filter((other) => other.words === words).length,
  });
  const { resources } = context;
  const created = resources.createdAt(operation.path);
  const isEmptyList = verdict === 'accepted' && isUselessList(turn, exchange);
  const attempt = { strategy, target, draft, exchange, words, verdict, isEmptyList, created };
  return record(state, attempt, inferred.constraints);
}

/** Whether the answer is an empty list though some path needs one of its items. */
function isUselessList({ context, operation }: Turn, { seen }: Exchange): boolean {
  if (operation.method !== 'get') return false;
  const path = plainPath(operation.path);
  if (!context.resources.isWanted(path) || context.resources.collections.get(path)?.items.length) return false;
  const body = seen.responseBody;
  const lists = Array.isArray(body) ? [body] : isObject(body) ? Object.values(body).filter(Array.isArray) : [];
  return lists.length > 0 && lists.every((list) => list.length === 0);
}
