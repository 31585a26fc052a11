import { explainOutages } from '../circumstances/outage.ts';
import type { Contract, ContractProblem, Operation } from '../contract/contract.ts';
import { counted, nameSome } from '../contract/printable.ts';
import type { Outage } from '../execute/exchange.ts';
import type { Cut } from '../execute/queue.ts';
import type { Finding } from '../failures/finding.ts';
import type { Unmatched } from '../failures/known.ts';
import { groupLeft, type Left, nameLeft } from '../ledger/clean-up.ts';
import { explainUnreached, type Statistics } from './statistics.ts';
import type { UnderspecifiedPlace } from './underspecified.ts';
import type { Verdict } from './verdict.ts';

const mostPlaces = 40;

/** A fact about the run or the contract that prevented checks, with its fix. */
export interface Warning {
  readonly message: string;
  readonly fix: string;
}

interface WarningsGiven {
  readonly contract: Contract;
  readonly operations: readonly Operation[];
  readonly statistics: Statistics;
  readonly problems: readonly ContractProblem[];
  readonly facts: readonly Finding[];
  readonly outages: readonly Outage[];
  readonly underspecified: readonly UnderspecifiedPlace[];
  readonly tokenProblems: readonly string[];
  /** Why the deployment no longer accepted the credentials. */
  readonly lostAccess: readonly Warning[];
  readonly leftBehind: readonly Left[];
  readonly ledger: string | undefined;
  readonly cut: Cut;
  readonly verdict: Verdict;
  readonly gone: readonly Unmatched[];
}

/** Facts that prevented checks. Consequences of the verdict are omitted: the verdict itself states them. */
export function gatherWarnings(given: WarningsGiven): Warning[] {
  const ofContract = [...ofProblems(given), ...undocumented(given)];
  if (given.verdict === 'unreachable' || given.verdict === 'wrong-address') return ofContract;
  const ofTokens = given.tokenProblems.map((problem) => ({
    message: `No token: ${problem}`,
    fix: 'Check the client, or pass --token.',
  }));
  return [
    ...(given.verdict === 'nothing-tested' ? [] : ofTokens),
    ...given.lostAccess,
    ...ofContract,
    ...explainOutages(given.outages).map((message) => ({
      message,
      fix: 'Exclude the operation with --exclude, or raise --max-wait; requests in flight during the outage are not counted as defects.',
    })),
    ...ofDeployment(given),
    ...unreached(given),
    ...ofUnderspecified(given),
    ...leftBehind(given),
    ...ofGone(given),
    ...cutShort(given.cut),
  ];
}

/** One warning for problems with the same message, with the first place. */
function ofProblems({ contract, problems }: WarningsGiven): Warning[] {
  return [...Map.groupBy(problems, ({ message }) => message).values()].flatMap(([first, ...more]) => {
    if (first === undefined) return [];
    const { line, pointer, message, fix } = first;
    const also = more.length === 0 ? '' : ` (and at ${counted(more.length, 'more place')})`;
    return [{ message: `${contract.file}:${line} ${pointer}${also}: ${message}`, fix }];
  });
}

function ofDeployment({ facts }: WarningsGiven): Warning[] {
  return facts.map(({ operations, message, answered }) => ({
    message: `${nameSome(operations)}: ${message} (${answered}).`,
    fix: 'Enable the feature to test it, or exclude its operations with --exclude.',
  }));
}

/** Places at which the server rejects what the contract allows, one line each. */
function ofUnderspecified({ underspecified }: WarningsGiven): Warning[] {
  const listed = underspecified
    .slice(0, mostPlaces)
    .map(({ pointer, place, operations, status, sent, message, isByFormat }) => ({
      message: `The contract is underspecified at ${pointer}${place && ` (${place})`}, ${nameSome(operations)}: ${describeSent(place, sent)} was rejected with ${status}: ${message}`,
      fix: isByFormat
        ? 'The value matches its format, but a server may require more: describe the rule in the schema.'
        : "Describe the server's rule in the schema.",
    }));
  const left = underspecified.length - listed.length;
  if (left <= 0) return listed;
  const message = `The contract is underspecified at ${counted(left, 'more place')}.`;
  return [...listed, { message, fix: 'Fix the places listed above first.' }];
}

function describeSent(place: string, sent: string | undefined): string {
  return place === '' ? 'every request' : sent === undefined ? `a request without ${place}` : sent;
}

/** One warning for each reason, with its operations. */
function unreached({ operations, statistics, cut }: WarningsGiven): Warning[] {
  const reasons = Map.groupBy(
    operations.flatMap((operation) => {
      const reason = explainUnreached(statistics.of(operation), cut !== undefined);
      return reason === undefined ? [] : [{ id: operation.id, reason }];
    }),
    ({ reason }) => reason,
  );
  return [...reasons].map(([reason, found]) => ({
    message: `Never accepted: ${found.map(({ id }) => id).join(', ')}: ${reason}.`,
    fix: 'No success answer of these operations was checked.',
  }));
}

function undocumented({ operations }: WarningsGiven): Warning[] {
  const silent = operations.filter(({ responses }) => !responses.some(({ status }) => /^(4|default)/i.test(status)));
  if (silent.length === 0) return [];
  const names = silent
    .slice(0, 8)
    .map(({ id }) => id)
    .join(', ');
  return [
    {
      message: `${silent.length} of ${operations.length} operations document no 4xx: ${names}${silent.length > 8 ? ', …' : ''}.`,
      fix: 'Document their 4xx answers; the run did not judge them.',
    },
  ];
}

function leftBehind({ leftBehind: left, ledger }: WarningsGiven): Warning[] {
  return nameLeft(groupLeft(left)).map(({ text, isOpen }) => ({
    message: `Left behind: ${text}.`,
    fix:
      isOpen && ledger !== undefined
        ? `Try again with the options of this run: clean ${ledger}`
        : 'No request of the contract undoes it: undo it by hand, if it matters.',
  }));
}

/** Entries of `known` that a later failure of the same kind would hide behind. */
function ofGone({ gone }: WarningsGiven): Warning[] {
  return gone.map(({ entry: { id, check }, operations }) => ({
    message: `Known failure ${id}${check === undefined ? '' : ` of ${check}`} is gone${operations.length === 0 ? '' : `: ${nameSome(operations)}`}.`,
    fix: 'Remove it from `known` of the config file, or run with --update-known.',
  }));
}

function cutShort(cut: Cut): Warning[] {
  if (cut === undefined) return [];
  const why = { requests: 'The budget of requests is spent', time: 'The time is up', interrupted: 'Interrupted' }[cut];
  const fix =
    cut === 'interrupted'
      ? 'Requests in flight may have taken effect. Start a new run, and let it finish.'
      : 'Give a larger --budget.';
  return [{ message: `${why}: the plan was not finished.`, fix }];
}
