import type { Contract, Operation } from '../../conformance/contract/contract.ts';
import { createJudge } from '../../conformance/schema/create-judge.ts';
import { findList } from './find-items.ts';
import { findPairs } from './find-pairs.ts';
import { type LawName, laws, type PairResult } from './laws.ts';
import { createMaker } from './make-values.ts';
import { createClient } from './send-requests.ts';
import { Walk } from './walk.ts';
import { walkPair } from './walk-pair.ts';

export interface WalkResult {
  readonly pairs: readonly PairResult[];
  readonly requests: number;
}

/**
 * Walks every pair of a contract.
 *
 * @param progress is called before each pair
 * @param most if the contract has more pairs, so many of them are walked, spread evenly
 */
export async function walkContract(
  contract: Contract,
  addressOf: (operation: Operation) => string,
  progress: (line: string) => void = () => undefined,
  most = Infinity,
): Promise<WalkResult> {
  const judge = createJudge(contract);
  const maker = createMaker(contract, judge);
  const client = createClient(contract, judge, maker, addressOf);
  const walk = new Walk(judge, maker, client);
  // Without a list or a create, the contract describes no collection.
  const all = findPairs(contract).filter(
    (pair) => pair.create !== undefined || findList(judge.forms.response, pair) !== undefined,
  );
  const found =
    all.length <= most
      ? all
      : all.filter(
          (_, index) => Math.floor(((index + 1) * most) / all.length) > Math.floor((index * most) / all.length),
        );
  const pairs: PairResult[] = [];
  for (const [index, pair] of found.entries()) {
    progress(`pair ${index + 1}/${found.length} ${pair.name}`);
    pairs.push(await walkPair(walk, pair));
  }
  return { pairs, requests: client.count() };
}

export interface Counts {
  readonly held: number;
  readonly broken: number;
  /** Laws that an earlier failure left open. They count as failed. */
  readonly unjudged: number;
}

export function countOutcomes(pairs: readonly PairResult[], law?: LawName): Counts {
  const names = law === undefined ? (Object.keys(laws) as LawName[]) : [law];
  const kinds = pairs.flatMap(({ laws: outcomes }) => names.map((name) => outcomes[name].kind));
  const count = (wanted: string): number => kinds.filter((kind) => kind === wanted).length;
  return { held: count('held'), broken: count('broken'), unjudged: count('unjudged') };
}

/** Laws that held, as a share of those that the contract makes possible; 1 if it has none. */
export function shareHeld({ held, broken, unjudged }: Counts): number {
  const all = held + broken + unjudged;
  return all === 0 ? 1 : held / all;
}

/** Pairs without a failed law. */
export function soundPairs(pairs: readonly PairResult[]): number {
  return pairs.filter(({ laws: outcomes }) =>
    Object.values(outcomes).every(({ kind }) => kind === 'held' || kind === 'inapplicable'),
  ).length;
}

/** One line for each failed law, the pair first. */
export function listFailures(pairs: readonly PairResult[]): readonly string[] {
  return pairs.flatMap(({ pair, laws: outcomes }) =>
    Object.entries(outcomes).flatMap(([law, outcome]) =>
      outcome.kind === 'broken' || outcome.kind === 'unjudged'
        ? [`${pair}  ${law} ${outcome.kind}: ${outcome.reason}`]
        : [],
    ),
  );
}
