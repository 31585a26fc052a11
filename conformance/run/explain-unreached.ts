import { type Exchange, isAccepted } from '../execute/exchange.ts';

/** Statuses that say something about access, with what helps. */
const aboutAccess: Readonly<Record<number, string>> = {
  401: 'you only saw 401s: the credentials were refused, or none were given (--token, --client-id)',
  402: 'you only saw 402s: the account may not use the API',
  403: 'you only saw 403s: the credentials lack a right or scope',
  429: 'you only saw 429s: pass --rate, or a longer --max-wait',
};

/**
 * Why an operation was never accepted.
 *
 * @returns undefined when it was
 */
export function explainUnreached(exchanges: readonly Exchange[], reasons: readonly string[]): string | undefined {
  if (exchanges.some(isAccepted)) return undefined;
  const statuses = [...new Set(exchanges.map(({ outcome }) => (outcome.kind === 'answer' ? outcome.status : 0)))];
  const [first] = statuses;
  if (statuses.length === 1 && first !== undefined && aboutAccess[first] !== undefined) return aboutAccess[first];
  if (exchanges.length === 0) return reasons[0] ?? 'the run ended before its turn';
  const isAboutIds = exchanges.some(({ operation }) => operation.path.includes('{'));
  const ids = isAboutIds && statuses.every((status) => status === 404) ? ': no known id' : '';
  const spoken = statuses.map((status) => (status === 0 ? 'not at all' : String(status))).join(', ');
  const also = reasons.length === 0 ? '' : `; other values were not sent: ${reasons[0]}`;
  return `valid requests were answered ${spoken}${ids}${also}`;
}
