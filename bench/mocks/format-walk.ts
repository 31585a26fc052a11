import { type LawName, laws } from './laws.ts';
import { type Counts, countOutcomes, shareHeld, soundPairs, type WalkResult } from './walk-contract.ts';

export interface SetRow {
  readonly name: string;
  /** Undefined if the mock does not serve the contract: every pair has failed. */
  readonly result: WalkResult | undefined;
  readonly pairs: number;
  readonly reason?: string;
}

/** A table of the laws of one contract. */
export function formatLaws({ pairs, requests }: WalkResult): string {
  const rows = (Object.keys(laws) as LawName[]).flatMap((law) => {
    const counts = countOutcomes(pairs, law);
    return isEmpty(counts) ? [] : [lineOf(law, counts)];
  });
  const all = countOutcomes(pairs);
  const summary = `${soundPairs(pairs)} of ${pairs.length} pairs without a failed law, ${percent(shareHeld(all))} of the laws held, ${requests} requests`;
  return [head('law'), ...rows, lineOf('all', all), '', summary].join('\n');
}

/** A table of several contracts, with the sums of each law. */
export function formatSet(rows: readonly SetRow[]): string {
  const served = rows.flatMap(({ result }) => result?.pairs ?? []);
  const sum = rows.reduce((total, { pairs }) => total + pairs, 0);
  const lines = rows.map(({ name, result, pairs, reason }) =>
    result === undefined
      ? `| ${name} | 0 of ${pairs} | not served: ${reason?.split('\n')[0] ?? ''} |  |  |  |`
      : `| ${name} | ${soundPairs(result.pairs)} of ${pairs} | ${cells(countOutcomes(result.pairs))} |`,
  );
  const laws_ = (Object.keys(laws) as LawName[]).map((law) => lineOf(law, countOutcomes(served, law)));
  return [
    '| contract | sound pairs | held | broken | unjudged | share |',
    '| --- | --- | --- | --- | --- | --- |',
    ...lines,
    `| sum | ${soundPairs(served)} of ${sum} | ${cells(countOutcomes(served))} |`,
    '',
    head('law'),
    ...laws_,
  ].join('\n');
}

const head = (name: string): string =>
  `| ${name} | held | broken | unjudged | share |\n| --- | --- | --- | --- | --- |`;

const lineOf = (name: string, counts: Counts): string => `| ${name} | ${cells(counts)} |`;

const cells = (counts: Counts): string =>
  `${counts.held} | ${counts.broken} | ${counts.unjudged} | ${isEmpty(counts) ? '–' : percent(shareHeld(counts))}`;

const isEmpty = ({ held, broken, unjudged }: Counts): boolean => held + broken + unjudged === 0;

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
