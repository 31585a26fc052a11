import type { ImportFile } from '@lockstep/server/commands/import-schema';
import { WrongUse } from '@lockstep/shell/wrong-use';
import type { SandboxClock } from '../control/clock.ts';
import type { Faults } from '../control/faults.ts';
import type { Journal } from '../control/journal.ts';
import type { components } from './control/generated/types.gen.ts';
import type { Keypads } from './keypad.ts';

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

/** A scenario that has a name, or files in the format of `lockstep-server import`, read one after the other. */
export type ScenarioChoice = { readonly name: ScenarioName } | { readonly import: ImportFile | readonly ImportFile[] };

/** All faults of a scenario that can't be used. Nothing was changed. */
export class ScenarioFault extends WrongUse {
  override readonly name = 'ScenarioFault';
  /** Each with its location in `import`: `#/devices/0/type is none`. With several files, the first step is the index of the file. A fault of a name has no location. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** The control of a sandbox, over HTTP or in the same process. */
export interface Sandbox {
  readonly readState: () => SandboxState;
  /** Restores the scenario's start: data, clock, faults, journal, life of tokens. Tokens and sign-ins stay valid. */
  readonly reset: () => Promise<SandboxState>;
  /** @throws ScenarioFault */
  readonly useScenario: (choice: ScenarioChoice) => Promise<SandboxState>;
  readonly clock: SandboxClock;
  /** Makes the change, then runs due jobs before it resolves. */
  readonly changeClock: (change: () => void) => Promise<void>;
  readonly keypads: Keypads;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly tokens: SandboxTokens;
  /** @returns whether a world of this name existed */
  readonly removeWorld: (name: string) => boolean;
}

export interface SandboxTokens {
  /** Expires access tokens now; with `all`, refresh tokens and sign-ins too. */
  readonly expire: (what: 'access' | 'all') => Promise<void>;
  /** Life of future access tokens in seconds; null for the service's own. It counts from the whole second of issue, so may be up to a second shorter. */
  readonly lifetimeSeconds: number | null;
  readonly setLifetime: (seconds: number | null) => void;
}
