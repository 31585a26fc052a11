import type { Known } from '../data/records.ts';
import type { Scenario, ScenarioResult } from './scenario.ts';
import type { SendCase } from './send-case.ts';

export interface RoundsOptions {
  readonly workers: number;
  /** Requests that may be sent in all. */
  readonly requests: number | undefined;
  /** In the time of `performance.now()`. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

export type Cut = 'requests' | 'time' | 'interrupted' | undefined;

/**
 * Runs rounds of scenarios, several at once, and hands over their results in the order of the plan, whatever the order of
 * arrival: the same requests for any number of workers. Requests are reserved before a scenario starts, so that a bound on
 * them cuts the same sequence short.
 *
 * @param fold takes a result into account; what it returns is known to the next round
 */
export async function runRounds(
  rounds: readonly (readonly Scenario[])[],
  context: SendCase,
  fold: (result: ScenarioResult) => readonly Known[],
  options: RoundsOptions,
): Promise<{ readonly cut: Cut; readonly left: readonly Scenario[] }> {
  let known: readonly Known[] = [];
  let left = options.requests ?? Number.POSITIVE_INFINITY;
  for (
    let waiting = rounds.map((round) => [...round]);
    waiting.length > 0;
    waiting = waiting.filter((round) => round.length > 0)
  ) {
    const cut = cutBy(options, left);
    if (cut !== undefined) return { cut, left: waiting.flat() };
    const batch: { scenario: Scenario; allowance: number }[] = [];
    let free = left;
    while (waiting[0]?.[0] !== undefined && free > 0) {
      const scenario = waiting[0].shift();
      if (scenario === undefined) break;
      const allowance = Math.min(scenario.mostRequests, free);
      free -= allowance;
      batch.push({ scenario, allowance });
    }
    const results = await runTogether(batch, options, ({ scenario, allowance }) =>
      scenario.run(context, known, allowance),
    );
    for (const result of results) {
      if (result === undefined) continue;
      left -= result.exchanges.filter(({ isPause }) => !isPause).length;
      known = fold(result);
    }
  }
  return { cut: undefined, left: [] };
}

function cutBy({ deadline, signal }: RoundsOptions, left: number): Cut {
  if (signal.aborted) return 'interrupted';
  if (performance.now() >= deadline) return 'time';
  return left <= 0 ? 'requests' : undefined;
}

async function runTogether<Item, Result>(
  items: readonly Item[],
  { workers, deadline, signal }: RoundsOptions,
  run: (item: Item) => Promise<Result>,
): Promise<(Result | undefined)[]> {
  const results: (Result | undefined)[] = items.map(() => undefined);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length && !signal.aborted && performance.now() < deadline) {
      const index = next;
      next += 1;
      const item = items[index];
      if (item !== undefined) results[index] = await run(item);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, workers) }, work));
  return results;
}
