import type { Contract, Operation } from '../../conformance/contract/contract.ts';
import type { CanonicalForm } from '../../conformance/schema/canonical.ts';
import { createJudge } from '../../conformance/schema/create-judge.ts';
import { findList, isUndescribed, successSchema } from './find-items.ts';
import { findPairs, type Pair } from './find-pairs.ts';
import { type LawName, laws, type PairResult } from './laws.ts';
import { createMaker } from './make-values.ts';
import { createClient, usualPatienceMs } from './send-requests.ts';
import { canBe } from './shared-members.ts';
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
 * @param patienceMs time for one answer
 */
export async function walkContract(
  contract: Contract,
  addressOf: (operation: Operation) => string,
  progress: (line: string) => void = () => undefined,
  most = Infinity,
  patienceMs = usualPatienceMs,
): Promise<WalkResult> {
  const judge = createJudge(contract);
  const maker = createMaker(contract, judge);
  const client = createClient(contract, judge, maker, addressOf, patienceMs);
  const walk = new Walk(judge, maker, client);
  const all = findPairs(contract).filter((pair) => isCollection(judge.forms.response, pair));
  const found =
    all.length <= most
      ? all
      : all.filter(
          (_, index) => Math.floor(((index + 1) * most) / all.length) > Math.floor((index * most) / all.length),
        );
  const results = new Map<Pair, PairResult>();
  // A walk deletes items, which may be all that a list has: the pairs below them come first.
  for (const [index, pair] of found.toSorted((a, b) => b.slots - a.slots).entries()) {
    progress(`pair ${index + 1}/${found.length} ${pair.name}`);
    results.set(pair, await walkPair(walk, pair));
  }
  return { pairs: found.flatMap((pair) => results.get(pair) ?? []), requests: client.count() };
}

/**
 * Without a list, and without a POST that sends or answers an object, the contract describes no collection: `/proxy/{path}`. A path that is
 * only read, and answers a list itself, has no item, and neither has one whose listed objects have no described member.
 */
export function isCollection(form: CanonicalForm, pair: Pair): boolean {
  const { create, read, replace, merge, remove } = pair;
  const shown = successSchema(read);
  const node = shown === undefined ? undefined : form.at(shown);
  const isWritten = [create, replace, merge, remove].some((operation) => operation !== undefined);
  if (!isWritten && node !== undefined && canBe(form, node, 'array') && !canBe(form, node, 'object')) return false;
  const list = findList(form, pair);
  if (!isWritten && list !== undefined) return !isUndescribed(form, list);
  if (list !== undefined) return true;
  const schema = successSchema(create);
  return (
    create !== undefined &&
    (create.body !== undefined || schema === undefined || canBe(form, form.at(schema), 'object'))
  );
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
