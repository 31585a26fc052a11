import type { PhaseName } from '../execute/exchange.ts';

/** Phases in their order, each with what it tests. One that is not built is refused by `--phase`, and named at the end of each run. */
export const phases = {
  baseline: { built: true, about: 'one valid request of each operation, and all answers to it' },
  story: { built: false, about: 'state (what was created, changed or deleted is found so), paging, filters and order' },
  auth: { built: false, about: 'credentials (none, wrong ones, too few scopes, another account)' },
  protocol: { built: false, about: 'methods and media types that are not declared, malformed content' },
  negative: { built: false, about: 'wrong input' },
  boundary: { built: false, about: 'valid input at its bounds' },
  text: { built: false, about: 'unusual and hostile text' },
  random: { built: false, about: 'random input in several steps' },
} as const satisfies Record<PhaseName, { readonly built: boolean; readonly about: string }>;

export const builtPhases = (Object.keys(phases) as PhaseName[]).filter((name) => phases[name].built);
