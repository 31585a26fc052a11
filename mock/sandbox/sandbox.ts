import type { ImportFile } from '@lockstep/server/commands/import-form';
import { WrongUse } from '@lockstep/shell/wrong-use';
import type { SandboxClock } from './clock.ts';
import type { components } from './control/generated/types.gen.ts';
import type { Faults } from './faults.ts';
import type { Journal } from './journal.ts';

type Schemas = components['schemas'];

export type ScenarioName = Schemas['ScenarioName'];

export const scenarioNames = [
  'demo',
  'empty',
  'big',
  'trial-over',
  'bridge-offline',
  'quota',
] as const satisfies readonly ScenarioName[];

export type SandboxState = Schemas['State'];

/** A scenario that has a name, or files in the form of `lockstep-server import`, read one after the other. */
export type ScenarioChoice = { readonly name: ScenarioName } | { readonly import: ImportFile | readonly ImportFile[] };

/** A scenario that is not used, with everything that is wrong with it. Nothing was changed. */
export class ScenarioFault extends WrongUse {
  override readonly name = 'ScenarioFault';
  /** Each with its place in what was given as `import`: `#/devices/0/type is none`; of several files the first step is the index of one. Or one of a name, without a place. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** What drives a sandbox, over HTTP or in the same process. */
export interface Sandbox {
  readonly readState: () => SandboxState;
  /** The scenario as at its start: data, clock, faults, journal, life of tokens. Tokens and sign-ins stay good. */
  readonly reset: () => Promise<SandboxState>;
  /** @throws ScenarioFault */
  readonly useScenario: (choice: ScenarioChoice) => Promise<SandboxState>;
  readonly clock: SandboxClock;
  /** Runs the change, then lets jobs that have become due run before it resolves. */
  readonly changeClock: (change: () => void) => Promise<void>;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly tokens: SandboxTokens;
}

export interface SandboxTokens {
  /** Ends access tokens now, or refresh tokens and sign-ins too. */
  readonly expire: (what: 'access' | 'all') => Promise<void>;
  /** Of access tokens to come, from the whole second of their issue on: up to a second less; null: as on the server. */
  readonly lifetimeSeconds: number | null;
  readonly setLifetime: (seconds: number | null) => void;
}
