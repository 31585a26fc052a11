import { showValue } from '@lockstep/runtime/validation/sentence';
import type { ScenarioChoice } from '../sandbox.ts';
import type { components, operations } from './generated/types.gen.ts';

type Schemas = components['schemas'];

export type SandboxState = Schemas['State'];
export type ScenarioName = Schemas['ScenarioName'];
/** A file in the form that `lockstep-server import` reads. */
export type ImportFile = Schemas['ImportFile'];
export type SandboxClockReading = Schemas['Clock'];
export type ClockChange = Schemas['ClockChange'];
export type NewFault = Schemas['NewFault'];
export type Fault = Schemas['Fault'];
export type RecordedRequest = Schemas['JournalEntry'];
export type RequestFilter = NonNullable<operations['listRequests']['parameters']['query']>;

/** A scenario as a caller gives it: by its name, as a file or several that are read one after the other, or as the control takes either of them. */
export type ScenarioGiven =
  | ScenarioName
  | ImportFile
  | readonly ImportFile[]
  | { readonly name: ScenarioName }
  | { readonly import: ImportFile | readonly ImportFile[] };

/** The form that the control takes. A file always has the member `account`, and is never mistaken for one of the other forms. */
export function readGiven(given: ScenarioGiven): ScenarioChoice {
  if (typeof given === 'string') return { name: given };
  if (given === null || typeof given !== 'object' || Array.isArray(given)) return { import: given };
  const [only, ...others] = Object.keys(given);
  return others.length === 0 && (only === 'name' || only === 'import')
    ? (given as ScenarioChoice)
    : { import: given as ImportFile };
}

/** What the control of a sandbox does, each by the name of its operation; `contract.yaml` beside this file says what each means. */
export interface SandboxControl {
  readonly readState: () => Promise<SandboxState>;
  /** The scenario as at its start: data, clock, faults, journal, life of tokens. Tokens and sign-ins stay good. */
  readonly reset: () => Promise<SandboxState>;
  readonly listScenarios: () => Promise<Schemas['ScenarioList']['scenarios']>;
  readonly useScenario: (scenario: ScenarioGiven) => Promise<SandboxState>;
  readonly readClock: () => Promise<SandboxClockReading>;
  /** `{ by: 'PT3S' }`, `{ now: '2026-06-01T12:00:00Z' }`, `{ ticking: false }`. Jobs that have become due have run when it resolves. */
  readonly changeClock: (change: ClockChange) => Promise<SandboxClockReading>;
  readonly listFaults: () => Promise<readonly Fault[]>;
  readonly addFault: (fault: NewFault) => Promise<Fault>;
  readonly removeFault: (faultId: string) => Promise<void>;
  readonly removeFaults: () => Promise<void>;
  /** `access` when left out. */
  readonly expireTokens: (what?: Schemas['TokenExpiry']['what']) => Promise<SandboxState>;
  /** Of access tokens to come, from the whole second of their issue on: they live up to a second less. Null: as the service has it. */
  readonly changeTokenLifetime: (seconds: number | null) => Promise<SandboxState>;
  /** Newest first. */
  readonly listRequests: (filter?: RequestFilter) => Promise<readonly RecordedRequest[]>;
  readonly removeRequests: () => Promise<void>;
}

/** What the control refused, in its words. */
export class ControlRefusal extends Error {
  override readonly name = 'ControlRefusal';
  readonly status: number;
  /** Stable, for programs; undefined where what answers is no sandbox. */
  readonly code: string | undefined;
  /** Each place that is wrong. */
  readonly details: Schemas['InvalidRequest']['details'];

  constructor(status: number, text: string, { code, details = [] }: Partial<Schemas['InvalidRequest']> = {}) {
    super(text);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/**
 * Drives a sandbox from another process, or from the one that it runs in.
 *
 * @param origin of the sandbox: `http://localhost:8090`
 * @returns functions whose promises reject with a `ControlRefusal`, or with what `fetch` throws where nothing answers
 * @throws TypeError for what is no origin
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
    listFaults: async () => (await get<Schemas['FaultList']>('/faults')).faults,
    addFault: (fault) => change('POST', '/faults', fault),
    removeFault: async (faultId) => {
      if (typeof faultId !== 'string')
        throw new TypeError(`removeFault takes the id of a fault as text, not ${showValue(faultId)}`);
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
      const refusal = readRefusal(text);
      const { error = `${answer.status} ${answer.statusText}: is a sandbox at ${origin}?`, details = [] } = refusal;
      const says = details.length > 1 ? details.map((detail) => detail.says).join('\n') : error;
      throw new ControlRefusal(answer.status, says, refusal);
    }
    return text === '' ? undefined : JSON.parse(text);
  }
}

function readOrigin(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '') return url.origin;
  throw new TypeError(`${showValue(text)} is no origin: give one as http://localhost:8090, without a path`);
}

function readRefusal(body: string): Partial<Schemas['InvalidRequest']> {
  try {
    return JSON.parse(body) as Partial<Schemas['InvalidRequest']>;
  } catch {
    return {};
  }
}
