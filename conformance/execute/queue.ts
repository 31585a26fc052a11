import { type Exchange, isCounted } from './exchange.ts';
import { compareRanks, type Domain, type Scenario, type Turn } from './scenario.ts';
import type { Engine } from './session.ts';

export interface QueueOptions {
  readonly workers: number;
  /** Requests that may be sent in all. */
  readonly requests: number | undefined;
  /** In the time of `performance.now()`. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

export type Cut = 'requests' | 'time' | 'interrupted' | undefined;

/** Holds failures against earlier answers. */
export interface Controls {
  /** Everything that a round has sent, before any of it is proven. */
  readonly onRound: (exchanges: readonly Exchange[]) => void;
  /**
   * For one round: the exchanges of a turn, failures with what they may follow from, and the controls that were sent.
   *
   * @param left requests that may still be sent
   */
  readonly beginControls: () => (exchanges: readonly Exchange[], left: number) => Promise<readonly Exchange[]>;
}

interface Queue<RunContext> {
  readonly scenarios: readonly Scenario<RunContext>[];
  readonly context: RunContext;
  readonly engine: Engine;
  /** Whether this exchange proves nothing before it has been sent again alone. */
  readonly needsProof: (exchange: Exchange) => boolean;
  readonly controls: Controls;
  /** Takes one turn into account: the world of the next round knows it. */
  readonly fold: (scenario: Scenario<RunContext>, turn: Turn) => void;
  readonly options: QueueOptions;
}

/** Turns of one round: fixed, so that the number of workers changes no round. */
const mostTurns = 64;

/**
 * Takes round after round from a queue that is ranked anew each time. A round is all those of the first rank; each sees the
 * world as it was at the start of the round, and results are folded in the order of the plan, whatever the order of arrival: the
 * same requests for any number of workers. Scenarios that may disturb each other run one after another. What proves nothing yet
 * is sent again when the round is over and nothing else is under way. Requests are reserved before a turn begins, so that a bound
 * on them cuts the same sequence short.
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
    const round = takeRound(scenarios, context);
    if (round.length === 0) return undefined;
    engine.beginRound();
    const cut = cutBy(options, left);
    if (cut !== undefined) return cut;
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
    // Each is proven before the first is folded: who has stopped a deployment shows by what came of the others.
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
    if (ended !== undefined) return ended;
  }
}

function takeRound<RunContext>(
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
  // Whoever needs the deployment to itself makes a round of its own.
  if (lone === 0) return first.slice(0, 1);
  return first.slice(0, lone < 0 ? mostTurns : Math.min(lone, mostTurns));
}

/** As many as the budget surely lasts for; at its end one that gets what is left. */
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

/** Groups that may run beside each other; within one, in the order of the plan. Reads alone are all by themselves. */
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

/** The turn with what is doubtful in it sent once more, behind the rest. */
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
    // Who went down with another was only interrupted.
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
  // The reason tells, not the clock: a timer may go off up to a millisecond before its time.
  if (signal.aborted) return signal.reason?.name === 'TimeoutError' ? 'time' : 'interrupted';
  if (performance.now() >= deadline) return 'time';
  return left <= 0 ? 'requests' : undefined;
}
