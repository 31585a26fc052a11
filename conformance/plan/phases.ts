/** Phases in their order. One that is listed without being built is refused by `--phase`, so that nobody waits for it. */
export const phases = {
  baseline: { built: true, about: 'one valid request per operation until it is accepted, every response check on it' },
  story: { built: false, about: 'per resource create, read, list, change, delete' },
  auth: { built: false, about: 'no credentials, bad ones, every scope but the needed one, another tenant' },
  protocol: { built: false, about: 'undeclared methods, malformed JSON, wrong media types' },
  negative: { built: false, about: 'invalid requests with one fault each' },
  boundary: { built: false, about: 'valid requests at many boundaries at once' },
  text: { built: false, about: 'Unicode families and hostile strings' },
  random: { built: false, about: 'random valid, invalid and multi-step cases' },
} as const satisfies Record<string, { readonly built: boolean; readonly about: string }>;

export type PhaseName = keyof typeof phases;

export const builtPhases = (Object.keys(phases) as PhaseName[]).filter((name) => phases[name].built);
