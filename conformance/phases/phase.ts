import type { PhaseName } from '../execute/exchange.ts';

/** Phases in their order. `--phase` refuses one that is not built, and each run lists it as not tested. */
export const phases = {
  baseline: { built: true, about: 'one valid request of each operation, and all answers to it' },
  story: { built: false, about: 'state (reads after creates, changes and deletions), paging, filters and order' },
  auth: { built: true, about: 'credentials (missing, wrong, too few scopes, another account)' },
  protocol: { built: true, about: 'undeclared methods, malformed content, media types and preconditions' },
  negative: { built: true, about: 'invalid input: one keyword of the contract broken at one place' },
  boundary: { built: true, about: 'valid input at its bounds' },
  text: { built: true, about: 'unusual and hostile text' },
  random: { built: true, about: 'random input, valid and invalid' },
} as const satisfies Record<PhaseName, { readonly built: boolean; readonly about: string }>;

export const builtPhases = (Object.keys(phases) as PhaseName[]).filter((name) => phases[name].built);
