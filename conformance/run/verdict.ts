import type { LostAddress, TargetSeen } from '../circumstances/address.ts';
import { counted } from '../contract/printable.ts';
import type { Cut } from '../execute/queue.ts';
import type { Finding } from '../failures/finding.ts';
import type { Coverage, OperationStatistics } from './statistics.ts';

/** `nothing-tested`, `wrong-address` and `unreachable` must never look green, nor like a defect of the deployment. */
export type Verdict =
  | 'passed'
  | 'defects'
  | 'nothing-tested'
  | 'cut-short'
  | 'wrong-address'
  | 'unreachable'
  | 'interrupted'
  | 'failed';

/** The runner itself failed: whatever was found until then, nothing is said about the deployment by that. */
export class RunnerFailure extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause), { cause });
    this.name = 'RunnerFailure';
  }
}

export interface Judgement {
  readonly verdict: Verdict;
  /** One sentence. */
  readonly message: string;
  /** The way out of a run that proves nothing; undefined for one that does. */
  readonly fix: string | undefined;
}

/** Statuses after which nothing is known about the API behind them. */
const provesNothing = new Set([401, 402, 403, 429]);

/** No such address or method, and refusals of the form of a request: many servers look at these before the credentials. */
const ofForm = new Set([400, 404, 405, 406, 411, 413, 414, 415, 422]);

/** Statuses that may come before anybody is let in: those of the form, the way to a log-in, a server that fails. */
function mayComeFirst(status: number): boolean {
  const isRedirect = status >= 300 && status < 400;
  return provesNothing.has(status) || ofForm.has(status) || isRedirect || status >= 500;
}

/** Most names of operations in one sentence. */
const mostNamed = 8;

interface VerdictGiven {
  readonly findings: readonly Pick<Finding, 'severity'>[];
  readonly statistics: readonly OperationStatistics[];
  readonly away: TargetSeen['away'];
  readonly option: TargetSeen['option'];
  readonly coverage: Coverage;
  readonly cut: Cut;
  readonly lost: LostAddress | undefined;
  readonly tokenProblems: readonly string[];
  /** Why the run could not go on: the deployment stayed away, or let it in no more. */
  readonly ended: string | undefined;
  /** How the runner failed. */
  readonly failure?: string | undefined;
}

/** The verdict of a run: a reason for which it proves nothing goes before all that it found. */
export function judgeVerdict(given: VerdictGiven): Judgement {
  const { findings, statistics, away, option, coverage, cut, lost, tokenProblems, ended, failure } = given;
  if (failure !== undefined) {
    const message = `The runner failed: ${failure}. What was found until then stands.`;
    return {
      verdict: 'failed',
      message,
      fix: 'This is a defect of the runner, not of the deployment: please report it.',
    };
  }
  if (cut === 'interrupted') {
    return { verdict: 'interrupted', message: 'Interrupted; what was found until then stands.', fix: undefined };
  }
  if (away !== undefined) {
    const { message, base } = away;
    const fix = `Nothing was tested. See that it runs and that ${option} names its host and port.`;
    return { verdict: 'unreachable', message: `Unreachable: ${message} (${base}).`, fix };
  }
  if (lost !== undefined) return judgeLost(lost);
  const refused = judgeRefused(statistics, tokenProblems);
  if (refused !== undefined) return refused;
  const unreached = describeUnreached(coverage);
  const defects = findings.filter(({ severity }) => severity === 'defect').length;
  if (defects > 0) {
    const found = `${counted(defects, 'defect')} found`;
    return { verdict: 'defects', message: `${found}${unreached && `, and ${unreached}`}.`, fix: undefined };
  }
  if (ended !== undefined) {
    const message = `Cut short: ${ended} What was found until then stands${unreached && `; ${unreached}`}.`;
    return { verdict: 'cut-short', message, fix: 'The warnings name what came before it.' };
  }
  const seen = statusesOf(statistics);
  if (seen.size === 0 && cut !== undefined) {
    const message = 'Nothing tested: the budget was spent before anything was answered.';
    return { verdict: 'nothing-tested', message, fix: 'Give a larger --budget, or see why the deployment is silent.' };
  }
  if (seen.size === 0 && statistics.some(({ requests }) => requests > 0)) {
    const message = 'Nothing tested: no request was answered.';
    return { verdict: 'nothing-tested', message, fix: 'See why the deployment is silent, or raise --timeout.' };
  }
  if (seen.size === 0) {
    const message = 'Nothing tested: no request could be sent.';
    return { verdict: 'nothing-tested', message, fix: 'The warnings say what each operation would need.' };
  }
  if (coverage.reached === 0) {
    const fix = fixOfTokens(tokenProblems) ?? 'The warnings say what came instead; no check of data took place.';
    return { verdict: 'nothing-tested', message: `Nothing tested: ${unreached}.`, fix };
  }
  return { verdict: 'passed', message: `No defect found${unreached && `, but ${unreached}`}.`, fix: undefined };
}

/**
 * Nobody was let in. Whatever is wrong with the refusals themselves follows from that, and is told behind it.
 *
 * @returns undefined where somebody was, or where what came says something of data
 */
function judgeRefused(
  statistics: readonly OperationStatistics[],
  tokenProblems: readonly string[],
): Judgement | undefined {
  // Open operations prove nothing about those that need credentials.
  const guarded = statistics.filter(
    ({ operation }) => operation.security.length > 0 && operation.security.every((one) => Object.keys(one).length > 0),
  );
  const statuses = [...statusesOf(guarded.length > 0 ? guarded : statistics)].sort((a, b) => a - b);
  if (guarded.some(({ isAccepted }) => isAccepted)) return undefined;
  const isOnly = statuses.length > 0 && statuses.every((status) => provesNothing.has(status));
  if (!isOnly && !(statuses.includes(401) && statuses.every(mayComeFirst))) return undefined;
  const why = 'the credentials were refused or the quota is used up, no check of data took place';
  const fix = fixOfTokens(tokenProblems) ?? 'Check --token, or --client-id and --client-secret.';
  const of = statistics.some(({ isAccepted }) => isAccepted) ? ' of what needs credentials' : '';
  const message = `Nothing tested${of}: you only saw ${statuses.join(', ')}: ${why}.`;
  return { verdict: 'nothing-tested', message, fix };
}

function fixOfTokens([problem, ...more]: readonly string[]): string | undefined {
  if (problem === undefined) return undefined;
  const also = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return `No token: ${problem}${also}. Check --auth-url and the client, or pass --token.`;
}

function judgeLost({ base, option, saw, isForeign, asked, right, isRedirect, named }: LostAddress): Judgement {
  if (asked === undefined && !isForeign) {
    const message = `Nothing tested: every answer at ${base} was 404, to ids of which none may be known.`;
    return {
      verdict: 'nothing-tested',
      message,
      fix: `Is ${option} complete? Test also an operation that needs no id.`,
    };
  }
  const hint =
    right === undefined
      ? `Give ${option} the address beneath which ${asked ?? 'the API'} is found${named && `; the contract names ${named}`}.`
      : `Did you mean ${option} ${right}? ${isRedirect ? 'It redirects there' : `${asked} is answered there`}.`;
  const beyond = isForeign ? ', which the contract does not document' : '';
  const message = `Wrong address: every answer at ${base} was ${saw}${beyond}.`;
  return { verdict: 'wrong-address', message, fix: `Nothing was tested. ${hint}` };
}

function describeUnreached({ operations, reached }: Coverage): string {
  const names = operations.filter(({ isReached }) => !isReached).map(({ operation }) => operation);
  if (names.length === 0) return '';
  const more = names.length > mostNamed ? ', …' : '';
  const were = names.length === 1 ? 'was' : 'were';
  const count = `${operations.length - reached} of ${counted(operations.length, 'operation')} ${were} never accepted`;
  return `${count}: ${names.slice(0, mostNamed).join(', ')}${more}`;
}

function statusesOf(statistics: readonly OperationStatistics[]): ReadonlySet<number> {
  return new Set(statistics.flatMap(({ statuses }) => statuses.filter((status) => status > 0)));
}

export const exitCodes: Readonly<Record<Verdict, number>> = {
  passed: 0,
  defects: 1,
  'nothing-tested': 2,
  'cut-short': 2,
  'wrong-address': 2,
  unreachable: 2,
  interrupted: 130,
  failed: 2,
};
