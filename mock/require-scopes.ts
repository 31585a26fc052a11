import { findMissingScopes } from '@lockstep/server/http/check-scopes';
import type { Grant } from './authenticate.ts';
import { Fault, faultStatuses } from './fault/fault.ts';

/**
 * Lets a token pass that has all scopes of one alternative; without alternatives none passes.
 *
 * @throws Fault 403 that names what is missing
 */
export function requireScopes(alternatives: readonly (readonly string[])[], { scopes, challenge }: Grant): void {
  const missing = findMissingScopes(alternatives, scopes);
  if (missing === undefined) return;
  throw new Fault({
    statuses: faultStatuses.forbidden,
    says: missing.text,
    hints: ['insufficient_scope', 'scope', 'forbidden'],
    headers: { 'WWW-Authenticate': challenge(missing.nearest) },
  });
}
