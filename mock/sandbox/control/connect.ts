import { type CommonControl, connectControl, createCommonControl } from '../../control/connect.ts';
import type { ScenarioChoice } from '../sandbox.ts';
import type { components } from './generated/types.gen.ts';

type Schemas = components['schemas'];

export type SandboxState = Schemas['State'];
export type ScenarioName = Schemas['ScenarioName'];
/** A file in the format of `lockstep-server import`. */
export type ImportFile = Schemas['ImportFile'];

/** A scenario: its name, one or several files in the order of reading, or the body that the control accepts. */
export type ScenarioGiven =
  | ScenarioName
  | ImportFile
  | readonly ImportFile[]
  | { readonly name: ScenarioName }
  | { readonly import: ImportFile | readonly ImportFile[] };

/** The body that the control accepts. The member `account` distinguishes a file from such a body. */
export function readGiven(given: ScenarioGiven): ScenarioChoice {
  if (typeof given === 'string') return { name: given };
  if (given === null || typeof given !== 'object' || Array.isArray(given)) return { import: given };
  const [only, ...others] = Object.keys(given);
  return others.length === 0 && (only === 'name' || only === 'import')
    ? (given as ScenarioChoice)
    : { import: given as ImportFile };
}

/** The operations of the control by name; `contract.yaml` in this folder describes them. */
export interface SandboxControl extends CommonControl {
  readonly readState: () => Promise<SandboxState>;
  /** Restores the scenario's start: data, clock, faults, journal, life of tokens. Tokens and sign-ins stay valid. */
  readonly reset: () => Promise<SandboxState>;
  readonly listScenarios: () => Promise<Schemas['ScenarioList']['scenarios']>;
  readonly useScenario: (scenario: ScenarioGiven) => Promise<SandboxState>;
  /** Locks and keypads of all accounts, by account and name; 100 by default. */
  readonly listLocks: (limit?: number) => Promise<readonly Schemas['LockList']['locks'][number][]>;
  /** Enters digits at the keypad of a lock, at the time of the sandbox. The lock remembers the entry. */
  readonly enterDigits: (deviceId: string, digits: string) => Promise<Schemas['Entry']>;
  /** Expires access tokens by default. */
  readonly expireTokens: (what?: Schemas['TokenExpiry']['what']) => Promise<SandboxState>;
  /** Life of future access tokens in seconds; null for the service's own. It counts from the whole second of issue, so may be up to a second shorter. */
  readonly changeTokenLifetime: (seconds: number | null) => Promise<SandboxState>;
}

/**
 * Controls a sandbox, or one of its worlds, from another process or from its own.
 *
 * @param origin of the sandbox, `http://localhost:8090`, or of a world, `http://localhost:8090/w/test-7`
 * @returns functions whose promises reject with a `ControlRejection`, or with the error of `fetch` if nothing answers
 * @throws TypeError for an invalid origin
 */
export function connectSandbox(origin: string): SandboxControl {
  const connection = connectControl(origin, 'sandbox');
  const { get, change } = connection;
  return {
    ...createCommonControl(connection),
    readState: () => get('/state'),
    reset: () => change('POST', '/reset', {}),
    listScenarios: async () => (await get<Schemas['ScenarioList']>('/scenarios')).scenarios,
    useScenario: (scenario) => change('PUT', '/scenario', readGiven(scenario)),
    listLocks: async (limit = 100) => (await get<Schemas['LockList']>(`/locks?limit=${limit}`)).locks,
    enterDigits: (deviceId, digits) => change('POST', `/locks/${encodeURIComponent(deviceId)}/entries`, { digits }),
    expireTokens: (what = 'access') => change('POST', '/tokens/expire', { what }),
    changeTokenLifetime: (seconds) => change('PUT', '/tokens/lifetime', { seconds }),
  };
}
