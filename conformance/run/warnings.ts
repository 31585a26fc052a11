import type { Contract, ContractProblem, Operation } from '../contract/contract.ts';
import type { Cut } from '../execute/queue.ts';
import type { Finding } from '../failures/finding.ts';
import { explainUnreached, type Tally } from './tally.ts';
import type { Verdict } from './verdict.ts';

/** A fact about the run or the contract that costs checks, with what to do about it. */
export interface Warning {
  readonly says: string;
  readonly cure: string;
}

interface Given {
  readonly contract: Contract;
  readonly operations: readonly Operation[];
  readonly tally: Tally;
  readonly problems: readonly ContractProblem[];
  readonly facts: readonly Finding[];
  readonly tokenProblems: readonly string[];
  /** Why nothing was let in any more. */
  readonly lostAccess: readonly string[];
  readonly cut: Cut;
  readonly verdict: Verdict;
}

/** Facts that cost checks. What only follows from the verdict is left out: the verdict says it once. */
export function gatherWarnings(given: Given): Warning[] {
  const ofContract = [...ofProblems(given), ...undocumented(given)];
  if (given.verdict === 'unreachable' || given.verdict === 'wrong-address') return ofContract;
  const ofTokens = given.tokenProblems.map((problem) => ({
    says: `No token: ${problem}`,
    cure: 'Check the client, or pass --token.',
  }));
  return [
    ...(given.verdict === 'nothing-tested' ? [] : ofTokens),
    ...given.lostAccess.map((says) => ({ says, cure: 'Leave that operation out with --exclude, and run again.' })),
    ...ofContract,
    ...ofDeployment(given),
    ...unreached(given),
    ...leftBehind(given),
    ...cutShort(given.cut),
  ];
}

/** One warning for what is wrong in the same words, with the first place. */
function ofProblems({ contract, problems }: Given): Warning[] {
  return [...Map.groupBy(problems, ({ says }) => says).values()].flatMap(([first, ...more]) => {
    if (first === undefined) return [];
    const { line, pointer, says, cure } = first;
    const also = more.length === 0 ? '' : ` (and at ${more.length} more ${more.length === 1 ? 'place' : 'places'})`;
    return [{ says: `${contract.file}:${line} ${pointer}${also}: ${says}`, cure }];
  });
}

function ofDeployment({ facts }: Given): Warning[] {
  return facts.map(({ operations, says, answered }) => ({
    says: `${operations.slice(0, 8).join(', ')}${operations.length > 8 ? ` and ${operations.length - 8} more` : ''}: ${says} (${answered}).`,
    cure: 'Switch it on to have it tested, or leave it out with --exclude.',
  }));
}

/** One warning for each reason, with the operations it holds for. */
function unreached({ operations, tally }: Given): Warning[] {
  const reasons = Map.groupBy(
    operations.flatMap((operation) => {
      const reason = explainUnreached(tally.of(operation));
      return reason === undefined ? [] : [{ id: operation.id, reason }];
    }),
    ({ reason }) => reason,
  );
  return [...reasons].map(([reason, found]) => ({
    says: `Never accepted: ${found.map(({ id }) => id).join(', ')}: ${reason}.`,
    cure: 'No check of what they answer took place.',
  }));
}

function undocumented({ operations }: Given): Warning[] {
  const silent = operations.filter(({ responses }) => !responses.some(({ status }) => /^(4|default)/i.test(status)));
  if (silent.length === 0) return [];
  const names = silent
    .slice(0, 8)
    .map(({ id }) => id)
    .join(', ');
  return [
    {
      says: `${silent.length} of ${operations.length} operations document no 4xx: ${names}${silent.length > 8 ? ', …' : ''}.`,
      cure: 'Document them; refusals of these operations are not judged.',
    },
  ];
}

function leftBehind({ operations, tally }: Given): Warning[] {
  const done = operations.filter((operation) => tally.of(operation).isDone);
  const deleted = new Set(
    done.filter(({ method }) => method === 'delete').map(({ path }) => path.replace(/\/\{[^/]*$/, '')),
  );
  const kept = done.filter(({ method, target, path }) => method === 'post' && target === 'api' && !deleted.has(path));
  if (kept.length === 0) return [];
  return [
    {
      says: `What these created may still be there: ${kept.map(({ id }) => id).join(', ')}.`,
      cure: 'No accepted DELETE belongs to them.',
    },
  ];
}

function cutShort(cut: Cut): Warning[] {
  if (cut === undefined) return [];
  const why = { requests: 'The budget of requests is spent', time: 'The time is up', interrupted: 'Interrupted' }[cut];
  return [{ says: `${why}: the plan was not finished.`, cure: 'Give a larger --budget.' }];
}
