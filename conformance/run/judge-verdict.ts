import type { Exchange } from '../execute/exchange.ts';
import type { Cut } from '../execute/run-rounds.ts';
import type { Finding } from '../failures/finding.ts';
import type { Verdict } from './run-result.ts';

/** Statuses after which nothing is known about the API behind them. */
const provesNothing = new Set([401, 402, 429]);

export function judgeVerdict(
  findings: readonly Finding[],
  exchanges: readonly Exchange[],
  cut: Cut,
): { readonly verdict: Verdict; readonly says: string } {
  const defects = findings.filter(({ severity }) => severity === 'defect').length;
  const answers = exchanges.flatMap(({ outcome }) => (outcome.kind === 'answer' ? [outcome.status] : []));
  const silent = exchanges.flatMap(({ outcome }) => (outcome.kind === 'none' ? [outcome] : []));
  if (cut === 'interrupted') return { verdict: 'interrupted', says: 'Interrupted; what was found until then stands.' };
  const away = silent.find(({ reason }) => reason === 'refused' || reason === 'unresolved');
  if (answers.length === 0 && away !== undefined) {
    return { verdict: 'unreachable', says: `The target cannot be reached: ${away.says}.` };
  }
  const wrongBase = findWrongBase(exchanges);
  if (wrongBase !== undefined) {
    const { base, option } = wrongBase;
    const says = `Every answer at ${base} was 404, so nothing was tested: is ${option} complete?`;
    return { verdict: 'nothing-tested', says };
  }
  if (defects > 0) return { verdict: 'defects', says: `${defects} ${defects === 1 ? 'defect' : 'defects'} found.` };
  if (answers.length === 0) return { verdict: 'nothing-tested', says: 'Nothing was tested: no request could be sent.' };
  // Open operations prove nothing about those that need credentials.
  const guarded = exchanges.filter(
    ({ operation }) => operation.security.length > 0 && operation.security.every((one) => Object.keys(one).length > 0),
  );
  const judged = guarded.length > 0 ? guarded : exchanges;
  const statuses = new Set(judged.flatMap(({ outcome }) => (outcome.kind === 'answer' ? [outcome.status] : [])));
  if (statuses.size > 0 && [...statuses].every((status) => provesNothing.has(status))) {
    const only = [...statuses].join(', ');
    return {
      verdict: 'nothing-tested',
      says: `You only saw ${only}: the credentials were refused or the quota is used up, no check of data took place.`,
    };
  }
  return { verdict: 'passed', says: 'No defect found.' };
}

/** The API's address, or the other server's where that one alone is tested, when it has nothing but 404 to give. */
function findWrongBase(exchanges: readonly Exchange[]): { readonly base: string; readonly option: string } | undefined {
  const own = exchanges.filter(({ operation }) => operation.target === 'api');
  const judged = own.length > 0 ? own : exchanges;
  const [first] = judged;
  const isLost = judged.every(({ outcome }) => outcome.kind === 'answer' && outcome.status === 404);
  if (first === undefined || !isLost) return undefined;
  return { base: first.request.base, option: own.length > 0 ? '--base-url' : '--auth-url' };
}
