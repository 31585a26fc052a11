import { Rejection } from '../rejection.ts';
import { listOr } from '../validation/sentence.ts';
import type { Grant } from './authenticate.ts';

/**
 * Picks the first alternative for which the credentials of each scheme have the scopes.
 *
 * @param asked scopes that values of the request require in addition to the operation; credentials of any scheme may have them
 * @throws Rejection with the missing scopes, and a challenge for the alternative that lacks fewest (RFC 6750, 3.1)
 */
export function checkScopes<Principal>(
  grants: readonly Grant<Principal>[],
  realm: string,
  asked: readonly string[] = [],
): Grant<Principal> {
  const [only] = grants;
  const enough = grants.find((grant) => findMissing(grant, asked).length === 0);
  if (enough !== undefined) return enough;
  const lacking = grants.map((grant) => findMissing(grant, asked));
  const [nearest = []] = lacking.toSorted((a, b) => a.length - b.length);
  const isToken = grants.some(({ parts }) => parts.some(({ challenge }) => challenge === 'Bearer'));
  const who = only?.parts.length === 0 ? 'The request' : isToken ? 'The token' : 'The key';
  const challenge = `Bearer realm="${realm}", error="insufficient_scope", scope="${nearest.join(' ')}"`;
  throw new Rejection('scope_missing', {
    text: `${who} lacks the scope ${listOr(lacking.map((missing) => missing.join(' and ')))}`,
    ...(isToken && { headers: { 'WWW-Authenticate': challenge } }),
  });
}

function findMissing<Principal>({ parts }: Grant<Principal>, asked: readonly string[]): string[] {
  const missing = parts.flatMap(({ needed, scopes }) =>
    scopes === undefined ? [] : needed.filter((scope) => !scopes.has(scope)),
  );
  if (asked.length === 0) return missing;
  const isGranted = (scope: string): boolean => parts.some(({ scopes }) => scopes === undefined || scopes.has(scope));
  return [...missing, ...asked.filter((scope) => !isGranted(scope))];
}
