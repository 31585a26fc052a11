import { showValue } from '@lockstep/runtime/validation/sentence';
import type { ScenarioChoice } from '../sandbox.ts';
import type { components, operations } from './generated/types.gen.ts';

type Schemas = components['schemas'];

export type SandboxState = Schemas['State'];
export type ScenarioName = Schemas['ScenarioName'];
/** A file in the format of `lockstep-server import`. */
export type ImportFile = Schemas['ImportFile'];
export type SandboxClockReading = Schemas['Clock'];
export type ClockChange = Schemas['ClockChange'];
export type NewFault = Schemas['NewFault'];
export type Fault = Schemas['Fault'];
export type RecordedRequest = Schemas['JournalEntry'];
export type RequestFilter = NonNullable<operations['listRequests']['parameters']['query']>;

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
export interface SandboxControl {
  readonly readState: () => Promise<SandboxState>;
  /** Restores the scenario's start: data, clock, faults, journal, life of tokens. Tokens and sign-ins stay valid. */
  readonly reset: () => Promise<SandboxState>;
  readonly listScenarios: () => Promise<Schemas['ScenarioList']['scenarios']>;
  readonly useScenario: (scenario: ScenarioGiven) => Promise<SandboxState>;
  readonly readClock: () => Promise<SandboxClockReading>;
  /** `{ by: 'PT3S' }`, `{ now: '2026-06-01T12:00:00Z' }`, `{ ticking: false }`. When it resolves, due jobs have run. */
  readonly changeClock: (change: ClockChange) => Promise<SandboxClockReading>;
  /** Locks and keypads of all accounts, by account and name; 100 by default. */
  readonly listLocks: (limit?: number) => Promise<readonly Schemas['LockList']['locks'][number][]>;
  /** Enters digits at the keypad of a lock, at the time of the sandbox. The lock remembers the entry. */
  readonly enterDigits: (deviceId: string, digits: string) => Promise<Schemas['Entry']>;
  readonly listFaults: () => Promise<readonly Fault[]>;
  readonly addFault: (fault: NewFault) => Promise<Fault>;
  readonly removeFault: (faultId: string) => Promise<void>;
  readonly removeFaults: () => Promise<void>;
  /** Expires access tokens by default. */
  readonly expireTokens: (what?: Schemas['TokenExpiry']['what']) => Promise<SandboxState>;
  /** Life of future access tokens in seconds; null for the service's own. It counts from the whole second of issue, so may be up to a second shorter. */
  readonly changeTokenLifetime: (seconds: number | null) => Promise<SandboxState>;
  /** Newest first. */
  readonly listRequests: (filter?: RequestFilter) => Promise<readonly RecordedRequest[]>;
  readonly removeRequests: () => Promise<void>;
}

/** A rejection of the control, with its message. */
export class ControlRejection extends Error {
  override readonly name = 'ControlRejection';
  readonly status: number;
  /** Stable, for programs; undefined if another server than a sandbox answered. */
  readonly code: string | undefined;
  /** Every fault with its location. */
  readonly details: Schemas['InvalidRequest']['details'];

  constructor(status: number, text: string, { code, details = [] }: Partial<Schemas['InvalidRequest']> = {}) {
    super(text);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/**
 * Controls a sandbox, from another process or from its own.
 *
 * @param origin of the sandbox: `http://localhost:8090`
 * @returns functions whose promises reject with a `ControlRejection`, or with the error of `fetch` if nothing answers
 * @throws TypeError for an invalid origin
 */
export function connectSandbox(origin: string): SandboxControl {
  const base = readOrigin(origin);
  const get = <Answer>(path: string): Promise<Answer> => send('GET', path) as Promise<Answer>;
  const change = <Answer>(method: string, path: string, body: object): Promise<Answer> =>
    send(method, path, body) as Promise<Answer>;
  const remove = async (path: string): Promise<void> => void (await send('DELETE', path));
  return {
    readState: () => get('/state'),
    reset: () => change('POST', '/reset', {}),
    listScenarios: async () => (await get<Schemas['ScenarioList']>('/scenarios')).scenarios,
    useScenario: (scenario) => change('PUT', '/scenario', readGiven(scenario)),
    readClock: () => get('/clock'),
    changeClock: (to) => change('PATCH', '/clock', to),
    listLocks: async (limit = 100) => (await get<Schemas['LockList']>(`/locks?limit=${limit}`)).locks,
    enterDigits: (deviceId, digits) => change('POST', `/locks/${encodeURIComponent(deviceId)}/entries`, { digits }),
    listFaults: async () => (await get<Schemas['FaultList']>('/faults')).faults,
    addFault: (fault) => change('POST', '/faults', fault),
    removeFault: async (faultId) => {
      if (typeof faultId !== 'string')
        throw new TypeError(`pass removeFault the id of a fault as text, not ${showValue(faultId)}`);
      await remove(`/faults/${encodeURIComponent(faultId)}`);
    },
    removeFaults: () => remove('/faults'),
    expireTokens: (what = 'access') => change('POST', '/tokens/expire', { what }),
    changeTokenLifetime: (seconds) => change('PUT', '/tokens/lifetime', { seconds }),
    listRequests: async (filter = {}) => {
      const query = new URLSearchParams(
        Object.entries(filter).map(([name, value]): [string, string] => [name, String(value)]),
      );
      return (await get<Schemas['RequestList']>(`/requests?${query}`)).requests;
    },
    removeRequests: () => remove('/requests'),
  };

  async function send(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await fetch(`${base}/_sandbox${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) {
      const rejection = readRejection(text);
      const { error = `${answer.status} ${answer.statusText}: is a sandbox at ${origin}?`, details = [] } = rejection;
      const message = details.length > 1 ? details.map((detail) => detail.says).join('\n') : error;
      throw new ControlRejection(answer.status, message, rejection);
    }
    return text === '' ? undefined : JSON.parse(text);
  }
}

function readOrigin(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '') return url.origin;
  throw new TypeError(`${showValue(text)} is no origin: give one as http://localhost:8090, without a path`);
}

function readRejection(body: string): Partial<Schemas['InvalidRequest']> {
  try {
    return JSON.parse(body) as Partial<Schemas['InvalidRequest']>;
  } catch {
    return {};
  }
}
