import type { LostAddress, TargetSeen } from '../circumstances/address.ts';
import { counted } from '../contract/printable.ts';
import type { Cut } from '../execute/queue.ts';
import type { Finding } from '../failures/finding.ts';
import type { Coverage, OperationStatistics } from './statistics.ts';

/** `nothing-tested`, `wrong-address` and `unreachable` must look neither green nor like a defect of the deployment. */
export type Verdict =
  | 'passed'
  | 'defects'
  | 'nothing-tested'
  | 'cut-short'
  | 'wrong-address'
  | 'unreachable'
  | 'interrupted'
  | 'failed';

/** A failure of the runner itself, which proves nothing about the deployment. */
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
  /** The next step after a run that proves nothing; undefined after any other run. */
  readonly fix: string | undefined;
}

/** Statuses that prove nothing about the API. */
const provesNothing = new Set([401, 402, 403, 429]);

/** Unknown address or method, or failed validation: many servers check these before the credentials. */
const ofValidation = new Set([400, 404, 405, 406, 411, 413, 414, 415, 422]);

/** Whether a server may answer this status before it accepts credentials: validation, a redirect to a log-in, a server error. */
function mayComeFirst(status: number): boolean {
  const isRedirect = status >= 300 && status < 400;
  return provesNothing.has(status) || ofValidation.has(status) || isRedirect || status >= 500;
}

const mostNamed = 8;

interface VerdictGiven {
  readonly findings: readonly Pick<Finding, 'severity'>[];
  /** The number of accepted findings. */
  readonly known?: number;
  readonly statistics: readonly OperationStatistics[];
  readonly away: TargetSeen['away'];
  readonly option: TargetSeen['option'];
  readonly coverage: Coverage;
  readonly cut: Cut;
  readonly lost: LostAddress | undefined;
  readonly tokenProblems: readonly string[];
  /** Why the run could not go on: the deployment stayed away, or no longer accepted the credentials. */
  readonly ended: string | undefined;
  readonly failure?: string | undefined;
}

/** The verdict of a run. A reason for which the run proves nothing goes before its findings. */
export function judgeVerdict(given: VerdictGiven): Judgement {
  const { findings, known = 0, statistics, away, option, coverage, cut, lost, tokenProblems, ended, failure } = given;
  if (failure !== undefined) {
    const message = `The runner failed: ${failure}. Earlier findings are valid.`;
    return {
      verdict: 'failed',
      message,
      fix: 'This is a defect of the runner, not of the deployment: please report it.',
    };
  }
  if (cut === 'interrupted') {
    return { verdict: 'interrupted', message: 'Interrupted; earlier findings are valid.', fix: undefined };
  }
  if (away !== undefined) {
    const { message, base } = away;
    const fix = `Nothing was tested. Check that the deployment runs and that ${option} has its host and port.`;
    return { verdict: 'unreachable', message: `Unreachable: ${message} (${base}).`, fix };
  }
  if (lost !== undefined) return judgeLost(lost);
  const denied = judgeDenied(statistics, tokenProblems);
  if (denied !== undefined) return denied;
  const unreached = describeUnreached(coverage);
  const defects = findings.filter(({ severity }) => severity === 'defect').length;
  if (defects > 0) {
    const found = `${counted(defects, 'defect')} found`;
    return { verdict: 'defects', message: `${found}${unreached && `, and ${unreached}`}.`, fix: undefined };
  }
  if (ended !== undefined) {
    const message = `Cut short: ${ended} Earlier findings are valid${unreached && `; ${unreached}`}.`;
    return { verdict: 'cut-short', message, fix: 'The warnings name the cause.' };
  }
  const seen = statusesOf(statistics);
  if (seen.size === 0 && cut !== undefined) {
    const message = 'Nothing tested: the budget was spent before the first answer.';
    return {
      verdict: 'nothing-tested',
      message,
      fix: 'Give a larger --budget, or find out why the deployment does not answer.',
    };
  }
  if (seen.size === 0 && statistics.some(({ requests }) => requests > 0)) {
    const message = 'Nothing tested: no request was answered.';
    const fix = 'Find out why the deployment does not answer, or raise --timeout.';
    return { verdict: 'nothing-tested', message, fix };
  }
  if (seen.size === 0) {
    const message = 'Nothing tested: no request could be sent.';
    return { verdict: 'nothing-tested', message, fix: 'The warnings list what each operation needs.' };
  }
  if (coverage.reached === 0) {
    const fix = fixOfTokens(tokenProblems) ?? 'The warnings list the answers of each operation; no data was checked.';
    return { verdict: 'nothing-tested', message: `Nothing tested: ${unreached}.`, fix };
  }
  return {
    verdict: 'passed',
    message: `No ${known > 0 ? 'new ' : ''}defect found${unreached && `, but ${unreached}`}.`,
    fix: undefined,
  };
}

/**
 * The verdict if no request got past the credentials. Defects of the rejections themselves are reported after it.
 *
 * @returns undefined if a request got past, or an answer proves something about data
 */
function judgeDenied(
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
  const why = 'it rejected the credentials, or the quota is used up';
  const fix = fixOfTokens(tokenProblems) ?? 'Check --token, or --client-id and --client-secret.';
  const of = statistics.some(({ isAccepted }) => isAccepted) ? ' of the operations that need credentials' : '';
  const message = `Nothing tested${of}: the server answered only ${statuses.join(', ')}, so ${why}.`;
  return { verdict: 'nothing-tested', message, fix };
}

function fixOfTokens([problem, ...more]: readonly string[]): string | undefined {
  if (problem === undefined) return undefined;
  const also = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return `No token: ${problem}${also}. Check --auth-url and the client, or pass --token.`;
}

function judgeLost({ base, option, saw, isForeign, asked, right, isRedirect, named }: LostAddress): Judgement {
  if (asked === undefined && !isForeign) {
    const message = `Nothing tested: every answer at ${base} was 404, and every request had an id in its path.`;
    return {
      verdict: 'nothing-tested',
      message,
      fix: `Check that ${option} is complete, and also test an operation without an id.`,
    };
  }
  const hint =
    right === undefined
      ? `Set ${option} to the address below which the server has ${asked ?? 'the API'}${named && `; the contract names ${named}`}.`
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
