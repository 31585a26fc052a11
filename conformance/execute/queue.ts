import { setImmediate as letOthersRun } from 'node:timers/promises';
import { type Exchange, isCounted } from './exchange.ts';
import { compareRanks, type Domain, type Scenario, type Turn } from './scenario.ts';
import type { Engine } from './session.ts';

export interface QueueOptions {
  readonly workers: number;
  /** Budget of requests for the run. */
  readonly requests: number | undefined;
  /** By `performance.now()`. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

export type Cut = 'requests' | 'time' | 'interrupted' | undefined;

/** Detects failures that are consequences of the run's own writes. */
export interface Controls {
  /** Receives all exchanges of a round before any repeat. */
  readonly onRound: (exchanges: readonly Exchange[]) => void;
  /**
   * Begins the controls of a round. The result marks failures of a turn that may be consequences, and appends the controls sent.
   *
   * @param left remaining requests
   */
  readonly beginControls: () => (exchanges: readonly Exchange[], left: number) => Promise<readonly Exchange[]>;
}

interface Queue<RunContext> {
  readonly scenarios: readonly Scenario<RunContext>[];
  readonly context: RunContext;
  readonly engine: Engine;
  /** Whether this exchange proves nothing until it is repeated alone. */
  readonly needsProof: (exchange: Exchange) => boolean;
  readonly controls: Controls;
  /** Adds the results of a turn to the run context of the next round. */
  readonly fold: (scenario: Scenario<RunContext>, turn: Turn) => void;
  readonly options: QueueOptions;
}

/** Turns of one round: constant, so that rounds do not depend on the number of workers. */
const mostTurns = 64;

/**
 * Runs rounds until the queue is empty; ranks are computed again before each round. A round consists of the scenarios of the first
 * rank. Each reads the run context of the start of the round, and results are folded in the order of the plan: any number of workers
 * sends the same requests. Scenarios that may disturb each other run one after another. Unproven failures are repeated alone at the end
 * of the round. Requests are reserved before a turn begins, so that a budget always cuts the same sequence.
 */
export async function runQueue<RunContext>({
  scenarios,
  context,
  engine,
  needsProof,
  controls,
  fold,
  options,
}: Queue<RunContext>): Promise<Cut> {
  let left = options.requests ?? Number.POSITIVE_INFINITY;
  for (;;) {
    const round = await takeRound(scenarios, context, options);
    if (round.length === 0) return undefined;
    engine.beginRound();
    const cut = cutBy(options, left);
    if (cut !== undefined) return cutOf(round, cut);
    const turns = new Map<Scenario<RunContext>, Turn>();
    for (let waiting = round; waiting.length > 0 && cutBy(options, left) === undefined; ) {
      const batch = takeBatch(waiting, left);
      waiting = waiting.slice(batch.length);
      const budget = left;
      await runChains(chainsOf(batch), options, async (scenario) => {
        const allowance = Math.min(scenario.mostRequests, budget);
        turns.set(scenario, await scenario.run(engine.open(scenario), context, allowance));
      });
      for (const scenario of batch) left -= countRequests(turns.get(scenario)?.exchanges ?? []);
    }
    const ended = left > 0 ? cutBy(options, left) : undefined;
    // All turns are proven before the first is folded: the repeats of others show which request stopped a deployment.
    controls.onRound(round.flatMap((scenario) => turns.get(scenario)?.exchanges ?? []));
    const control = controls.beginControls();
    const proven: (readonly [Scenario<RunContext>, Turn])[] = [];
    for (const scenario of round) {
      const turn = turns.get(scenario);
      if (turn === undefined) continue;
      const { exchanges, repeated } = await prove(turn, engine, needsProof, left);
      left -= repeated;
      const controlled = await control(exchanges, left);
      left -= controlled.length - exchanges.length;
      const isUndisturbed = round.length === 1;
      proven.push([scenario, { ...turn, exchanges: controlled.map((exchange) => ({ ...exchange, isUndisturbed })) }]);
    }
    for (const [scenario, turn] of proven) fold(scenario, turn);
    if (ended !== undefined) return cutOf(round, ended);
  }
}

/** A budget cuts nothing short if only endless scenarios are left. */
function cutOf<RunContext>(round: readonly Scenario<RunContext>[], cut: Cut): Cut {
  return cut !== 'interrupted' && round.every(({ isEndless }) => isEndless === true) ? undefined : cut;
}

/** Time of one piece of preparation, in milliseconds: timers, sockets and signals wait for no more. */
const mostBlocked = 20;

/** The next round, with its requests made: the ranks are those of the requests. */
async function takeRound<RunContext>(
  scenarios: readonly Scenario<RunContext>[],
  context: RunContext,
  options: QueueOptions,
): Promise<readonly Scenario<RunContext>[]> {
  let since = performance.now();
  for (;;) {
    const round = firstOf(scenarios, context);
    let isChanged = false;
    for (const { prepare } of round) {
      if (prepare?.(context) === true) isChanged = true;
      if (performance.now() - since < mostBlocked) continue;
      await letOthersRun();
      since = performance.now();
    }
    if (!isChanged || cutBy(options, 1) !== undefined) return round;
  }
}

/** The scenarios of the first rank. */
function firstOf<RunContext>(
  scenarios: readonly Scenario<RunContext>[],
  context: RunContext,
): readonly Scenario<RunContext>[] {
  const ranked = scenarios.flatMap((scenario) => {
    const rank = scenario.rank(context);
    return rank === undefined ? [] : [{ scenario, rank }];
  });
  const [some] = ranked;
  if (some === undefined) return [];
  const best = ranked.reduce((least, { rank }) => (compareRanks(rank, least) < 0 ? rank : least), some.rank);
  const first = ranked.filter(({ rank }) => compareRanks(rank, best) === 0).map(({ scenario }) => scenario);
  const lone = first.findIndex(({ domain }) => domain.kind === 'alone');
  // A scenario that needs the deployment to itself is a round of its own.
  if (lone === 0) return first.slice(0, 1);
  return first.slice(0, lone < 0 ? mostTurns : Math.min(lone, mostTurns));
}

/** As many scenarios as the budget covers; otherwise one with the rest of the budget. */
function takeBatch<RunContext>(
  waiting: readonly Scenario<RunContext>[],
  left: number,
): readonly Scenario<RunContext>[] {
  let free = left;
  const end = waiting.findIndex(({ mostRequests }) => {
    free -= mostRequests;
    return free < 0;
  });
  return waiting.slice(0, end < 0 ? waiting.length : Math.max(1, end));
}

function countRequests(exchanges: readonly Exchange[]): number {
  return exchanges.filter(isCounted).length;
}

/** Groups that may run concurrently. Within a group the order is that of the plan; reads share no group unless a write joins them. */
export function chainsOf<RunContext>(
  round: readonly Scenario<RunContext>[],
): readonly (readonly Scenario<RunContext>[])[] {
  const chains: Scenario<RunContext>[][] = [];
  for (const scenario of round) {
    const disturbed = chains.filter((chain) => chain.some((other) => mayDisturb(other.domain, scenario.domain)));
    const rest = chains.filter((chain) => !disturbed.includes(chain));
    chains.splice(0, chains.length, ...rest, [...disturbed.flat(), scenario]);
  }
  return chains;
}

function mayDisturb(a: Domain, b: Domain): boolean {
  if (a.kind === 'reads' && b.kind === 'reads') return false;
  return a.kind === 'alone' || b.kind === 'alone' || isWithin(a.path, b.path) || isWithin(b.path, a.path);
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(outer.endsWith('/') ? outer : `${outer}/`);
}

async function runChains<RunContext>(
  chains: readonly (readonly Scenario<RunContext>[])[],
  { workers, deadline, signal }: QueueOptions,
  run: (scenario: Scenario<RunContext>) => Promise<void>,
): Promise<void> {
  const isOver = (): boolean => signal.aborted || performance.now() >= deadline;
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < chains.length && !isOver()) {
      const chain = chains[next] ?? [];
      next += 1;
      for (const scenario of chain) if (!isOver()) await run(scenario);
    }
  };
  await Promise.all(Array.from({ length: Math.min(Math.max(1, workers), chains.length) }, work));
}

/** Repeats the unproven exchanges of a turn, and appends the repeats. */
async function prove(
  turn: Turn,
  engine: Engine,
  needsProof: (exchange: Exchange) => boolean,
  left: number,
): Promise<{ readonly exchanges: readonly Exchange[]; readonly repeated: number }> {
  const exchanges = [...turn.exchanges];
  let repeated = 0;
  for (const [index, exchange] of turn.exchanges.entries()) {
    if (exchange.isPause || repeated >= left || !needsProof(exchange)) continue;
    const again = await engine.again(exchange);
    if (again === undefined) continue;
    repeated += 1;
    // A repeat that is answered shows that another request stopped the deployment.
    const isPause = exchange.outcome.kind === 'none' && again.outcome.kind === 'answer';
    exchanges[index] = { ...exchange, isPause };
    exchanges.push({ ...again, isAlone: !isPause });
  }
  const found = exchanges.map((exchange) => {
    return exchange.outcome.kind === 'none' ? { ...exchange, outage: engine.outageOf(exchange.request) } : exchange;
  });
  return { exchanges: found, repeated };
}

function cutBy({ deadline, signal }: QueueOptions, left: number): Cut {
  // The reason is compared, not the clock: a timer may fire up to a millisecond early.
  if (signal.aborted) return signal.reason?.name === 'TimeoutError' ? 'time' : 'interrupted';
  if (performance.now() >= deadline) return 'time';
  return left <= 0 ? 'requests' : undefined;
}
