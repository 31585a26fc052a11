import type { Exchange } from '../execute/exchange.ts';
import type { Cut } from '../execute/run-rounds.ts';
import type { Finding } from '../failures/finding.ts';
import type { Coverage } from './coverage.ts';
import { type LostAddress, ofTarget } from './find-lost-address.ts';

/** `nothing-tested`, `wrong-address` and `unreachable` must never look green, nor like a defect of the deployment. */
export type Verdict = 'passed' | 'defects' | 'nothing-tested' | 'wrong-address' | 'unreachable' | 'interrupted';

export interface Judgement {
  readonly verdict: Verdict;
  /** One sentence. */
  readonly says: string;
  /** What to do where the run proves nothing; undefined where it does. */
  readonly cure: string | undefined;
}

/** Statuses after which nothing is known about the API behind them. */
const provesNothing = new Set([401, 402, 429]);

/** Most names of operations in one sentence. */
const mostNamed = 8;

interface Given {
  readonly findings: readonly Finding[];
  readonly exchanges: readonly Exchange[];
  readonly coverage: Coverage;
  readonly cut: Cut;
  readonly lost: LostAddress | undefined;
  readonly tokenProblems: readonly string[];
}

/** What the run amounts to: what keeps it from proving anything goes before all that it found. */
export function judgeVerdict(given: Given): Judgement {
  const { findings, exchanges, coverage, cut, lost, tokenProblems } = given;
  if (cut === 'interrupted') {
    return { verdict: 'interrupted', says: 'Interrupted; what was found until then stands.', cure: undefined };
  }
  const away = findAway(exchanges);
  if (away !== undefined) {
    const { says, base, option } = away;
    const cure = `Nothing was tested. See that it runs and that ${option} names its host and port.`;
    return { verdict: 'unreachable', says: `Unreachable: ${says} (${base}).`, cure };
  }
  if (lost !== undefined) return judgeLost(lost);
  const unreached = describeUnreached(coverage);
  const defects = findings.filter(({ severity }) => severity === 'defect').length;
  if (defects > 0) {
    const found = `${defects} ${defects === 1 ? 'defect' : 'defects'} found`;
    return { verdict: 'defects', says: `${found}${unreached && `, and ${unreached}`}.`, cure: undefined };
  }
  const seen = statusesOf(exchanges);
  if (seen.size === 0) {
    const says = 'Nothing tested: no request could be sent.';
    return { verdict: 'nothing-tested', says, cure: 'The warnings say what each operation would need.' };
  }
  // Open operations prove nothing about those that need credentials.
  const guarded = exchanges.filter(
    ({ operation }) => operation.security.length > 0 && operation.security.every((one) => Object.keys(one).length > 0),
  );
  const statuses = guarded.length > 0 ? statusesOf(guarded) : seen;
  if (statuses.size > 0 && [...statuses].every((status) => provesNothing.has(status))) {
    const only = [...statuses].join(', ');
    const why = 'the credentials were refused or the quota is used up, no check of data took place';
    const [problem, ...more] = tokenProblems;
    const also = more.length === 0 ? '' : ` (and ${more.length} more)`;
    const cure =
      problem !== undefined
        ? `No token: ${problem}${also}. Check --auth-url and the client, or pass --token.`
        : 'Check --token, or --client-id and --client-secret.';
    return { verdict: 'nothing-tested', says: `Nothing tested: you only saw ${only}: ${why}.`, cure };
  }
  return { verdict: 'passed', says: `No defect found${unreached && `, but ${unreached}`}.`, cure: undefined };
}

/** The host that does not answer, where that host is the one which the run is about. */
function findAway(
  exchanges: readonly Exchange[],
): { readonly says: string; readonly base: string; readonly option: string } | undefined {
  const { judged, option } = ofTarget(exchanges);
  const silent = judged.flatMap(({ outcome, request }) =>
    outcome.kind === 'none' && (outcome.reason === 'refused' || outcome.reason === 'unresolved')
      ? [{ says: outcome.says, base: request.base, option }]
      : [],
  );
  return statusesOf(judged).size === 0 ? silent[0] : undefined;
}

function judgeLost({ base, option, saw, isForeign, asked, right, isRedirect, named }: LostAddress): Judgement {
  if (asked === undefined && !isForeign) {
    const says = `Nothing tested: every answer at ${base} was 404, to ids of which none may be known.`;
    return { verdict: 'nothing-tested', says, cure: `Is ${option} complete? Test also an operation that needs no id.` };
  }
  const hint =
    right === undefined
      ? `Give ${option} the address beneath which ${asked ?? 'the API'} is found${named && `; the contract names ${named}`}.`
      : `Did you mean ${option} ${right}? ${isRedirect ? 'It redirects there' : `${asked} is answered there`}.`;
  const beyond = isForeign ? ', which the contract does not document' : '';
  const says = `Wrong address: every answer at ${base} was ${saw}${beyond}.`;
  return { verdict: 'wrong-address', says, cure: `Nothing was tested. ${hint}` };
}

function describeUnreached({ operations, reached }: Coverage): string {
  const names = operations.filter(({ isReached }) => !isReached).map(({ operation }) => operation);
  if (names.length === 0) return '';
  const more = names.length > mostNamed ? ', …' : '';
  const were = names.length === 1 ? 'was' : 'were';
  const noun = operations.length === 1 ? 'operation' : 'operations';
  const count = `${operations.length - reached} of ${operations.length} ${noun} ${were} never accepted`;
  return `${count}: ${names.slice(0, mostNamed).join(', ')}${more}`;
}

function statusesOf(exchanges: readonly Exchange[]): ReadonlySet<number> {
  return new Set(exchanges.flatMap(({ outcome }) => (outcome.kind === 'answer' ? [outcome.status] : [])));
}
