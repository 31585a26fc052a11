import type { PhaseName } from '../execute/exchange.ts';

/** Phases in their order. */
export const phases = {
  baseline: { about: 'one valid request of each operation, and all answers to it' },
  story: { about: 'state (reads after creates, changes and deletions), paging, filters and order' },
  auth: { about: 'credentials (missing, wrong, too few scopes, another account)' },
  protocol: { about: 'undeclared methods, malformed content, media types and preconditions' },
  negative: { about: 'invalid input: one keyword of the contract broken at one place' },
  boundary: { about: 'valid input at its bounds' },
  text: { about: 'unusual and hostile text' },
  random: { about: 'random input, valid and invalid' },
} as const satisfies Record<PhaseName, { readonly about: string }>;

export const builtPhases = Object.keys(phases) as PhaseName[];
