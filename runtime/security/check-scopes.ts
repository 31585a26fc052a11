import { listOr } from '../form/sentence.ts';
import { Rejection } from '../rejection.ts';
import type { Grant } from './authenticate.ts';

/**
 * Picks the first alternative whose scopes the credentials have.
 *
 * @param asked scopes that values of the request ask for, each of them beside those of the operation
 * @throws Rejection that names what is missing, and challenges for the alternative that lacks least (RFC 6750, 3.1)
 */
export function checkScopes<Principal>(
  grants: readonly Grant<Principal>[],
  realm: string,
  asked: readonly string[] = [],
): Grant<Principal> {
  const enough = grants.find(({ needed, scopes }) => scopes === undefined || hasAll(scopes, needed, asked));
  if (enough !== undefined) return enough;
  const lacking = grants.map(({ needed, scopes }) => [...needed, ...asked].filter((scope) => !scopes?.has(scope)));
  const [nearest = []] = lacking.toSorted((a, b) => a.length - b.length);
  const challenge = `Bearer realm="${realm}", error="insufficient_scope", scope="${nearest.join(' ')}"`;
  throw new Rejection('scope_missing', {
    text: `The token lacks the scope ${listOr(lacking.map((missing) => missing.join(' and ')))}`,
    headers: { 'WWW-Authenticate': challenge },
  });
}

function hasAll(scopes: ReadonlySet<string>, needed: readonly string[], asked: readonly string[]): boolean {
  return needed.every((scope) => scopes.has(scope)) && asked.every((scope) => scopes.has(scope));
}
